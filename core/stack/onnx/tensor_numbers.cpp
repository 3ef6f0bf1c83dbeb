#include "core/stack/onnx/tensor_numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace highwater::stack::onnx {

namespace {

/// Converts a half to a double.
double ofHalf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

double finite(double number) {
    return std::isfinite(number) ? number : 0;
}

/// Reads the numbers of a tensor, in any representation in the file, without copying all of them.
class TensorNumbers {
public:
    explicit TensorNumbers(const ::onnx::TensorProto& tensor) : tensor_(tensor) {}
    Numbers keep(std::int64_t count) const;

private:
    std::size_t width() const;
    std::int64_t count() const;
    double at(std::int64_t index) const;
    double raw(std::int64_t index) const;
    const ::onnx::TensorProto& tensor_;
};

/// Bytes of a number in raw_data; 0 for an unsupported type.
std::size_t TensorNumbers::width() const {
    switch (tensor_.data_type()) {
        case ::onnx::TensorProto::FLOAT:
        case ::onnx::TensorProto::INT32:
            return 4;
        case ::onnx::TensorProto::DOUBLE:
        case ::onnx::TensorProto::INT64:
            return 8;
        case ::onnx::TensorProto::BOOL:
            return 1;
        case ::onnx::TensorProto::FLOAT16:
        case ::onnx::TensorProto::BFLOAT16:
            return 2;
        default:
            return 0;
    }
}

double TensorNumbers::raw(std::int64_t index) const {
    const char* const at = tensor_.raw_data().data() + static_cast<std::size_t>(index) * width();
    const auto read = [at]<class T>(T value) { return std::memcpy(&value, at, sizeof value), value; };
    switch (tensor_.data_type()) {
        case ::onnx::TensorProto::FLOAT:
            return plainReal(read(0.0F));
        case ::onnx::TensorProto::INT32:
            return read(std::int32_t{});
        case ::onnx::TensorProto::DOUBLE:
            return finite(read(0.0));
        case ::onnx::TensorProto::INT64:
            return static_cast<double>(read(std::int64_t{}));
        case ::onnx::TensorProto::BOOL:
            return *at != 0;
        case ::onnx::TensorProto::FLOAT16:
            return ofHalf(read(std::uint16_t{}));
        default:
            return plainReal(std::bit_cast<float>(std::uint32_t{read(std::uint16_t{})} << 16));
    }
}

std::int64_t TensorNumbers::count() const {
    if (tensor_.has_raw_data()) {
        return width() == 0 ? 0 : static_cast<std::int64_t>(tensor_.raw_data().size() / width());
    }
    switch (tensor_.data_type()) {
        case ::onnx::TensorProto::FLOAT:
            return tensor_.float_data_size();
        case ::onnx::TensorProto::DOUBLE:
            return tensor_.double_data_size();
        case ::onnx::TensorProto::INT64:
            return tensor_.int64_data_size();
        default:
            return width() == 0 ? 0 : tensor_.int32_data_size();
    }
}

double TensorNumbers::at(std::int64_t index) const {
    if (tensor_.has_raw_data()) {
        return raw(index);
    }
    const int place = static_cast<int>(index);
    switch (tensor_.data_type()) {
        case ::onnx::TensorProto::FLOAT:
            return plainReal(tensor_.float_data(place));
        case ::onnx::TensorProto::DOUBLE:
            return finite(tensor_.double_data(place));
        case ::onnx::TensorProto::INT64:
            return static_cast<double>(tensor_.int64_data(place));
        case ::onnx::TensorProto::FLOAT16:
            return ofHalf(static_cast<std::uint16_t>(tensor_.int32_data(place)));
        case ::onnx::TensorProto::BFLOAT16:
            return plainReal(
                std::bit_cast<float>(static_cast<std::uint32_t>(tensor_.int32_data(place)) << 16));
        default:
            return tensor_.int32_data(place);
    }
}

Numbers TensorNumbers::keep(std::int64_t count) const {
    if (tensor_.data_location() == ::onnx::TensorProto::EXTERNAL || count == 0 || this->count() != count) {
        return {};
    }
    const double first = at(0);
    std::int64_t alike = 1;
    while (alike < count && at(alike) == first) {
        ++alike;
    }
    if (alike == count) {
        return {first};
    }
    Numbers numbers;
    for (std::int64_t i = 0; i < count && count <= static_cast<std::int64_t>(kMostNumbers); ++i) {
        numbers.push_back(at(i));
    }
    return numbers;
}

}  // namespace

double plainReal(float value) {
    char text[64];
    const auto end = std::to_chars(std::begin(text), std::end(text), value);
    double plain = 0;
    std::from_chars(std::begin(text), end.ptr, plain);
    return std::isfinite(value) ? plain : 0;
}

Numbers numbersOf(const ::onnx::TensorProto& tensor, std::int64_t count) {
    return TensorNumbers(tensor).keep(count);
}

}  // namespace highwater::stack::onnx
