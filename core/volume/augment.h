#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/volume/patch.h"
#include "core/volume/resample.h"

/// Random changes of a patch, as training pipelines make them. What happens to one sample is drawn first, as
/// a value; applying it is deterministic. Axes that are one voxel long are left alone, so that signals and
/// images are patches, too.
namespace highwater::volume {

struct Augmentation {
    /// Of space, one for all channels and labels:
    /// Flip: each axis is mirrored with probability p. Rotate90: 1 to 3 quarter turns in a random plane whose
    /// sides have equally many voxels (without such a plane: nothing). Rotate: about a random axis (an image:
    /// in its plane) by up to +-amount degrees of real space, spacing included. Scale: magnified by 1 -
    /// amount to 1 + amount. Rotations and scalings turn about the patch's centre, and become one resampling
    /// together with flips and quarter turns: trilinear, labels by nearest neighbour. Of values, each channel
    /// for itself, after those of space, in the order given: Noise: Gaussian, of standard deviation `amount`
    /// in the patch's own values. Blur: Gaussian, of standard deviation `amount` in voxels, cut at 3 of it,
    /// edge voxels repeated. Brightness: values times 1 - amount to 1 + amount. Gamma: a power of 1 - amount
    /// to 1 + amount, on the patch's range mapped to 0..1 and back.
    enum class Kind { Flip, Rotate90, Rotate, Scale, Noise, Blur, Brightness, Gamma };
    Kind kind = Kind::Flip;
    double p = 0.5;     ///< that it happens at all, 0 to 1
    double amount = 0;  ///< 0: the default; none for Flip and Rotate90
    bool operator==(const Augmentation&) const = default;
};

/// 15 degrees, 0.2 (scale), 0.1 (noise), 1 voxel, 0.25 (brightness), 0.3 (gamma).
double defaultAmount(Augmentation::Kind kind);

/// One change of values, as drawn.
struct Intensity {
    Augmentation::Kind kind = Augmentation::Kind::Noise;
    double value = 0;        ///< deviation, deviation in voxels, factor or exponent
    std::uint64_t seed = 0;  ///< of noise
};

/// One change of space, as drawn: what becomes of what the patch shows.
struct SpaceChange {
    Augmentation::Kind kind = Augmentation::Kind::Flip;
    std::array<bool, 3> flipped{};  ///< Flip: along i, j, k
    /// Rotate90 and Rotate: the unit vector it turns about, along i, j and k in equal measures (millimetres).
    std::array<double, 3> axis{};
    double value = 0;  ///< degrees about it, from i towards j, j towards k, k towards i; Scale: the factor
};

/// What happens to one sample.
struct DrawnAugmentation {
    Matrix3 space{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< offsets from the patch's centre to the source's
    bool resampled = false;                            ///< otherwise `space` permutes and mirrors axes
    std::vector<SpaceChange> changes;                  ///< what `space` is made of, in order
    std::vector<std::vector<Intensity>> values;        ///< by channel, in order
};

/// `extent` in voxels, `spacing` in mm. The same generator state draws the same on every machine.
DrawnAugmentation drawAugmentation(std::span<const Augmentation> list, const Index3& extent,
                                   const std::array<double, 3>& spacing, std::size_t channels,
                                   std::mt19937_64& random);

/// Floats that applyIntensity needs beside the patch; no less than the patch has.
std::int64_t augmentScratch(const Index3& extent);
/// Changes a patch of finite values in place.
void applyIntensity(const Intensity& intensity, const Index3& extent, float* values, float* scratch);

}  // namespace highwater::volume
