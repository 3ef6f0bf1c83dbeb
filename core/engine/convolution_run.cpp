#include "core/engine/convolution_run.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <chrono>

#include "core/engine/torch_compat.h"

namespace highwater::engine {

namespace {

using predict::ConvKey;
using Clock = std::chrono::steady_clock;

stack::Sizes firstOf(const std::array<std::int64_t, 3>& sizes, int dims) {
    return {sizes.begin(), sizes.begin() + dims};
}

stack::Op layerOf(const ConvKey& key) {
    const auto sizes = [&](const auto& all) { return firstOf(all, key.dims); };
    if (key.transposed)
        return stack::ConvTranspose{key.dims,
                                    key.outChannels,
                                    sizes(key.kernel),
                                    sizes(key.stride),
                                    sizes(key.padding),
                                    sizes(key.outputPadding),
                                    sizes(key.dilation),
                                    key.groups,
                                    key.bias};
    stack::Conv conv;
    conv.dims = key.dims;
    conv.outChannels = key.outChannels;
    conv.kernelSize = sizes(key.kernel);
    conv.stride = sizes(key.stride);
    conv.padding = {false, sizes(key.padding)};
    conv.dilation = sizes(key.dilation);
    conv.groups = key.groups;
    conv.bias = key.bias;
    return conv;
}

stack::Shape inputShapeOf(const ConvKey& key) {
    stack::Shape shape = firstOf(key.input, key.dims);
    shape.insert(shape.begin(), {key.batch, key.inChannels});
    return shape;
}

double microsecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

}  // namespace

ConvolutionRun::ConvolutionRun(const ConvKey& key) : key_(key), op_(layerOf(key)) {
    const stack::Shape shape = inputShapeOf(key);
    tensors_ = makeLayer(op_, shape);
    input_ = at::full(shape, 0.5F);
}

double ConvolutionRun::tensorBytes(const ConvKey& key) {
    const auto in = static_cast<double>(key.inputElements()), out = static_cast<double>(key.outputElements()),
               weight = static_cast<double>(key.weightElements());
    const double both = key.pass == ConvKey::Pass::Forward ? 1 : 2;
    return 4 * both * (in + out + weight);
}

ConvolutionRun::Pass ConvolutionRun::run() {
    return key_.pass == ConvKey::Pass::Forward ? runForward() : runBackward();
}

ConvolutionRun::Pass ConvolutionRun::runForward() {
    const c10::AutoGradMode graph(true);
    Pass pass;
    AllocationLog log;
    const auto start = Clock::now();
    pass.results[0] = applyLayer(op_, tensors_, input_, {}, ForwardMode::Train);
    pass.microseconds = microsecondsSince(start);
    pass.log = log.stop();
    return pass;
}

/// As cat's backward gives it (a part of a larger gradient), or, where that would be contiguous all the same,
/// as that of a sum (one value for all).
at::Tensor ConvolutionRun::incomingGradient(const at::Tensor& output) const {
    if (key_.gradientContiguous)
        return at::full_like(output, 0.5F);
    stack::Shape wider = output.sizes().vec();
    wider[1] *= 2;
    at::Tensor part = at::full(wider, 0.5F).narrow(1, 0, output.size(1));
    return part.is_contiguous() ? at::full({}, 0.5F).expand(output.sizes()) : part;
}

ConvolutionRun::Pass ConvolutionRun::runBackward() {
    const c10::AutoGradMode graph(true);
    Pass pass;
    // Gradients end at borders, not in leaves: accumulating is no part of the operator.
    const auto wanted = [&](const at::Tensor& tensor, std::size_t result, bool is) {
        at::Tensor& place = pass.results[result];
        return is ? border(tensor, [&place](at::Tensor&& arrived) { place = std::move(arrived); })
                  : tensor.detach();
    };
    LayerTensors cut;
    for (std::size_t i = 0; i < tensors_.parameters.size(); ++i)
        cut.parameters.push_back(wanted(tensors_.parameters[i], i + 1, key_.weightGradient));
    at::Tensor output = applyLayer(op_, cut, wanted(input_, 0, key_.inputGradient), {}, ForwardMode::Train);
    std::vector<GraphEdge> edges{edgeOf(output)};
    std::vector<at::Tensor> gradients{incomingGradient(output)};
    output.reset();
    AllocationLog log;
    const auto start = Clock::now();
    engine::backward(edges, std::move(gradients));
    pass.microseconds = microsecondsSince(start);
    pass.log = log.stop();
    return pass;
}

}  // namespace highwater::engine
