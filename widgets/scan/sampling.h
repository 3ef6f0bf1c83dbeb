#pragma once

#include <QSize>

namespace highwater::widgets {

/// How finely a frame is drawn.
struct Sampling {
    double scale = 1;  ///< of the width and height drawn, 0.2 to 1; the picture is stretched to the view
    double step = 1;   ///< voxels between samples along a ray
    bool operator==(const Sampling&) const = default;
};

/// The frames' budgets. While something moves, a new picture comes at about 25 a second; at rest one better
/// picture takes at most what is noticed as a pause.
inline constexpr double kMovingBudgetMs = 40;
inline constexpr double kRestingBudgetMs = 110;

/// Learns from drawn frames what a sample costs on this machine now, and chooses the finest sampling that
/// fits a budget. Cost model: pixels * voxels along the ray / step.
class SamplingChooser {
public:
    /// `rayVoxels`: the volume's diagonal in voxels.
    Sampling choose(QSize pixels, double rayVoxels, bool moving) const;
    void learn(QSize pixels, double rayVoxels, const Sampling& sampling, double millis);

private:
    static double samples(QSize pixels, double rayVoxels, const Sampling& sampling);
    double msPerSample_ = 1.0e-5;  ///< software rendering on two cores; a GPU is found out after a frame
};

}  // namespace highwater::widgets
