#include <algorithm>

#include "app/desktop/prediction/growth_dialog.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

std::vector<std::string> axesOf(const stack::Experiment& experiment) {
    const std::size_t sizes = stack::patchOf(experiment).size();
    std::vector<std::string> axes = {"patch", "batch_size"};
    const std::vector<std::string> spatial = {"width", "height", "depth"};
    const std::size_t dims = std::min(sizes, spatial.size());
    axes.insert(axes.begin(), spatial.begin(), spatial.begin() + static_cast<std::ptrdiff_t>(dims));
    return axes;
}

std::int64_t sizeAlong(const stack::Experiment& experiment, const std::string& axis) {
    if (axis == "batch_size") {
        return experiment.step.batchSize;
    }
    const auto shape = stack::inputShape(experiment);
    if (!shape) {
        return 0;
    }
    const stack::Sizes patch(shape->begin() + 2, shape->end());
    if (axis == "patch") {
        return patch.front();
    }
    const std::size_t fromEnd = axis == "width" ? 1 : axis == "height" ? 2 : 3;
    return fromEnd <= patch.size() ? patch[patch.size() - fromEnd] : 0;
}

predict::AxisScan defaultScan(const stack::Experiment& experiment, const std::string& axis) {
    const std::int64_t now = std::max<std::int64_t>(1, sizeAlong(experiment, axis));
    predict::AxisScan scan;
    scan.axis = axis;
    if (axis == "batch_size") {
        scan.from = scan.step = 1;
        scan.to = std::max<std::int64_t>(16, 2 * now);
        return scan;
    }
    scan.step = 8;
    scan.from = std::max<std::int64_t>(8, now / 2 / 8 * 8 + now % 8);
    scan.to = std::max<std::int64_t>(axis == "patch" ? 256 : 512, 2 * now);
    return scan;
}

}  // namespace highwater::desktop
