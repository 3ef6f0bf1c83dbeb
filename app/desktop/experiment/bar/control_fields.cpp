#include "app/desktop/experiment/bar/control_fields.h"

#include <algorithm>
#include <cstdlib>

#include "app/desktop/experiment/stack/sizes_text.h"
#include "core/base/text.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

base::Result<stack::Sizes> parsePatch(const QString& text, const stack::Experiment& experiment) {
    const std::size_t axes = std::clamp<std::size_t>(stack::patchOf(experiment).size(), 1, 3);
    auto sizes = HIGHWATER_TRY(parseSizes(text, {.low = 1, .high = 100'000, .most = axes}));
    if (sizes.size() != 1 && sizes.size() != axes) {
        return base::Error{"the input has " + std::to_string(axes) + " axes: write one number for all, or " +
                           std::to_string(axes)};
    }
    return expandSizes(std::move(sizes), axes);
}

namespace {

stack::Sizes grown(const stack::Sizes& patch, std::int64_t by) {
    stack::Sizes out;
    for (const std::int64_t size : patch) {
        out.push_back(std::clamp<std::int64_t>(size + by, 1, 100'000));
    }
    return out;
}

stack::Sizes nextPatch(stack::Experiment experiment, const stack::Sizes& patch, std::int64_t step) {
    constexpr int kFarthest = 16;
    for (int k = 1; k <= kFarthest; ++k) {
        const stack::Sizes next = grown(patch, k * step);
        stack::setPatch(experiment, next);
        if (stack::inferShapes(experiment)) {
            return next;
        }
    }
    return grown(patch, step);
}

}  // namespace

stack::Sizes steppedPatch(const stack::Experiment& experiment, stack::Sizes patch, int by) {
    constexpr std::int64_t kStep = 8;
    for (int i = 0; i < std::abs(by); ++i) {
        patch = nextPatch(experiment, patch, by > 0 ? kStep : -kStep);
    }
    return patch;
}

base::Result<std::optional<base::Bytes>> parseBudget(const QString& text) {
    if (text.trimmed().isEmpty()) {
        return std::optional<base::Bytes>{};
    }
    const auto bytes = HIGHWATER_TRY(base::parseBytes(text.trimmed().toStdString()));
    if (bytes < base::kMiB) {
        return base::Error{"a budget is at least 1 MiB; write e.g. 2.2 GiB"};
    }
    return std::optional<base::Bytes>{bytes};
}

QString budgetText(const std::optional<base::Bytes>& budget) {
    return budget ? QString::fromStdString(base::formatBytes(*budget)) : QString();
}

}  // namespace highwater::desktop
