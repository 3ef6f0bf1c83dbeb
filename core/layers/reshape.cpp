#include "core/layers/reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

std::optional<Error> checkAxes(std::string_view key, std::size_t axes) {
    if (axes >= 2 && axes <= static_cast<std::size_t>(kMostAxes)) {
        return std::nullopt;
    }
    return Error{fmt::format("{} has {}; give 2 to {}", key,
                             base::counted(static_cast<std::int64_t>(axes), "number"), kMostAxes)};
}

}  // namespace

Result<LayerRule> About<Reshape>::rule(const Reshape& op, const Shape& input, bool) {
    if (auto error = checkAxes("shape", op.shape.size())) {
        return *error;
    }
    if (op.shape.front() != -1) {
        return Error{"shape must begin with -1: the batch, times what the other sizes leave"};
    }
    const auto elements = tensorBytes(input, 1, "an input");
    if (!elements) {
        return elements.error();
    }
    std::int64_t rest = 1;
    for (std::size_t i = 1; i < op.shape.size(); ++i) {
        if (auto error = outside("shape: each size after the first", op.shape[i], 1, kMostSize)) {
            return *error;
        }
        rest = std::min(rest * op.shape[i], *elements + 1);
        if (*elements % rest != 0) {
            return Error{fmt::format("shape {} does not divide the {} of its input {}",
                                     base::formatShape(std::span(op.shape).subspan(1)),
                                     base::counted(*elements, "value"), base::formatShape(input))};
        }
    }
    Shape output = op.shape;
    output.front() = *elements / rest;
    return LayerRule{std::move(output), 0};
}

}  // namespace highwater::stack
