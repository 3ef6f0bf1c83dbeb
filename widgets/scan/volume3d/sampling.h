#pragma once

#include <QSize>

namespace highwater::widgets {

/// How finely a frame is drawn.
struct Sampling {
    double scale = 1;  ///< of the width and height drawn, 0.2 to 1; the picture is stretched to the view
    double step = 1;   ///< between samples along a ray; 1: RenderVolume::rayStep()
    bool operator==(const Sampling&) const = default;
};

/// What a frame is for: one while something moves, the one at once when it rests, the last one for it.
enum class FrameKind { Moving, Resting, Best };

/// Learns from drawn frames what they cost on this machine now, and chooses the finest sampling that fits the
/// kind's budget (40, 110, 300 ms). Cost model: a fixed part + pixels * voxels along the ray / step.
class SamplingChooser {
public:
    /// `rayVoxels`: samples along the volume's diagonal at a step of 1.
    Sampling choose(QSize pixels, double rayVoxels, FrameKind kind) const;
    void learn(QSize pixels, double rayVoxels, const Sampling& sampling, double millis);
    /// What a frame of next to no pixels takes.
    void setFixedMillis(double millis) { fixedMs_ = millis; }

private:
    static double samples(QSize pixels, double rayVoxels, const Sampling& sampling);
    double fixedMs_ = 0;
    double msPerSample_ = 2.0e-5;  ///< software rendering on two cores; a GPU is found out after a frame
};

}  // namespace highwater::widgets
