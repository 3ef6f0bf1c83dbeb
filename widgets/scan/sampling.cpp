#include "widgets/scan/sampling.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

struct Steps {
    double finest, coarsest;  // voxels
};
constexpr Steps kMoving{1.5, 3}, kResting{0.5, 1.5};
constexpr double kSmallestScale = 0.2;

}  // namespace

double SamplingChooser::samples(QSize pixels, double rayVoxels, const Sampling& s) {
    return static_cast<double>(pixels.width()) * pixels.height() * s.scale * s.scale * rayVoxels / s.step;
}

Sampling SamplingChooser::choose(QSize pixels, double rayVoxels, bool moving) const {
    const Steps steps = moving ? kMoving : kResting;
    const double budget = moving ? kMovingBudgetMs : kRestingBudgetMs;
    const double finest = samples(pixels, rayVoxels, {1, 1}) * msPerSample_;  // at one sample a voxel
    Sampling s;
    s.step = std::clamp(finest / budget, steps.finest, steps.coarsest);
    s.scale = std::clamp(std::sqrt(budget * s.step / std::max(finest, 1e-9)), kSmallestScale, 1.0);
    return s;
}

void SamplingChooser::learn(QSize pixels, double rayVoxels, const Sampling& sampling, double millis) {
    const double count = samples(pixels, rayVoxels, sampling);
    if (count < 1 || !(millis > 0))
        return;
    // Quick to become careful, slow to become bold.
    const double seen = millis / count;
    const double share = seen > msPerSample_ ? 0.8 : 0.4;
    msPerSample_ += share * (seen - msPerSample_);
}

}  // namespace highwater::widgets
