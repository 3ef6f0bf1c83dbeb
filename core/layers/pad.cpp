#include "core/layers/pad.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

std::optional<Error> checkPadCount(const Pad& op, int dims) {
    const auto given = static_cast<int>(op.padding.size());
    const bool constant = op.mode == PaddingMode::Zeros;  // PyTorch: other modes pad all spatial axes
    if (given % 2 == 0 && (constant ? given >= 2 && given <= 2 * (dims + 2) : given == 2 * dims)) {
        return std::nullopt;
    }
    return Error{fmt::format(
        "padding has {} for a {}d input; give {}, before and after each axis, the last axis first",
        base::counted(given, "number"), dims,
        constant ? fmt::format("2 to {}", 2 * (dims + 2)) : fmt::format("{}", 2 * dims))};
}

}  // namespace

std::array<std::int64_t, 2> addedTo(const Pad& pad, int axes, int axis) {
    const auto at = 2 * static_cast<std::size_t>(axes - 1 - axis);
    return at + 1 < pad.padding.size() ? std::array{pad.padding[at], pad.padding[at + 1]}
                                       : std::array<std::int64_t, 2>{0, 0};
}

Result<LayerRule> About<Pad>::rule(const Pad& op, const Shape& input, bool) {
    const int dims = dimsOf(input), axes = dims + 2;
    if (auto error = checkPadCount(op, dims)) {
        return *error;
    }
    for (const std::int64_t added : op.padding) {
        if (auto error = outside("padding", added, 0, kMostExtent)) {
            return *error;
        }
    }
    if (addedTo(op, axes, 0) != std::array<std::int64_t, 2>{0, 0}) {
        return Error{"adds samples to the batch; its last two numbers must be 0"};
    }
    const auto [before, after] = addedTo(op, axes, 1);
    Shape output = {input[0], input[1] + before + after};
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        for (const std::int64_t added : addedTo(op, axes, axis + 2)) {
            if (auto error = checkPaddingMode(op.mode, added, input[a + 2], axisName(dims, axis))) {
                return *error;
            }
        }
        output.push_back(sizeAlong(op, input[a + 2], dims, a));
    }
    return LayerRule{std::move(output), 0};
}

void About<Pad>::words(const Pad& op, Words& w) {
    w.add(sizesText(op.padding));
    w.add(std::string(wordOf(kPadModes, op.mode)));
    w.addIf(!w.brief && op.mode == PaddingMode::Zeros && op.value != 0, fmt::format("value {}", op.value));
}

python::Module About<Pad>::module(const Pad& op, const python::Place&) {
    python::Module made{"Pad", {python::tuple(op.padding)}};
    if (op.mode != PaddingMode::Zeros) {
        return made.add(fmt::format("\"{}\"", wordOf(kPadModes, op.mode)));
    }
    return made.add("value", op.value, 0);
}

}  // namespace highwater::stack
