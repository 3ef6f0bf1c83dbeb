#include "core/layers/unknown.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

base::Result<LayerRule> About<Unknown>::rule(const Unknown& op, std::int64_t samples) {
    constexpr std::size_t kFewest = 2, kMost = kMostAxes;
    if (op.shape.size() < kFewest || op.shape.size() > kMost) {
        return base::Error{fmt::format("shape has {}; give {} to {}",
                                       base::counted(std::ssize(op.shape), "number"), kFewest, kMost)};
    }
    for (const std::int64_t size : op.shape) {
        if (auto error = outside("shape: each size", size, 1, kMostSize)) {
            return *error;
        }
    }
    Shape output = op.shape;
    output.front() *= samples;
    return LayerRule{std::move(output), 0};
}

}  // namespace highwater::stack
