#include "core/predict/tables/conv_key.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::predict {

namespace {

using Sizes3 = std::array<std::int64_t, 3>;

std::string axes(const Sizes3& sizes, int dims) {
    std::string text = std::to_string(sizes[0]);
    for (int axis = 1; axis < dims; ++axis) {
        text += "," + std::to_string(sizes[static_cast<std::size_t>(axis)]);
    }
    return text;
}

std::string_view suffix(DType type) {
    switch (type) {
        case DType::Float16:
            return "/fp16";
        case DType::BFloat16:
            return "/bf16";
        default:
            return "";
    }
}

}  // namespace

DType typeOf(stack::Precision precision) {
    switch (precision) {
        case stack::Precision::Fp16:
        case stack::Precision::Fp16True:
            return DType::Float16;
        case stack::Precision::Bf16:
        case stack::Precision::Bf16True:
            return DType::BFloat16;
        case stack::Precision::Fp32:
        case stack::Precision::Tf32:
            break;
    }
    return DType::Float32;
}

std::int64_t sizeOf(DType type) {
    switch (type) {
        case DType::Float32:
            return 4;
        case DType::Float16:
        case DType::BFloat16:
            return 2;
        case DType::Int64:
            return 8;
        case DType::Bool:
            break;
    }
    return 1;
}

std::string ConvKey::text() const {
    std::string key = fmt::format("conv{}{}d/{}/n{}/c{},{}/i{}/k{}/s{}/p{}/d{}/g{}",
                                  transposed ? "_transpose" : "", dims, pass == Pass::Forward ? "f" : "b",
                                  batch, inChannels, outChannels, axes(input, dims), axes(kernel, dims),
                                  axes(stride, dims), axes(padding, dims), axes(dilation, dims), groups);
    if (transposed) {
        key += "/o" + axes(outputPadding, dims);
    }
    if (bias) {
        key += "/b";
    }
    if (pass == Pass::Backward) {
        key += inputGradient ? "/gi" : "";
        key += weightGradient ? "/gw" : "";
        key += gradientContiguous ? "" : gradientTurned ? "/turned" : "/strided";
    }
    key += inputContiguous ? "" : "/part";
    key += suffix(dtype);
    return key + (channelsLast ? "/cl" : "");
}

std::int64_t ConvKey::inputElements() const {
    return batch * inChannels * productOf(input);
}

std::int64_t ConvKey::outputElements() const {
    return batch * outChannels * productOf(output);
}

std::int64_t ConvKey::outputStorageElements() const {
    return transposed && dims == 3 && groups == 1 ? std::max(inputElements(), outputElements())
                                                  : outputElements();
}

std::int64_t ConvKey::weightElements() const {
    return inChannels * outChannels / groups * productOf(kernel);
}

double ConvKey::multiplyAdds() const {
    const double positions = static_cast<double>(transposed ? productOf(input) : productOf(output));
    return static_cast<double>(batch) * positions * static_cast<double>(weightElements());
}

}  // namespace highwater::predict
