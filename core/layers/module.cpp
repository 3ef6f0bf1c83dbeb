#include "core/layers/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/layers/about.h"
#include "texts/layers_texts.h"

namespace highwater::stack::python {

std::string literal(double value) {
    return fmt::format("{}", value);
}

std::string literal(bool value) {
    return value ? "True" : "False";
}

std::string literal(std::int64_t value) {
    return fmt::format("{}", value);
}

std::string sizes(const Sizes& sizes) {
    const bool same = std::all_of(sizes.begin(), sizes.end(), [&](auto s) { return s == sizes.front(); });
    return same ? literal(sizes.front()) : fmt::format("({})", fmt::join(sizes, ", "));
}

std::string tuple(const std::vector<std::string>& entries) {
    return fmt::format("({}{})", fmt::join(entries, ", "), entries.size() == 1 ? "," : "");
}

std::string tuple(const Sizes& values) {
    return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

Module& Module::add(std::string argument) {
    arguments.push_back(std::move(argument));
    return *this;
}

Module& Module::add(const char* key, const Sizes& value, std::int64_t standard) {
    return allAre(value, standard) ? *this : add(fmt::format("{}={}", key, sizes(value)));
}

Module& Module::add(const char* key, std::int64_t value, std::int64_t standard) {
    return value == standard ? *this : add(fmt::format("{}={}", key, value));
}

Module& Module::add(const char* key, double value, double standard) {
    return value == standard ? *this : add(fmt::format("{}={}", key, literal(value)));
}

Module& Module::add(const char* key, bool value, bool standard) {
    return value == standard ? *this : add(fmt::format("{}={}", key, literal(value)));
}

Module& Module::add(const Padding& padding, PaddingMode mode) {
    if (padding.same) {
        add("padding=\"same\"");
    } else {
        add("padding", padding.sizes, 0);
    }
    return mode == PaddingMode::Zeros ? *this
                                      : add(fmt::format("padding_mode=\"{}\"", wordOf(kPaddingModes, mode)));
}

Module& Module::addAll(const Sizes& values) {
    for (const std::int64_t value : values) {
        add(literal(value));
    }
    return *this;
}

// Two updates of the statistics with momentum m are equivalent to one with 1 - (1 - m)^2.
Module& Module::addMomentum(int runs) {
    if (runs > 1) {
        add(fmt::format("momentum=1 - 0.9 ** (1 / {})", runs));
        remark = fmt::format("0.1, but it runs {} times per step", runs);
    }
    return *this;
}

std::string_view classText(std::string_view name) {
    const std::string begin = fmt::format("class {}(", name);
    const auto* const found = std::find_if(std::begin(texts::layers_texts), std::end(texts::layers_texts),
                                           [&](std::string_view text) { return text.starts_with(begin); });
    return found == std::end(texts::layers_texts) ? std::string_view() : *found;
}

std::string withDims(const char* name, int dims) {
    return fmt::format("nn.{}{}d", name, std::max(dims, 1));
}

Module pointwise(std::int64_t in, std::int64_t out, bool bias, int dims) {
    Module made{withDims("Conv", dims), {literal(in), literal(out), "1"}};
    return made.add("bias", bias, true);
}

}  // namespace highwater::stack::python
