#include "core/predict/tables/conv_key.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::predict {

namespace {

using Sizes3 = std::array<std::int64_t, 3>;

void append(std::string& key, std::string_view mark, std::int64_t number) {
    const fmt::format_int digits(number);
    key.append(mark).append(digits.data(), digits.size());
}

void append(std::string& key, std::string_view mark, const Sizes3& sizes, int dims) {
    for (int axis = 0; axis < dims; ++axis) {
        append(key, axis == 0 ? mark : ",", sizes[static_cast<std::size_t>(axis)]);
    }
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
    std::string key;  // put together without fmt::format: every lookup in a table makes one
    key.reserve(128);
    append(key, transposed ? "conv_transpose" : "conv", dims);
    key += pass == Pass::Forward ? "d/f" : "d/b";
    append(key, "/n", batch);
    append(key, "/c", inChannels);
    append(key, ",", outChannels);
    append(key, "/i", input, dims);
    append(key, "/k", kernel, dims);
    append(key, "/s", stride, dims);
    append(key, "/p", padding, dims);
    append(key, "/d", dilation, dims);
    append(key, "/g", groups);
    if (transposed) {
        append(key, "/o", outputPadding, dims);
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
