#pragma once

#include <QSize>

namespace highwater::widgets {

/// How finely a frame is drawn.
struct Sampling {
    /// Scale of the rendered width and height, 0.2 to 1; the image is then stretched to the view.
    double scale = 1;
    double step = 1;  ///< distance between the samples of a ray, in units of RenderVolume::rayStep()
    bool operator==(const Sampling&) const = default;
};

/// The purpose of a frame: drawn while something moves, drawn right after the movement ends, or the final
/// one.
enum class FrameKind { Moving, Resting, Best };

/// Learns from the frames drawn what a frame costs on this machine, and chooses the finest sampling that fits
/// the time budget of the kind of frame (40, 110, 300 ms). Cost model: a fixed part + pixels * voxels along
/// the ray / step.
class SamplingChooser {
public:
    /// `rayVoxels`: number of samples along the volume's diagonal at a step of 1.
    Sampling choose(QSize pixels, double rayVoxels, FrameKind kind) const;
    void learn(QSize pixels, double rayVoxels, const Sampling& sampling, double millis);
    /// Sets the time of a frame with almost no pixels.
    void setFixedMillis(double millis) { fixedMs_ = millis; }

private:
    static double samples(QSize pixels, double rayVoxels, const Sampling& sampling);
    double fixedMs_ = 0;
    /// Initial value for software rendering on two cores; corrected after the first frame on a GPU.
    double msPerSample_ = 2.0e-5;
};

}  // namespace highwater::widgets
