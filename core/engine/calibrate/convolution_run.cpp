#include "core/engine/calibrate/convolution_run.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

namespace {

using predict::ConvKey;
using Clock = std::chrono::steady_clock;

stack::Sizes firstOf(const std::array<std::int64_t, 3>& sizes, int dims) {
    return {sizes.begin(), sizes.begin() + dims};
}

stack::Op layerOf(const ConvKey& key) {
    const auto sizes = [&](const auto& all) { return firstOf(all, key.dims); };
    if (key.transposed) {
        return stack::ConvTranspose{key.dims,
                                    key.outChannels,
                                    sizes(key.kernel),
                                    sizes(key.stride),
                                    sizes(key.padding),
                                    sizes(key.outputPadding),
                                    sizes(key.dilation),
                                    key.groups,
                                    key.bias};
    }
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

at::ScalarType typeOf(predict::DType type) {
    return type == predict::DType::Float16    ? at::kHalf
           : type == predict::DType::BFloat16 ? at::kBFloat16
                                              : at::kFloat;
}

at::Tensor inFormat(const at::Tensor& tensor, const ConvKey& key) {
    if (!key.channelsLast || key.dims < 2) {
        return tensor;
    }
    return tensor.contiguous(key.dims == 2 ? at::MemoryFormat::ChannelsLast
                                           : at::MemoryFormat::ChannelsLast3d);
}

}  // namespace

ConvolutionRun::ConvolutionRun(const ConvKey& key, const Device& device) : key_(key), op_(layerOf(key)) {
    installEngineHooks();  // before the first backward pass, which creates autograd's engine
    const stack::Shape shape = inputShapeOf(key);
    // On the CPU only the input can be channels_last, like the result of a permute; the network's weights are
    // not.
    tensors_ = makeLayer(op_, shape, device, key.channelsLast && device.cuda);
    for (at::Tensor& parameter : tensors_.parameters) {
        if (const at::ScalarType type = typeOf(key.dtype); parameter.scalar_type() != type) {
            parameter = parameter.detach().to(type).requires_grad_(true);
        }
    }
    stack::Shape whole = shape;
    whole.back() += key.inputContiguous ? 0 : 1;
    input_ = inFormat(at::full(whole, 0.5F, at::TensorOptions(device.torch()).dtype(typeOf(key.dtype))), key)
                 .narrow(-1, 0, shape.back());
}

double ConvolutionRun::tensorBytes(const ConvKey& key) {
    const auto in = static_cast<double>(key.inputElements()), out = static_cast<double>(key.outputElements()),
               weight = static_cast<double>(key.weightElements());
    const double both = key.pass == ConvKey::Pass::Forward ? 1 : 2;
    return static_cast<double>(predict::sizeOf(key.dtype)) * both * (in + out + weight);
}

ConvolutionRun::Results ConvolutionRun::run(const std::function<void()>& begins,
                                            const std::function<void()>& ends) {
    return key_.pass == ConvKey::Pass::Forward ? runForward(begins, ends) : runBackward(begins, ends);
}

ConvolutionRun::Pass ConvolutionRun::run() {
    Pass pass;
    std::optional<AllocationLog> log;
    Clock::time_point start;
    pass.results = run(
        [&] {
            log.emplace();
            start = Clock::now();
        },
        [&] {
            pass.microseconds = microsecondsSince(start);
            pass.log = log->stop();
        });
    return pass;
}

ConvolutionRun::Results ConvolutionRun::runForward(const std::function<void()>& begins,
                                                   const std::function<void()>& ends) {
    const c10::AutoGradMode graph(true);
    Results results;
    begins();
    results[0] = applyLayer(op_, tensors_, input_, {}, ForwardMode::Train);
    ends();
    return results;
}

/// A gradient for the output. If the key asks for a non-contiguous one: a channels_last one, as from the
/// backward of permute, or a slice of a larger tensor, as from that of cat; if the slice happens to be
/// contiguous, an expanded scalar, as from the backward of sum.
at::Tensor ConvolutionRun::incomingGradient(const at::Tensor& output) const {
    if (key_.gradientContiguous) {
        return at::full_like(output, 0.5F);
    }
    if (key_.gradientTurned) {
        return at::full_like(output, 0.5F)
            .contiguous(output.dim() == 4 ? at::MemoryFormat::ChannelsLast
                                          : at::MemoryFormat::ChannelsLast3d);
    }
    stack::Shape wider = output.sizes().vec();
    wider[1] *= 2;
    at::Tensor part = inFormat(at::full(wider, 0.5F, output.options()), key_).narrow(1, 0, output.size(1));
    return part.is_contiguous() ? at::full({}, 0.5F, output.options()).expand(output.sizes()) : part;
}

ConvolutionRun::Results ConvolutionRun::runBackward(const std::function<void()>& begins,
                                                    const std::function<void()>& ends) {
    const c10::AutoGradMode graph(true);
    Results results;
    // Gradients end at borders, not at leaves: accumulation is not part of the operator.
    const auto wanted = [&](const at::Tensor& tensor, std::size_t result, bool is) {
        at::Tensor& place = results[result];
        return is ? border(tensor, [&place](at::Tensor&& arrived) { place = std::move(arrived); })
                  : tensor.detach();
    };
    LayerTensors cut;
    for (std::size_t i = 0; i < tensors_.parameters.size(); ++i) {
        cut.parameters.push_back(wanted(tensors_.parameters[i], i + 1, i == 1 || key_.weightGradient));
    }
    at::Tensor output = applyLayer(op_, cut, wanted(input_, 0, key_.inputGradient), {}, ForwardMode::Train);
    std::vector<GraphEdge> edges{edgeOf(output)};
    std::vector<at::Tensor> gradients{incomingGradient(output)};
    output.reset();
    begins();
    engine::backward(edges, std::move(gradients));
    ends();
    return results;
}

std::array<const void*, 3> addressesOf(const ConvolutionRun::Results& results) {
    std::array<const void*, 3> addresses{};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].defined()) {
            addresses[i] = results[i].storage().data_ptr().get();
        }
    }
    return addresses;
}

double typicalTime(std::vector<double> times) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 4);
    std::nth_element(times.begin(), at, times.end());
    return std::strtod(fmt::format("{:.3g}", *at).c_str(), nullptr);
}

}  // namespace highwater::engine
