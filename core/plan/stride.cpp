#include <algorithm>
#include <map>
#include <numeric>

#include "core/layers/axis_size.h"
#include "core/layers/limits.h"
#include "core/plan/propose_patch.h"
#include "core/stack/shapes.h"
#include "core/stack/shared.h"

namespace highwater::plan {
namespace {

/// The number of input voxels per voxel of a layer's output, as down / up in lowest terms; down is at most
/// kMostSize.
struct Ratio {
    std::int64_t down = 1, up = 1;

    void times(std::int64_t downBy, std::int64_t upBy) {
        const std::int64_t a = std::gcd(down, upBy), b = std::gcd(downBy, up);
        down = std::min((down / a) * (downBy / b), stack::kMostSize);
        up = std::min((up / b) * (upBy / a), stack::kMostSize);
    }
};

/// Walks the stack along one axis.
class StrideWalk {
public:
    StrideWalk(const std::vector<stack::Layer>& layers, std::size_t axis) : operators_(layers), axis_(axis) {}

    void run(const std::vector<stack::Layer>& layers) {
        for (const stack::Layer& layer : layers) {
            if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
                run(block->layers);
            } else if (const auto* merge = std::get_if<stack::Merge>(&layer.op)) {
                join(*merge);
            } else {
                const stack::AxisScale by = stack::scaleAlong(operators_.of(layer), axis_);
                ratio_.times(by.down, by.up);
            }
            if (!layer.id.empty()) {
                named_[layer.id] = ratio_;
            }
            stride_ = std::min(std::lcm(stride_, ratio_.down), stack::kMostSize);
        }
    }
    std::int64_t stride() const { return stride_; }

private:
    void join(const stack::Merge& op) {
        if (const auto at = named_.find(op.with.empty() ? std::string() : op.with.front());
            op.kind == stack::Merge::Kind::Branch && at != named_.end()) {
            ratio_ = at->second;
        }
    }

    stack::Operators operators_;
    std::size_t axis_;
    Ratio ratio_;
    std::map<std::string, Ratio> named_;
    std::int64_t stride_ = 1;
};

}  // namespace

std::array<std::int64_t, 3> strideOf(const stack::Experiment& experiment) {
    const std::size_t dims = std::min<std::size_t>(stack::patchOf(experiment).size(), 3);
    std::array<std::int64_t, 3> stride{1, 1, 1};
    for (std::size_t axis = 0; axis < dims; ++axis) {
        StrideWalk walk(experiment.stack, axis);
        walk.run(experiment.stack);
        stride[3 - dims + axis] = walk.stride();
    }
    return stride;
}

}  // namespace highwater::plan
