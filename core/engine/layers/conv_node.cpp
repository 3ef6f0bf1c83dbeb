#include "core/engine/layers/conv_node.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <tuple>
#include <utility>

#include "core/engine/device/graph_node.h"

namespace highwater::engine {

namespace autograd = torch::autograd;
using autograd::variable_list;

namespace {

/// The same as autograd's ConvolutionBackward0.
class ConvNode final : public autograd::Node {
public:
    ConvNode(ConvolutionOptions options, bool bias, std::int64_t outChannels)
        : options_(std::move(options)), bias_(bias), outChannels_(outChannels) {}

    void save(const at::Tensor& x, const at::Tensor& weight) {
        x_ = autograd::SavedVariable(x, false);
        weight_ = autograd::SavedVariable(weight, false);
    }

    void release_variables() override {
        x_.reset_data();
        weight_.reset_data();
    }

private:
    variable_list apply(variable_list&& gradients) override {
        const at::Tensor& gradient = gradients.at(0);
        if (!gradient.defined()) {
            return variable_list(3);
        }
        const c10::AutoGradMode noGraph(false);
        const at::Tensor x = x_.unpack(), weight = weight_.unpack();
        const std::array<std::int64_t, 1> outChannels = {outChannels_};
        at::OptionalIntArrayRef biasSizes;
        if (bias_) {
            biasSizes = at::IntArrayRef(outChannels);
        }
        auto [dx, dweight, dbias] = at::convolution_backward(
            gradient, x, weight, biasSizes, options_.stride, options_.padding, options_.dilation,
            options_.transposed, options_.outputPadding, options_.groups,
            {next_edge(0).is_valid(), next_edge(1).is_valid(), next_edge(2).is_valid()});
        return {std::move(dx), std::move(dweight), std::move(dbias)};
    }

    ConvolutionOptions options_;
    bool bias_;
    std::int64_t outChannels_;
    autograd::SavedVariable x_, weight_;
};

}  // namespace

GraphEdge convolutionEdge(at::Tensor x, at::Tensor weight, at::Tensor bias, const ConvolutionOptions& options,
                          const at::Tensor& gradient) {
    const c10::DeviceType kind = x.device().type();
    if (const AutocastState autocast = autocastState(kind); autocast.on) {
        // From last to first, as in autocast's own wrapper (GCC evaluates its arguments in this order).
        bias = bias.defined() ? at::autocast::cached_cast(autocast.type, bias, kind) : bias;
        weight = at::autocast::cached_cast(autocast.type, weight, kind);
        x = at::autocast::cached_cast(autocast.type, x, kind);
    }
    const NodePointer node = makeNode<ConvNode>(options, bias.defined(), gradient.size(1));
    node->set_next_edges(autograd::collect_next_edges(x, weight, bias));
    node->add_input_metadata(gradient);
    static_cast<ConvNode&>(*node).save(x, weight);
    return edgeTo(node);
}

}  // namespace highwater::engine
