#include "core/predict/tables/guess_features.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::predict {

namespace {

bool above(const std::array<std::int64_t, 3>& sizes, std::int64_t value) {
    return std::any_of(sizes.begin(), sizes.end(), [=](std::int64_t size) { return size > value; });
}

/// Whether LibTorch runs this convolution with oneDNN (ConvParams::use_mkldnn,
/// aten/src/ATen/native/Convolution.cpp of 1.13). If another version decides differently, families only
/// become less uniform.
bool goesToOnednn(const ConvKey& op, int threads, bool onednn) {
    constexpr std::int64_t kSmall = 20480;
    if (op.transposed || !onednn) {
        return false;
    }
    const auto last = static_cast<std::size_t>(op.dims - 1);
    const std::int64_t width = op.kernel[last], height = op.dims > 1 ? op.kernel[last - 1] : 1;
    const std::int64_t first = op.dims > 1 ? op.input[0] : 1,
                       second = op.dims > 1 ? op.input[1] : op.input[0];
    const bool worthIt = above(op.stride, 1) || above(op.dilation, 1) || op.batch >= 16 || width > 1 ||
                         height > 1 || productOf(op.kernel) > 1 || threads > 1;
    const bool largeEnough = op.groups > 1 || (width > 3 && height > 3) || op.batch > 1 ||
                             op.batch * op.inChannels * first * second > kSmall;
    return worthIt && largeEnough;
}

double filledUp(std::int64_t channels) {
    constexpr std::int64_t kBlock = 16;
    return static_cast<double>((channels + kBlock - 1) / kBlock * kBlock);
}

}  // namespace

std::array<std::string, kFamilies> familiesOf(const ConvKey& op, int threads, bool onednn) {
    const char where = goesToOnednn(op, threads, onednn) ? 'o' : 'n', way = op.transposed ? 't' : 'c';
    const char pass = op.pass == ConvKey::Pass::Forward ? 'f' : 'b';
    const int gradients = (op.inputGradient ? 1 : 0) + (op.weightGradient ? 2 : 0);
    const int strided = op.gradientContiguous ? 0 : 1, point = productOf(op.kernel) == 1 ? 1 : 0;
    const int groups = op.groups == 1 ? 0 : op.groups == op.inChannels ? 2 : 1;
    const int some = groups > 0 ? 1 : 0, dilated = above(op.dilation, 1) ? 1 : 0;
    const std::string kind = fmt::format("{}{}{}", where, way, pass);
    return {fmt::format("{} {} {} {} {} {} {}", kind, gradients, strided, point, groups, op.dims, dilated),
            fmt::format("{} {} {} {} {}", kind, gradients, strided, point, some),
            fmt::format("{} {} {} {}", kind, gradients, point, some),
            fmt::format("{} {}", kind, point),
            fmt::format("{}{}", where, pass),
            ""};
}

std::array<double, kMeasures> measuresOf(const ConvKey& op) {
    const auto bytes = [](std::int64_t elements) { return 4 * static_cast<double>(elements); };
    const double in = bytes(op.inputElements()), out = bytes(op.outputElements()),
                 weight = bytes(op.weightElements());
    const double fullIn = bytes(op.batch * productOf(op.input)) * filledUp(op.inChannels),
                 fullOut = bytes(op.batch * productOf(op.output)) * filledUp(op.outChannels);
    const double fullWeight =
        bytes(productOf(op.kernel)) * filledUp(op.inChannels) * filledUp(op.outChannels);
    // oneDNN reads inputs with few channels without padding.
    const double readIn = op.inChannels <= 4 ? in : fullIn;
    const double kernel = bytes(productOf(op.kernel));
    const double columns =
        op.transposed
            ? kernel * static_cast<double>(op.outChannels) * static_cast<double>(productOf(op.input))
            : kernel * static_cast<double>(op.inChannels) * static_cast<double>(productOf(op.output));
    return {in + out + weight,
            fullIn + fullOut + weight,
            fullIn + fullOut,
            columns,
            columns + out,
            columns + in,
            columns + in + out,
            fullIn + out,
            in + fullOut,
            std::max(fullIn, fullOut),
            fullIn + 2 * fullOut,
            2 * fullIn + fullOut,
            in,
            out,
            fullIn,
            fullOut,
            columns * static_cast<double>(op.batch),
            readIn + fullOut,
            readIn + fullOut + weight,
            std::max(readIn, fullOut),
            fullWeight,
            fullIn + fullOut + fullWeight,
            readIn + fullOut + fullWeight};
}

}  // namespace highwater::predict
