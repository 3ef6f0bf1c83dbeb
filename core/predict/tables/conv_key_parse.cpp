#include <fmt/format.h>

#include <charconv>

#include "core/base/text.h"
#include "core/layers/axis_size.h"
#include "core/layers/limits.h"
#include "core/predict/tables/conv_key.h"

namespace highwater::predict {

namespace {

using Sizes3 = std::array<std::int64_t, 3>;

/// Reads the parts between slashes, one after another. Only the first error is kept.
class Parts {
public:
    explicit Parts(std::string_view text) : rest_(text) {}

    /// If the next part is `word`, consumes it and returns true.
    bool take(std::string_view word) {
        if (next() != word) {
            return false;
        }
        skip();
        return true;
    }
    /// Reads `mark` followed by a number from `low` to `high`.
    std::int64_t number(std::string_view mark, std::int64_t low, std::int64_t high) {
        std::int64_t value = low;
        numbers(mark, &value, 1, low, high);
        return value;
    }
    void numbers(std::string_view mark, std::int64_t* values, int count, std::int64_t low,
                 std::int64_t high) {
        std::string_view part = next();
        if (!part.starts_with(mark)) {
            return fail();
        }
        part.remove_prefix(mark.size());
        for (int i = 0; i < count; ++i) {
            if (i > 0 && (part.empty() || part.front() != ',')) {
                return fail();
            }
            part.remove_prefix(i > 0 ? 1 : 0);
            const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), values[i]);
            if (error != std::errc() || values[i] < low || values[i] > high) {
                return fail();
            }
            part.remove_prefix(static_cast<std::size_t>(end - part.data()));
        }
        part.empty() ? skip() : fail();
    }
    void fail() { failed_ = true; }
    bool failed() const { return failed_; }

private:
    std::string_view next() const { return rest_.substr(0, rest_.find('/')); }
    void skip() { rest_.remove_prefix(std::min(rest_.size(), next().size() + 1)); }

    std::string_view rest_;
    bool failed_ = false;
};

int takeKind(Parts& parts, bool& transposed) {
    constexpr std::string_view kNames[] = {"conv1d",           "conv2d",           "conv3d",
                                           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
    for (int i = 0; i < 6; ++i) {
        if (parts.take(kNames[i])) {
            transposed = i >= 3;
            return i % 3 + 1;
        }
    }
    parts.fail();
    return 1;
}

void takeFlags(Parts& parts, ConvKey& key) {
    key.bias = parts.take("b");
    if (key.pass == ConvKey::Pass::Backward) {
        key.inputGradient = parts.take("gi");
        key.weightGradient = parts.take("gw");
        key.gradientTurned = key.groups > 1 && parts.take("turned");
        key.gradientContiguous = !key.gradientTurned && !parts.take("strided");
    }
    key.inputContiguous = !parts.take("part");
    key.dtype = parts.take("fp16") ? DType::Float16 : parts.take("bf16") ? DType::BFloat16 : DType::Float32;
    key.channelsLast = parts.take("cl");
}

std::int64_t outputSize(const ConvKey& key, std::size_t axis) {
    const stack::AxisWindow window{key.kernel[axis], key.stride[axis], key.dilation[axis], key.padding[axis],
                                   key.padding[axis]};
    return key.transposed ? stack::transposedSize(key.input[axis], window, key.outputPadding[axis])
                          : stack::slidSize(key.input[axis], window);
}

double elements(std::int64_t a, std::int64_t b, const Sizes3& sizes) {
    double product = static_cast<double>(a) * static_cast<double>(b);
    for (const std::int64_t size : sizes) {
        product *= static_cast<double>(size);
    }
    return product;
}

bool fits(const ConvKey& key) {
    constexpr double most = static_cast<double>(stack::kMostTensorBytes) / 4;
    return elements(key.batch, key.inChannels, key.input) <= most &&
           elements(key.batch, key.outChannels, key.output) <= most &&
           elements(key.inChannels, key.outChannels, key.kernel) <= most * static_cast<double>(key.groups);
}

}  // namespace

base::Result<ConvKey> parseConvKey(std::string_view text) {
    using stack::kMostExtent;
    using stack::kMostSize;
    ConvKey key;
    Parts parts(text);
    key.dims = takeKind(parts, key.transposed);
    key.pass = parts.take("b") ? ConvKey::Pass::Backward : ConvKey::Pass::Forward;
    if (key.pass == ConvKey::Pass::Forward && !parts.take("f")) {
        parts.fail();
    }
    key.batch = parts.number("n", 1, kMostSize);
    std::int64_t channels[2] = {1, 1};
    parts.numbers("c", channels, 2, 1, kMostSize);
    key.inChannels = channels[0], key.outChannels = channels[1];
    parts.numbers("i", key.input.data(), key.dims, 1, kMostSize);
    parts.numbers("k", key.kernel.data(), key.dims, 1, kMostExtent);
    parts.numbers("s", key.stride.data(), key.dims, 1, kMostExtent);
    parts.numbers("p", key.padding.data(), key.dims, 0, kMostExtent);
    parts.numbers("d", key.dilation.data(), key.dims, 1, kMostExtent);
    key.groups = parts.number("g", 1, kMostSize);
    if (key.transposed) {
        parts.numbers("o", key.outputPadding.data(), key.dims, 0, kMostExtent);
    }
    takeFlags(parts, key);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(key.dims) && !parts.failed(); ++axis) {
        key.output[axis] = outputSize(key, axis);
        if (key.output[axis] < 1 || key.output[axis] > kMostSize) {
            return base::Error{fmt::format("{}: its sizes leave no output", base::oneLine(text, 200))};
        }
    }
    // The key must give the same text again, so that nothing is left over or written differently.
    if (parts.failed() || key.text() != text) {
        return base::Error{fmt::format("\"{}\" is not a convolution; an example is \"{}\"",
                                       base::oneLine(text, 200), ConvKey{}.text())};
    }
    if (key.inChannels % key.groups != 0 || key.outChannels % key.groups != 0) {
        return base::Error{
            fmt::format("{}: its channels are not a multiple of its groups", base::oneLine(text, 200))};
    }
    if (!fits(key)) {
        return base::Error{fmt::format("{}: a tensor of it is too large", base::oneLine(text, 200))};
    }
    return key;
}

}  // namespace highwater::predict
