#include "widgets/scan/volume3d/sampling.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

struct Limits {
    double budgetMs;
    double finest, coarsest;  // in voxels per step
    double smallestScale;
};

/// At its smallest scale a frame exceeds the budget rather than becoming useless.
Limits limitsOf(FrameKind kind) {
    switch (kind) {
        case FrameKind::Moving:
            return {40, 1.2, 4, 0.2};
        case FrameKind::Resting:
            return {110, 0.7, 1.5, 0.5};
        case FrameKind::Best:
            break;
    }
    return {300, 0.5, 1.2, 0.8};
}

}  // namespace

double SamplingChooser::samples(QSize pixels, double rayVoxels, const Sampling& s) {
    return static_cast<double>(pixels.width()) * pixels.height() * s.scale * s.scale * rayVoxels / s.step;
}

Sampling SamplingChooser::choose(QSize pixels, double rayVoxels, FrameKind kind) const {
    const Limits limits = limitsOf(kind);
    const double budget = std::max(limits.budgetMs - fixedMs_, limits.budgetMs / 4);
    const double finest = samples(pixels, rayVoxels, {1, 1}) * msPerSample_;  // at one sample per voxel
    Sampling s;
    s.step = std::clamp(finest / budget, limits.finest, limits.coarsest);
    s.scale = std::clamp(std::sqrt(budget * s.step / std::max(finest, 1e-9)), limits.smallestScale, 1.0);
    return s;
}

void SamplingChooser::learn(QSize pixels, double rayVoxels, const Sampling& sampling, double millis) {
    const double count = samples(pixels, rayVoxels, sampling);
    if (count < 1 || !(millis > 0)) {
        return;
    }
    // Adapt quickly to slower frames, and slowly to faster ones.
    const double seen = std::max(millis - fixedMs_, millis / 4) / count;
    const double share = seen > msPerSample_ ? 0.8 : 0.4;
    msPerSample_ += share * (seen - msPerSample_);
}

}  // namespace highwater::widgets
