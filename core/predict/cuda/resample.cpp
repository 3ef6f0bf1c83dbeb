#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

/// Pooling and upsampling on a GPU.
namespace highwater::predict::ghost {

namespace {

/// The layout of a kernel's tensors.
struct Resampling {
    bool channelsLast = false;  ///< the result's layout
    bool contiguous = false;    ///< the kernel itself supports only contiguous tensors
    bool any = false;           ///< it accepts any strides
    bool rereads = false;       ///< backward reads the input again, as forward did
};

void resampledBack(const NodePtr& node, std::string_view label, std::string_view family, const Tensor& x,
                   const Resampling& resampling) {
    if (node) {
        node->apply = [=, lies = outlineOf(x), dims = x->dims, type = x->dtype](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            WalkOp& op = m.op(label, family, static_cast<double>(gradient->bytes()));
            op.dtype = type;
            out[0] = emptyAs(m, dims, type, resampling.channelsLast);
            op.bytesMoved += static_cast<double>(out[0]->bytes());
            if (resampling.any) {
                return;
            }
            const bool own = resampling.channelsLast && !resampling.contiguous;
            StoragePtr result;
            if (resampling.contiguous && !liesAs(out[0], false)) {
                turns(m, dims, type, true);
                result = m.allocate(out[0]->bytes());
            }
            const StoragePtr input =
                resampling.rereads ? layoutCopy(m, lies, resampling.channelsLast) : nullptr;
            const StoragePtr copy = layoutCopy(m, gradient, own);
        };
    }
}

/// In 3d backward is as fast as forward, measured on an H200; in 2d it is four times slower.
std::string_view poolBackward(const Tensor& x) {
    return x->dims.rank == 5 ? "pool" : "pool_backward";
}

}  // namespace

Tensor poolCuda(Machine& machine, const stack::Pool& pool, const Tensor& x) {
    const Dims output = poolOutput(pool, x->dims);
    const bool max = pool.kind == stack::Pool::Kind::Max;
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op(max ? "max_pool" : "avg_pool", "pool", static_cast<double>(x->bytes()));
    op.dtype = x->dtype;
    machine.save(node, x);
    const bool space = x->dims.rank == 5;
    Resampling resampling;
    resampling.channelsLast = x->channelsLast && (max || !space);
    resampling.rereads = !max && !space;
    const bool resizes = max && space;
    Tensor made = emptyAs(machine, output, x->dtype, resampling.channelsLast);
    if (resizes) {
        resized(machine, x->dtype);
    }
    op.bytesMoved += static_cast<double>(made->bytes());
    if (max) {
        const Tensor indices = machine.empty(output, DType::Int64);
        if (resizes) {
            resized(machine, DType::Int64);
        }
        machine.save(node, indices);
    }
    {
        const StoragePtr copy = layoutCopy(machine, x, resampling.channelsLast);
    }
    resampledBack(node, "pool backward", poolBackward(x), x, resampling);
    made->edge = node;
    return made;
}

namespace {

/// Adaptive pooling to one value is a mean, whose result gets the strides of a channels_last tensor.
Tensor meanOfPlacesCuda(Machine& machine, const Tensor& x, const Dims& output) {
    const NodePtr node = machine.node({&x});
    machine.op("adaptive_avg_pool", "pool", static_cast<double>(x->bytes()));
    if (machine.target.versions.libtorch < memory::TorchVersion{2, 0}) {
        machine.save(node, x);
    }
    Tensor made = machine.empty(output, x->dtype);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
            m.op("pool backward", "pool", static_cast<double>(out[0]->bytes()));
        };
    }
    made->edge = node;
    const NodePtr strided = x->channelsLast && !inBothLayouts(x->dims) ? machine.node({&made}) : nullptr;
    if (strided) {
        strided->apply = [dims = output, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            m.label("pool backward");
            out[0] = m.empty(dims, type);
        };
        made->edge = strided;
    }
    return made;
}

}  // namespace

Tensor adaptivePoolCuda(Machine& machine, const stack::AdaptivePool& pool, const Tensor& x,
                        const Dims& output) {
    const bool max = pool.kind == stack::AdaptivePool::Kind::Max, space = x->dims.rank == 5;
    if (!max && output.spatial() == 1) {
        return meanOfPlacesCuda(machine, x, output);
    }
    const NodePtr node = machine.node({&x});
    WalkOp& op =
        machine.op(max ? "adaptive_max_pool" : "adaptive_avg_pool", "pool", static_cast<double>(x->bytes()));
    machine.save(node, x);
    Resampling resampling;
    resampling.channelsLast = resampling.any = x->channelsLast && !space && !max;
    resampling.rereads = max && !space;
    Tensor made = emptyAs(machine, output, x->dtype, resampling.channelsLast);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (max) {
        const Tensor indices = emptyAs(machine, output, DType::Int64, resampling.channelsLast);
        machine.save(node, indices);
    } else {
        resized(machine, x->dtype);
    }
    {
        const StoragePtr copy = layoutCopy(machine, x, resampling.channelsLast);
    }
    resampledBack(node, "pool backward", poolBackward(x), x, resampling);
    made->edge = node;
    return made;
}

/// Computes in fp32 under autocast from 2.4 on.
Tensor upsampleCuda(Machine& machine, const stack::Upsample& upsample, const Tensor& given,
                    const Dims& output) {
    const bool wide =
        isLow(autocastType(machine)) && machine.target.versions.libtorch >= memory::TorchVersion{2, 4};
    const Tensor x = wide ? cast(machine, given, DType::Float32) : given;
    const NodePtr node = machine.node({&x});
    WalkOp& op = machine.op("upsample", "upsample", static_cast<double>(x->bytes()));
    op.dtype = x->dtype;
    constexpr std::int64_t kFewestChannels = 4;  // minimum number of channels for which the kernels use
                                                 // channels_last
    Resampling resampling;
    resampling.channelsLast = x->channelsLast;
    resampling.any = upsample.mode != stack::Upsample::Mode::Nearest && x->dims.rank == 5;
    resampling.contiguous = x->dims.rank != 4 || x->dims[1] < kFewestChannels;
    Tensor made = emptyAs(machine, output, x->dtype, x->channelsLast);
    op.bytesMoved += static_cast<double>(made->bytes());
    if (!resampling.any && resampling.contiguous) {
        StoragePtr result;
        if (!liesAs(made, false)) {
            turns(machine, output, made->dtype, true);
            result = machine.allocate(made->bytes());
        }
        const StoragePtr input = temporaryCopy(machine, x);
    }
    if (x->dims.rank != 4 && !resampling.any) {  // in backward the 3d result is contiguous
        resampling.channelsLast = false;
    }
    resampledBack(node, "upsample backward", "upsample_backward", x, resampling);
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
