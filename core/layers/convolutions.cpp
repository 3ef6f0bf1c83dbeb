#include "core/layers/convolutions.h"

#include <fmt/format.h>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

std::string kernelText(std::int64_t kernel, std::int64_t dilation) {
    return dilation == 1 ? fmt::format("kernel {}", kernel)
                         : fmt::format("kernel {} with dilation {}", kernel, dilation);
}

}  // namespace

std::optional<Error> checkDims(int given, const Shape& input) {
    const int dims = dimsOf(input);
    if (given == 0 || given == dims) {
        return std::nullopt;
    }
    return Error{
        fmt::format("dims is {}, but the input is {}d; leave dims out or set it to {}", given, dims, dims)};
}

std::optional<Error> checkGroups(std::int64_t groups, std::int64_t in, std::int64_t out) {
    if (auto error = outside("groups", groups, 1, kMostSize)) {
        return error;
    }
    if (in % groups != 0) {
        return Error{fmt::format("groups {} does not divide the {} input channels", groups, in)};
    }
    if (out % groups != 0) {
        return Error{fmt::format("groups {} does not divide out_channels {}", groups, out)};
    }
    return std::nullopt;
}

Result<Shape> slide(const SlidingWindow& w, const Shape& input, std::int64_t outChannels) {
    if (auto error = checkDims(w.dims, input)) {
        return *error;
    }
    if (auto error = outside("out_channels", outChannels, 1, kMostSize)) {
        return *error;
    }
    const int dims = dimsOf(input);
    const auto kernel = perAxis(w.kernelSize, dims, "kernel_size", 1, kMostExtent);
    const auto stride = perAxis(w.stride, dims, "stride", 1, kMostExtent);
    const auto dilation = perAxis(w.dilation, dims, "dilation", 1, kMostExtent);
    const auto given = perAxis(w.padding.same ? Sizes{0} : w.padding.sizes, dims, "padding", 0, kMostExtent);
    for (const auto* sizes : {&kernel, &stride, &dilation, &given}) {
        if (!*sizes) {
            return sizes->error();
        }
    }
    Shape output = {input[0], outChannels};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::int64_t size = input[a + 2];
        const AxisWindow window = windowAlong(w.kernelSize, w.stride, w.dilation, w.padding, a);
        if (w.padding.same && window.stride != 1) {
            return Error{fmt::format("padding \"same\" needs stride 1, not {}; give the padding as a number",
                                     window.stride)};
        }
        if (auto error =
                checkPaddingMode(w.mode, std::max(window.before, window.after), size, axisName(dims, axis))) {
            return *error;
        }
        const std::int64_t slid = slidSize(size, window);
        if (slid == 0) {
            return Error{fmt::format("{} does not fit an input of {}{} along {}",
                                     kernelText(window.kernel, window.dilation), size,
                                     window.before == 0 ? "" : fmt::format(" with padding {}", window.before),
                                     axisName(dims, axis))};
        }
        output.push_back(slid);
    }
    return output;
}

}  // namespace highwater::stack
