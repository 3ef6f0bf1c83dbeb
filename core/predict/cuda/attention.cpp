#include "core/predict/ghost/attention.h"

#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/operators.h"
#include "core/predict/ghost/strides.h"

/// scaled_dot_product_attention on a GPU, by ATen's cuda/sdp_utils.cpp, cuda/attention.cu,
/// cuda/attention_backward.cu, mem_eff_attention/kernel_backward.h and flash_attn/flash_api.cpp. Compared
/// with LibTorch 2.11's requests on the pretended device; estimates for other versions. cuDNN's kernel, which
/// newer versions prefer on compute capability 9.0 and 10.0, is treated as Flash: it saves the same tensors.
namespace highwater::predict::ghost {

namespace {

constexpr memory::TorchVersion kDropout{2, 1}, kFlash2{2, 2}, kSplitKeys{2, 1}, kProductsInFloat{2, 5},
    kStateOnDevice{2, 7};

constexpr std::int64_t kInRegisters = 128;  // a larger head does not fit in CUTLASS' registers

std::int64_t rounded(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
}

bool flashFits(memory::TorchVersion torch, int architecture, const AttentionCall& call) {
    const std::int64_t size = call.queries[3];
    if (!isLow(call.type) || size != call.values[3] || architecture < 80 || call.masked) {
        return false;
    }
    const bool is86or89 = architecture > 80 && architecture < 90, is120 = architecture >= 120;
    if (torch < kFlash2) {
        return size % 8 == 0 && size <= (call.learns && is86or89 ? 64 : 128);
    }
    const bool square = !call.causal || call.queries[2] == call.keys[2];
    const bool hasBackward =
        !call.learns || !(is86or89 || is120) || size <= 192 || (call.dropout == 0 && size > 224);
    return square && size <= 256 && hasBackward;
}

bool efficientFits(memory::TorchVersion torch, int architecture, const AttentionCall& call) {
    const bool low = isLow(call.type), tensorCores = architecture >= (low ? 70 : 80);
    const std::int64_t least = architecture >= 80 ? 4 : 1;
    const std::int64_t alignment = tensorCores ? std::max<std::int64_t>(least, low ? 8 : 4) : least;
    return (call.dropout == 0 || torch >= kDropout) && call.queries[3] % alignment == 0 &&
           call.values[3] % alignment == 0 && (call.type != DType::BFloat16 || architecture >= 80);
}

/// The head size in FlashAttention's buffers.
std::int64_t roundedSize(std::int64_t size) {
    constexpr std::int64_t kStep = 32, kLarge = 192, kLargest = 256;
    return size <= kLarge ? rounded(size, kStep) : kLargest;
}

/// FlashAttention 2. Results have the layout of the tensors they belong to; backward requires the gradient
/// and the result with positions before heads.
Tensor flash(Machine& machine, const AttentionCall& call, const Factors& of) {
    const NodePtr node = machine.node({&of[0], &of[1], &of[2]});
    beginAttention(machine, "attention", call, 2);
    std::array<Tensor, kMask> outlines;
    for (std::size_t i = 0; i < kMask; ++i) {
        machine.save(node, of[i]);
        outlines[i] = outlineOf(of[i]);
    }
    const Dims q = of[0]->dims;
    Tensor made = emptyLike(machine, of[0], call.type);
    const Tensor logarithms = machine.empty({q[0], q[1], q[2]});
    machine.save(node, made);
    machine.save(node, logarithms);
    if (machine.target.versions.libtorch >= kStateOnDevice) {  // the generator's state
        machine.save(node, machine.empty({2}, DType::Int64));
        machine.save(node, machine.empty({1}, DType::Int64));
    }
    if (node) {
        node->apply = [call, q, outlines, copies = !liesPlacesFirst(made)](Machine& m, Node& self,
                                                                           Tensor& gradient, Gradients& out) {
            constexpr std::int64_t kPlaces = 128;
            beginAttention(m, "attention backward", call, 5);
            const StoragePtr copy = liesPlacesFirst(gradient) ? nullptr : m.allocate(gradient->bytes());
            const StoragePtr result = copies ? m.allocate(gradient->bytes()) : nullptr;
            Factors gradients;
            for (std::size_t i = 0; i < outlines.size(); ++i) {
                gradients[i] = emptyLike(m, outlines[i], call.type);
            }
            const std::int64_t places = rounded(q[2], kPlaces);
            const Tensor sums = m.empty({q[0], q[1], places});
            const Tensor accumulated = m.empty({q[0], q[1], places, roundedSize(q[3])});
            giveWanted(self, gradients, out);
        };
    }
    made->edge = node;
    return made;
}

constexpr std::int64_t kMultiple = 8;

/// With the last axis padded to a multiple of 8.
Tensor padded(Machine& machine, const Tensor& x) {
    Dims dims = x->dims;
    dims[3] = rounded(dims[3], kMultiple);
    const NodePtr node = machine.node({&x});
    machine.op("pad", "copy", 2 * static_cast<double>(x->bytes()));
    Tensor made = machine.empty(dims, x->dtype);
    if (node) {
        node->apply = [before = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient,
                                                          Gradients& out) {
            m.op("pad backward", "copy", 2 * static_cast<double>(gradient->bytes()));
            out[0] = m.empty(before, type);
        };
    }
    made->edge = node;
    return made;
}

Tensor flashOfAnySize(Machine& machine, const AttentionCall& call, const Factors& of) {
    const Tensor queries = padded(machine, of[0]), keys = padded(machine, of[1]),
                 values = padded(machine, of[2]);
    stack::Slice kept;
    kept.dim = -1;
    kept.end = call.queries[3];
    return slice(machine, kept, flash(machine, call, {queries, keys, values, nullptr}));
}

/// The float32 buffers in which gradients are summed: that of the queries in whole tiles for each head, with
/// a lock and a counter each if several blocks add to one, and those of keys and values if they are too large
/// for registers.
Bytes efficientWorkspace(const Machine& machine, const AttentionCall& call) {
    constexpr std::int64_t kTile = 64, kHead = 16, kMostBlocks = 200;
    const bool splits = machine.target.versions.libtorch >= kSplitKeys, low = isLow(call.type);
    if (!splits && !low) {
        return 0;
    }
    const Dims& q = call.queries;
    const std::int64_t most = std::max(q[3], call.values[3]), heads = q[0] * q[1];
    const bool spills = low && most > kInRegisters;
    const std::int64_t rows = low && most > kTile ? 2 * kTile : kTile, columns = spills ? kTile : rows;
    const std::int64_t tiles = rounded(q[2], rows) / rows * (rounded(q[3], columns) / columns);
    Bytes one = tiles * (rows * columns * 4 + (splits ? kHead : 0));
    if (spills) {
        const std::int64_t blocks = rounded(call.keys[2], kTile) / kTile;
        const std::int64_t parts =
            splits ? std::max<std::int64_t>(1, std::min(blocks, kMostBlocks / heads)) : blocks;
        one += parts * kTile * (rounded(q[3], rows) + rounded(call.values[3], rows)) * 4;
    }
    return heads * one;
}

/// The mask as that kernel reads it: with rows that begin at multiples of 8 elements, and repeated over
/// samples and heads.
Tensor alignedMask(Machine& machine, const AttentionCall& call, const Tensor& given) {
    Tensor mask = given;
    if (mask->dims[3] % kMultiple != 0) {
        stack::Slice kept;
        kept.dim = -1;
        kept.end = mask->dims[3];
        mask = slice(machine, kept, padded(machine, mask));
    }
    const LayerState none;
    return Operators(machine, none)
        .expand(mask, {call.queries[0], call.queries[1], call.queries[2], call.keys[2]});
}

/// CUTLASS' memory-efficient kernel.
Tensor efficient(Machine& machine, const AttentionCall& call, const Factors& given) {
    constexpr std::int64_t kAligned = 32;
    Factors of = given;
    of[kMask] = call.masked ? alignedMask(machine, call, given[kMask]) : nullptr;
    const NodePtr node = machine.node({&of[0], &of[1], &of[2], &of[kMask]});
    beginAttention(machine, "attention", call, 2);
    for (const Tensor& each : of) {
        machine.save(node, each);
    }
    const Dims q = call.queries;
    Dims output = q;
    output[3] = call.values[3];
    Tensor made = placesFirst(machine, output, call.type);
    const Tensor logarithms = node ? machine.empty({q[0], q[1], rounded(q[2], kAligned)}) : nullptr;
    if (isLow(call.type) && std::max(q[3], output[3]) > kInRegisters) {
        machine.allocate(output.elements() * sizeOf(DType::Float32));
    }
    machine.save(node, made);
    if (node) {
        machine.save(node, logarithms);
        node->apply = [call, q, output](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            beginAttention(m, "attention backward", call, 5);
            const StoragePtr copy = liesPlacesFirst(gradient) ? nullptr : m.allocate(gradient->bytes());
            Factors gradients;
            const Dims* const dims[] = {&call.queries, &call.keys, &call.values};
            for (std::size_t i = 0; i < std::size(dims); ++i) {
                gradients[i] = placesFirst(m, *dims[i], call.type);
            }
            if (call.maskLearns) {  // in rows of whole 16 elements
                constexpr std::int64_t kRow = 16;
                Dims rows{q[0], q[1], q[2], rounded(call.keys[2], kRow)};
                const Tensor whole = m.empty(rows, call.type);
                rows[3] = call.keys[2];
                gradients[kMask] = stridedGradient(whole, rows, stridesOf(whole));
            }
            Tensor sums;
            if (isLow(call.type)) {  // the kernel computes these itself
                sums = m.empty({q[0], q[1], q[2]});
            } else {
                const Tensor product = m.empty(output), turned = m.empty({q[0], q[2], q[1]});
                sums = m.empty({q[0], q[1], q[2]});
            }
            const StoragePtr workspace = m.allocate(efficientWorkspace(m, call));
            giveWanted(self, gradients, out);
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

AttentionKernel attentionKernelCuda(memory::TorchVersion torch, int architecture, const AttentionCall& call) {
    if (torch < memory::TorchVersion{2, 0} || call.queries.rank != 4 || !call.lastStridesAreOne) {
        return AttentionKernel::Products;
    }
    return flashFits(torch, architecture, call)       ? AttentionKernel::Flash
           : efficientFits(torch, architecture, call) ? AttentionKernel::Efficient
                                                      : AttentionKernel::Products;
}

Tensor attentionCuda(Machine& machine, const stack::Merge& merge, const Factors& given, ForwardMode mode) {
    const memory::TorchVersion torch = machine.target.versions.libtorch;
    Factors of = given;
    if (isLow(autocastType(machine))) {  // from last argument to first
        for (std::size_t i = of[kMask] ? of.size() : kMask; i-- > 0;) {
            of[i] = cast(machine, of[i], autocastType(machine));
        }
    }
    const AttentionCall call = callOf(merge, of, mode);
    const int architecture = machine.target.gpu ? machine.target.gpu->architecture : 0;
    switch (attentionKernelCuda(torch, architecture, call)) {
        case AttentionKernel::Flash:
            return call.queries[3] % 8 == 0 ? flash(machine, call, of) : flashOfAnySize(machine, call, of);
        case AttentionKernel::Efficient:
            return efficient(machine, call, of);
        case AttentionKernel::Products:
            break;
    }
    if (!isLow(call.type) || torch < kProductsInFloat) {
        return attentionProducts(machine, call, of, call.type);
    }
    for (std::size_t i = 0; i < kMask; ++i) {
        of[i] = cast(machine, of[i], DType::Float32);
    }
    return cast(machine, attentionProducts(machine, callOf(merge, of, mode), of, call.type), call.type);
}

}  // namespace highwater::predict::ghost
