#include "core/predict/ghost/attention.h"

#include <numeric>

#include "core/predict/ghost/strides.h"

/// attention.cpp, sdp_utils_cpp.cpp and FlashAttentionKernel.cpp of ATen. Compared allocation by allocation
/// with LibTorch 2.11 on the CPU.
namespace highwater::predict::ghost {

namespace {

constexpr memory::TorchVersion kHasAttention{2, 0}, kCpuKernel{2, 1}, kCpuMask{2, 3}, kSafeSoftmax{2, 5};

Dims swapped(Dims dims, int one, int other) {
    std::swap(dims[one], dims[other]);
    return dims;
}

Strides swapped(Strides strides, std::size_t one, std::size_t other) {
    std::swap(strides[one], strides[other]);
    return strides;
}

/// The blocks into which the kernel divides queries and keys, and the buffers of each of its threads.
struct CpuBlocks {
    std::int64_t queries, keys;

    explicit CpuBlocks(const AttentionCall& call) {
        constexpr std::int64_t kKeys = 512;
        const std::int64_t places = call.queries[2];
        queries = std::min<std::int64_t>(places >= 768 ? 256 : places >= 192 ? 64 : 32, places);
        keys = std::min(kKeys, call.keys[2]);
    }
};

Tensor flashCpu(Machine& machine, const AttentionCall& call, const Factors& of) {
    const NodePtr node = machine.node({&of[0], &of[1], &of[2]});
    beginAttention(machine, "attention", call, 2);
    for (const Tensor& each : of) {
        machine.save(node, each);
    }
    const Dims& q = call.queries;
    const CpuBlocks blocks(call);
    Tensor made = emptyLike(machine, of[0], call.type);
    const Tensor logarithms = machine.empty({q[0], q[2], q[1]});
    machine.allocate(4 * machine.threads *
                     (blocks.queries * blocks.keys + 2 * blocks.queries + blocks.queries * q[3]));
    machine.save(node, made);
    machine.save(node, logarithms);
    if (node) {
        node->apply = [call, blocks](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            beginAttention(m, "attention backward", call, 5);
            Factors gradients;
            const Dims* const dims[] = {&call.queries, &call.keys, &call.values};
            for (std::size_t i = 0; i < std::size(dims); ++i) {
                gradients[i] = placesFirst(m, *dims[i], call.type);
            }
            const StoragePtr copy = liesPlacesFirst(gradient) ? nullptr : m.allocate(gradient->bytes());
            const StoragePtr buffer = m.allocate(4 * m.threads * 2 * blocks.queries * blocks.keys);
            const StoragePtr sums = m.allocate(4 * blocks.queries);
            giveWanted(self, gradients, out);
        };
    }
    made->edge = node;
    return made;
}

/// Adds the causal mask to the products. It is a [positions, positions] matrix, made from one or two more
/// matrices of ones (of bool from 2.0 on).
Tensor causalMask(Machine& machine, const AttentionCall& call) {
    const Dims pairs{call.queries[call.queries.rank - 2], call.keys[call.keys.rank - 2]};
    machine.op("causal mask", "elementwise", 0);
    if (machine.torch < kHasAttention) {  // the engine's own implementation
        const Tensor whole = machine.empty(pairs);
        return machine.empty(pairs);
    }
    Tensor whole = machine.empty(pairs, DType::Bool);
    const Tensor lower = machine.empty(pairs, DType::Bool);
    whole.reset();
    const Tensor hidden = machine.empty({}), seen = machine.empty({});
    return machine.empty(pairs, call.type);
}

/// From 2.5 on rows in which every key is masked become zeros.
Tensor weights(Machine& machine, const Tensor& products) {
    Tensor made = probabilities(machine, products);
    if (machine.torch >= kSafeSoftmax) {
        Dims rows = made->dims;
        rows[rows.rank - 1] = 1;
        const Tensor hidden = machine.empty(made->dims, DType::Bool), all = machine.empty(rows, DType::Bool);
        const Tensor zero = machine.empty({});
    }
    return made;
}

}  // namespace

AttentionCall callOf(const stack::Merge& merge, const Factors& of, ForwardMode mode) {
    const auto lastIsOne = [](const Tensor& each) {
        return stridesOf(each)[static_cast<std::size_t>(each->dims.rank - 1)] == 1;
    };
    const auto learns = [](const Tensor& each) { return each->needsGradient(); };
    return {of[0]->dims,
            of[1]->dims,
            of[2]->dims,
            of[0]->dtype,
            std::all_of(of.begin(), of.begin() + kMask, lastIsOne),
            merge.isCausal,
            mode == ForwardMode::Evaluate ? 0 : merge.dropoutP,
            std::any_of(of.begin(), of.begin() + kMask, learns),
            of[kMask] != nullptr,
            of[kMask] && of[kMask]->needsGradient()};
}

void beginAttention(Machine& machine, std::string_view label, const AttentionCall& call, double products) {
    const auto all = [](const Dims& dims) { return static_cast<double>(dims.elements()); };
    const double numbers = 2 * all(call.queries) + all(call.keys) + all(call.values);
    const auto keys = static_cast<double>(call.keys[call.keys.rank - 2]);
    machine.op(label, "conv_1x1", products / 2 * numbers * static_cast<double>(sizeOf(call.type)),
               2 * products * all(call.queries) * keys);
}

Tensor placesFirst(Machine& machine, const Dims& dims, DType type) {
    Tensor made = machine.empty(dims, type);
    lay(*made, swapped(contiguousStrides(swapped(dims, 1, 2)), 1, 2));
    return made;
}

bool liesPlacesFirst(const Tensor& of) {
    return isContiguous(swapped(of->dims, 1, 2), swapped(stridesOf(of), 1, 2));
}

void giveWanted(const Node& node, Factors& gradients, Gradients& out) {
    for (std::size_t i = 0; i < std::min(gradients.size(), node.next.size()); ++i) {
        if (node.next[i]) {
            out[i] = std::move(gradients[i]);
        }
    }
}

AttentionKernel attentionKernelCpu(memory::TorchVersion torch, const AttentionCall& call) {
    const bool fits = torch >= kCpuKernel && call.queries.rank == 4 && call.dropout == 0 &&
                      call.queries[3] == call.values[3] && call.lastStridesAreOne;
    const bool masks = !call.masked || (torch >= kCpuMask && !call.maskLearns);
    return fits && masks ? AttentionKernel::Flash : AttentionKernel::Products;
}

Tensor attentionProducts(Machine& machine, const AttentionCall& call, const Factors& of, DType result) {
    stack::Sizes turned(static_cast<std::size_t>(call.keys.rank));
    std::iota(turned.begin(), turned.end(), 0);
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    Dims pairs = call.queries;
    pairs[pairs.rank - 1] = call.keys[pairs.rank - 2];
    Dims output = call.queries;
    output[output.rank - 1] = call.values[output.rank - 1];

    Tensor queries = weigh(machine, of[0]);
    const Tensor mask = call.causal ? causalMask(machine, call) : nullptr;
    Tensor products;
    {
        const Tensor keys = weigh(machine, permute(machine, turned, of[1]));
        products = matmul(machine, queries, keys, pairs);
    }
    if (call.masked) {
        products = addInPlace(machine, products, of[kMask]);
    }
    Tensor shares = weights(machine, products);
    products.reset();
    if (call.dropout > 0) {
        shares = machine.ops.dropout(machine, {call.dropout, false}, shares, ForwardMode::Train);
    }
    const Tensor returned = result == call.type ? nullptr : machine.empty(pairs, result);
    return matmul(machine, shares, of[2], output);
}

Tensor attention(Machine& machine, const stack::Merge& merge, const Factors& of, ForwardMode mode) {
    const AttentionCall call = callOf(merge, of, mode);
    return attentionKernelCpu(machine.torch, call) == AttentionKernel::Flash
               ? flashCpu(machine, call, of)
               : attentionProducts(machine, call, of, call.type);
}

}  // namespace highwater::predict::ghost
