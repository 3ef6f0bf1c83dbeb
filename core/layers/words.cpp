#include "core/layers/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/about.h"

namespace highwater::stack {

void Words::addIf(bool yes, std::string text) {
    if (yes) {
        add(std::move(text));
    }
}

void Words::addSizes(std::string_view name, const Sizes& sizes, std::int64_t usual) {
    if (!sizes.empty() && !allAre(sizes, usual)) {
        add(fmt::format("{} {}", name, brief ? powerText(sizes, 1) : equalSizesText(sizes)));
    }
}

void Words::addPadding(const Padding& padding, PaddingMode mode) {
    const std::string_view name = brief ? "pad" : "padding";
    const std::size_t before = all.size();
    if (padding.same) {
        add(fmt::format("{} same", name));
    } else {
        addSizes(name, padding.sizes, 0);
    }
    if (!brief && all.size() > before && mode != PaddingMode::Zeros) {
        all.back() += fmt::format(" ({})", wordOf(kPaddingModes, mode));
    }
}

void Words::addKernel(const Sizes& kernel, int given) {
    add(brief ? powerText(kernel, given > 0 ? given : dims) : "kernel " + equalSizesText(kernel));
}

std::string sizesText(const Sizes& sizes) {
    return base::formatShape(sizes);
}

std::string equalSizesText(const Sizes& sizes) {
    return !sizes.empty() && allAre(sizes, sizes.front()) ? fmt::format("{}", sizes.front())
                                                          : sizesText(sizes);
}

std::string powerText(const Sizes& sizes, int dims) {
    if (sizes.empty()) {
        return {};
    }
    if (!allAre(sizes, sizes.front())) {
        return sizesText(sizes);
    }
    const std::size_t count = sizes.size() > 1 ? sizes.size() : static_cast<std::size_t>(std::max(dims, 1));
    return fmt::format("{}{}", sizes.front(), count == 3 ? "³" : count == 2 ? "²" : "");
}

std::string listText(const Sizes& sizes) {
    return fmt::format("{}", fmt::join(sizes, ", "));
}

std::string idsText(const std::vector<std::string>& ids) {
    return ids.empty() ? "?" : fmt::format("{}", fmt::join(ids, ", "));
}

bool allAre(const Sizes& sizes, std::int64_t value) {
    return std::all_of(sizes.begin(), sizes.end(), [value](std::int64_t size) { return size == value; });
}

}  // namespace highwater::stack
