#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/volume/patch.h"
#include "core/volume/resample.h"

/// Random augmentations of a patch, as in training pipelines. First, all random parameters for one sample are
/// drawn, as a value; applying them is then deterministic. Axes that are one voxel long are not changed, so
/// signals and images can be patches too.
namespace highwater::volume {

struct Augmentation {
    /// Spatial changes, the same for all channels and labels:
    /// - Flip: each axis is mirrored with probability p.
    /// - Rotate90: 1 to 3 quarter turns in a random plane whose sides have equally many voxels (nothing if
    ///   there is no such plane).
    /// - Rotate: about a random axis (an image: in its plane) by up to +-amount degrees in real space, that
    ///   is with spacing taken into account.
    /// - Scale: magnification by 1 - amount to 1 + amount.
    /// Rotations and scalings are about the patch's center. Together with flips and quarter turns they become
    /// one resampling: trilinear, labels by nearest neighbor.
    ///
    /// Changes of values, separately for each channel, after the spatial ones, in the given order:
    /// - Noise: Gaussian, of standard deviation `amount` in the patch's own values.
    /// - Blur: Gaussian, of standard deviation `amount` in voxels, cut off at 3 standard deviations, with
    ///   edge voxels repeated.
    /// - Brightness: values are multiplied by 1 - amount to 1 + amount.
    /// - Gamma: a power of 1 - amount to 1 + amount, on the patch's range mapped to 0..1 and back.
    enum class Kind { Flip, Rotate90, Rotate, Scale, Noise, Blur, Brightness, Gamma };
    Kind kind = Kind::Flip;
    double p = 0.5;     ///< probability that it is applied, 0 to 1
    double amount = 0;  ///< 0: defaultAmount(); not used for Flip and Rotate90
    bool operator==(const Augmentation&) const = default;
};

/// Returns 15 degrees (rotate), 0.2 (scale), 0.1 (noise), 1 voxel (blur), 0.25 (brightness), 0.3 (gamma).
double defaultAmount(Augmentation::Kind kind);

/// One change of values, after drawing.
struct Intensity {
    Augmentation::Kind kind = Augmentation::Kind::Noise;
    double value = 0;        ///< Noise: standard deviation; Blur: standard deviation in voxels; otherwise
                             ///< factor or exponent
    std::uint64_t seed = 0;  ///< seed of the noise
};

/// One spatial change, after drawing: the change of the patch's content.
struct SpaceChange {
    Augmentation::Kind kind = Augmentation::Kind::Flip;
    std::array<bool, 3> flipped{};  ///< Flip: whether it is flipped along i, j, k
    /// Rotate90 and Rotate: the unit vector of the rotation axis, along i, j and k, in millimeters on all
    /// three.
    std::array<double, 3> axis{};
    /// Degrees about the axis, from i towards j, j towards k, k towards i. For Scale, the factor.
    double value = 0;
};

/// The drawn parameters of one sample.
struct DrawnAugmentation {
    Matrix3 space{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< maps offsets from the patch's center to offsets in
                                                       ///< the source
    bool resampled = false;                            ///< if false, `space` only permutes and mirrors axes
    std::vector<SpaceChange> changes;                  ///< the changes that make up `space`, in order
    std::vector<std::vector<Intensity>> values;        ///< per channel, in order
};

/// Draws an augmentation. `extent` in voxels, `spacing` in mm. The same generator state gives the same result
/// on every machine.
DrawnAugmentation drawAugmentation(std::span<const Augmentation> list, const Index3& extent,
                                   const std::array<double, 3>& spacing, std::size_t channels,
                                   std::mt19937_64& random);

/// Returns how many floats applyIntensity needs as scratch memory; at least the number of the patch's voxels.
std::int64_t augmentScratch(const Index3& extent);
/// Changes a patch of finite values in place.
void applyIntensity(const Intensity& intensity, const Index3& extent, float* values, float* scratch);

}  // namespace highwater::volume
