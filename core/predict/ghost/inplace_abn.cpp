#include "core/predict/ghost/inplace_abn.h"

#include <algorithm>

#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

namespace highwater::predict::ghost {

namespace {

/// Partial sums on a GPU, freed at the end of the pass.
void passing(Machine& machine, const Dims& dims, bool channelsLast, int floats) {
    if (machine.cuda) {
        machine.allocate(abnPassingBytes(dims, channelsLast, floats));
    }
}

struct Backward {
    Dims dims;
    DType dtype;
    bool channelsLast;
    bool known;  ///< z has a layout that the kernel supports

    bool lies(const Tensor& tensor) const { return liesAs(tensor, channelsLast); }

    void operator()(Machine& m, Node& self, Tensor& gradient, Gradients& out) const {
        m.op("inplace_abn backward", "norm", 3 * static_cast<double>(gradient->bytes()));
        Tensor dz = std::move(gradient);
        StoragePtr z = self.saved[0].slot ? self.saved[0].slot->device : self.saved[0].storage;
        self.saved[0] = {};
        if (!lies(dz)) {
            dz = emptyAs(m, dims, dz->dtype, channelsLast);
        }
        if (self.next[0]) {
            out[0] = placeFor(m, dz, z);
        }
        const Tensor dweight = m.empty({dims[1]}), dbias = m.empty({dims[1]});
        StoragePtr copy = known ? nullptr : m.allocate(m.bytesOf(z));
        copy.reset();
        passing(m, dims, channelsLast, 2);
        for (const std::size_t i : {1U, 2U}) {
            if (self.next[i]) {
                out[i] = i == 1 ? dweight : dbias;
            }
        }
        z.reset();
        dz.reset();
    }

    Tensor placeFor(Machine& m, const Tensor& dz, const StoragePtr& z) const {
        if (ownsItsStorage(dz)) {
            return dz;
        }
        if (z.use_count() != 1 || !known) {
            return emptyAs(m, dims, dtype, channelsLast);
        }
        const auto over = std::make_shared<TensorImpl>();
        over->storage = z;
        over->dims = dims;
        over->dtype = dtype;
        over->channelsLast = channelsLast;
        return over;
    }
};

}  // namespace

Bytes abnPassingBytes(const Dims& dims, bool channelsLast, int floats) {
    const std::int64_t channels = dims[1], perChannel = dims[0] * dims.spatial();
    const bool rows = (channelsLast && !inBothLayouts(dims)) || dims.spatial() == 1;
    const std::int64_t tiles = rows ? (channels + 31) / 32 : channels;
    const std::int64_t most = rows ? 512 : 2048, least = rows ? 256 : 4096;
    const std::int64_t wanted = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, tiles));
    const std::int64_t splits = std::clamp<std::int64_t>((perChannel + least - 1) / least, 1, wanted);
    return 4 * floats * splits * channels;
}

Tensor inplaceAbn(Machine& machine, const LayerState& state, const Tensor& x, ForwardMode mode) {
    const Tensor &weight = state.value(0), &bias = state.value(1);
    const NodePtr node = machine.node({&x, &weight, &bias});
    machine.op("inplace_abn", "norm", (machine.cuda ? 3 : 2) * static_cast<double>(x->bytes()));
    if (mode == ForwardMode::Evaluate) {
        return x;
    }
    // If the kernel does not support x's layout, it works on a copy, which is then copied back.
    const bool known = machine.cuda || liesAs(x, false);
    StoragePtr copy = known ? nullptr : machine.allocate(x->bytes());
    const Tensor invstd = machine.empty({x->dims[1]});
    copy.reset();
    if (machine.cuda) {
        const Tensor mean = machine.empty({x->dims[1]});
        passing(machine, x->dims, x->channelsLast, 3);
    }
    if (!node) {
        return x;
    }
    node->apply = Backward{x->dims, x->dtype, machine.cuda && x->channelsLast, known};
    if (x->base) {
        machine.cuda ? rewriteViewCuda(machine, x, node) : rewriteView(machine, x, node);
    } else {
        x->edge = node;
    }
    machine.save(node, x);
    machine.save(node, weight);
    machine.save(node, bias);
    machine.save(node, invstd);
    return x;
}

}  // namespace highwater::predict::ghost
