#include "core/engine/layers/inplace_abn.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <optional>

#include "core/engine/device/graph_node.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/layers/abn_compute.h"

namespace highwater::engine {

namespace autograd = torch::autograd;
using autograd::variable_list;

namespace {

kernels::AbnShape shapeOf(const at::Tensor& x, bool channelsLast) {
    kernels::AbnShape shape{x.size(0), x.size(1), 1, channelsLast};
    for (std::int64_t axis = 2; axis < x.dim(); ++axis) {
        shape.positions *= x.size(axis);
    }
    return shape;
}

/// The memory format in which the kernels can read the tensor; std::nullopt if they cannot.
std::optional<at::MemoryFormat> formatOf(const at::Tensor& x) {
    if (x.is_contiguous()) {
        return at::MemoryFormat::Contiguous;
    }
    if (x.is_cuda()) {
        for (const auto format : {at::MemoryFormat::ChannelsLast, at::MemoryFormat::ChannelsLast3d}) {
            if (x.is_contiguous(format)) {
                return format;
            }
        }
    }
    return std::nullopt;
}

AbnTensor laidOut(const at::Tensor& x, at::MemoryFormat format) {
    // With one position per channel, both formats are the same in memory.
    AbnTensor made{x, shapeOf(x, format != at::MemoryFormat::Contiguous)};
    made.shape.channelsLast = made.shape.channelsLast || made.shape.positions == 1;
    return made;
}

at::Tensor compute(const at::Tensor& x, const AbnParameters& parameters, const AbnOptions& options) {
    const auto format = formatOf(x);
    const at::Tensor lies = format ? x : x.contiguous();
    const AbnTensor work = laidOut(lies, format.value_or(at::MemoryFormat::Contiguous));
    at::Tensor invstd =
        x.is_cuda() ? abnForwardCuda(work, parameters, options) : abnForwardCpu(work, parameters, options);
    if (!format) {
        x.copy_(lies);
    }
    return invstd;
}

/// The tensor for the gradient of x: one that nothing else references, or a new one.
at::Tensor placeFor(const at::Tensor& dz, const at::Tensor& z, at::MemoryFormat format) {
    if (ownsItsStorage(dz)) {
        return dz;
    }
    if (ownsItsStorage(z) && z.is_contiguous(format)) {
        return z;
    }
    return at::empty_like(z, z.options(), format);
}

class AbnNode final : public autograd::Node {
public:
    explicit AbnNode(const AbnOptions& options) : options_(options) {}

    /// Saves the tensors; call after x was overwritten with z.
    void save(const at::Tensor& z, const AbnParameters& parameters, const at::Tensor& invstd) {
        z_ = autograd::SavedVariable(z, true, z.is_view());
        weight_ = autograd::SavedVariable(parameters.weight, false);
        bias_ = autograd::SavedVariable(parameters.bias, false);
        invstd_ = autograd::SavedVariable(invstd, false);
    }

    void release_variables() override {
        z_.reset_data();
        weight_.reset_data();
        bias_.reset_data();
        invstd_.reset_data();
    }

private:
    variable_list apply(variable_list&& gradients) override {
        at::Tensor dz = std::move(gradients.at(0));
        if (!dz.defined()) {
            return {at::Tensor(), at::Tensor(), at::Tensor()};
        }
        const c10::AutoGradMode noGraph(false);
        // Detached from the graph, so that only `z` holds it here.
        at::Tensor z = z_.unpack(pointerTo(*this)).variable_data();
        z_.reset_data();
        const AbnParameters parameters{weight_.unpack(), bias_.unpack(), {}, {}};
        const auto format = formatOf(z).value_or(at::MemoryFormat::Contiguous);
        if (!dz.is_contiguous(format)) {
            dz = dz.contiguous(format);
        }
        at::Tensor dx = next_edge(0).is_valid() ? placeFor(dz, z, format) : at::Tensor();
        const at::Tensor invstd = invstd_.unpack();
        at::Tensor dweight = at::empty_like(invstd), dbias = at::empty_like(invstd);
        const AbnBackward work{laidOut(z.contiguous(format), format), dz, dx, invstd, dweight, dbias};
        if (z.is_cuda()) {
            abnBackwardCuda(work, parameters, options_);
        } else {
            abnBackwardCpu(work, parameters, options_);
        }
        return {std::move(dx), std::move(dweight), std::move(dbias)};
    }

    AbnOptions options_;
    autograd::SavedVariable z_, weight_, bias_, invstd_;
};

bool wantsGradient(const at::Tensor& x, const AbnParameters& parameters) {
    return c10::GradMode::is_enabled() &&
           (x.requires_grad() || parameters.weight.requires_grad() || parameters.bias.requires_grad());
}

}  // namespace

at::Tensor inplaceAbn(at::Tensor x, const AbnParameters& parameters, const AbnOptions& options) {
    const bool graph = wantsGradient(x, parameters);
    TORCH_CHECK(!graph || options.batchStatistics,
                "inplace_abn has no gradient of the running statistics' form");
    TORCH_CHECK(!graph || !(x.is_leaf() && x.requires_grad()),
                "inplace_abn would overwrite a leaf whose gradient is wanted");
    NodePointer node;
    if (graph) {
        node = makeNode<AbnNode>(options);
        node->set_next_edges(autograd::collect_next_edges(x, parameters.weight, parameters.bias));
    }
    at::Tensor invstd;
    {
        const c10::AutoGradMode noGraph(false);
        invstd = compute(x, parameters, options);
    }
    autograd::impl::bump_version(x);
    if (node) {
        node->add_input_metadata(x);
        autograd::impl::rebase_history(x, {node, 0});
        static_cast<AbnNode&>(*node).save(x, parameters, invstd);
    }
    return x;
}

}  // namespace highwater::engine
