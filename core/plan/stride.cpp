#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/plan/propose_patch.h"
#include "core/stack/limits.h"

namespace highwater::plan {
namespace {

using stack::Sizes;

/// Voxels of the input for one of a layer's output, down / up in lowest terms; down at most kMostSize.
struct Ratio {
    std::int64_t down = 1, up = 1;

    void times(std::int64_t downBy, std::int64_t upBy) {
        const std::int64_t a = std::gcd(down, upBy), b = std::gcd(downBy, up);
        down = std::min((down / a) * (downBy / b), stack::kMostSize);
        up = std::min((up / b) * (upBy / a), stack::kMostSize);
    }
};
using Scale = std::array<Ratio, 3>;  // D, H, W

/// What the sizes say of an axis: one number for all, or one for each of the last axes.
std::int64_t along(const Sizes& sizes, std::size_t axis) {
    if (sizes.empty()) {
        return 1;
    }
    const std::size_t missing = sizes.size() == 1 ? 0 : 3 - std::min<std::size_t>(sizes.size(), 3);
    const std::int64_t size = sizes.size() == 1 ? sizes[0] : axis < missing ? 1 : sizes[axis - missing];
    return std::clamp<std::int64_t>(size, 1, stack::kMostExtent);
}

/// 2 for 2, 0 for what is no whole number.
std::int64_t whole(double factor) {
    const double rounded = std::round(factor);
    return rounded >= 1 && rounded <= stack::kMostScale && std::abs(factor - rounded) < 1e-9
               ? static_cast<std::int64_t>(rounded)
               : 0;
}

class StrideWalk {
public:
    void run(const std::vector<stack::Layer>& layers) {
        for (const stack::Layer& layer : layers) {
            std::visit([this](const auto& op) { apply(op); }, layer.op);
            if (!layer.id.empty()) {
                named_[layer.id] = scale_;
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto common = std::lcm(stride_[axis], scale_[axis].down);
                stride_[axis] = std::min(common, stack::kMostSize);
            }
        }
    }
    const std::array<std::int64_t, 3>& stride() const { return stride_; }

private:
    template <class Op>
    void apply(const Op&) {}
    void apply(const stack::Conv& op) { down(op.stride); }
    void apply(const stack::SeparableConv& op) { down(op.stride); }
    void apply(const stack::Pool& op) { down(op.stride.empty() ? op.kernelSize : op.stride); }
    void apply(const stack::ConvTranspose& op) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            scale_[axis].times(1, along(op.stride, axis));
        }
    }
    void apply(const stack::Upsample& op) {
        for (std::size_t axis = 0; axis < 3 && op.size.empty() && !op.scaleFactor.empty(); ++axis) {
            const std::size_t given = op.scaleFactor.size();
            if (given > 1 && axis + given < 3) {
                continue;
            }
            const double factor = op.scaleFactor[given == 1 ? 0 : axis + given - 3];
            if (const std::int64_t up = whole(factor)) {
                scale_[axis].times(1, up);
            } else if (const std::int64_t by = factor > 0 ? whole(1 / factor) : 0) {
                scale_[axis].times(by, 1);
            }
        }
    }
    void apply(const stack::Merge& op) {
        if (const auto at = named_.find(op.with);
            op.kind == stack::Merge::Kind::Branch && at != named_.end()) {
            scale_ = at->second;
        }
    }
    void apply(const stack::Block& op) { run(op.layers); }

    void down(const Sizes& by) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            scale_[axis].times(along(by, axis), 1);
        }
    }

    Scale scale_{};
    std::map<std::string, Scale> named_;
    std::array<std::int64_t, 3> stride_{1, 1, 1};
};

}  // namespace

std::array<std::int64_t, 3> strideOf(const stack::Experiment& experiment) {
    StrideWalk walk;
    walk.run(experiment.stack);
    std::array<std::int64_t, 3> stride = walk.stride();
    const auto* synthetic = std::get_if<stack::SyntheticInput>(&experiment.input);
    const std::size_t dims =
        synthetic ? synthetic->shape.size() - std::min<std::size_t>(synthetic->shape.size(), 1) : 3;
    for (std::size_t axis = 0; axis + std::min<std::size_t>(dims, 3) < 3; ++axis) {
        stride[axis] = 1;  // an axis that the input does not have
    }
    return stride;
}

}  // namespace highwater::plan
