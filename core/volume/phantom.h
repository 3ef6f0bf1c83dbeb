#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::volume {

/// A head as in a CT scan, computed from formulas: Hounsfield units with noise; skin, fat, muscle, skull with
/// diploe, brain with folds, ventricles (the left one larger), eyes, sinuses, jaw, teeth, spine, and a
/// calcified lesion on the patient's left. 192 x 192 x 160 voxels of 1.15 x 1.15 x 1.35 mm. The voxel axes go
/// from left to right, back to front, bottom to top ("RAS").
struct Phantom {
    Geometry geometry;
    std::vector<std::int16_t> voxels;
};

struct PhantomOptions {
    std::uint64_t seed = 1;  ///< seed of the noise and the folds; the same seed gives the same voxels
    std::array<std::int64_t, 3> size{192, 192, 160};  ///< the same head at another resolution; 8 to 1024 each
    std::function<void(double)> progress;             ///< called with 0 to 1, on the calling thread
    const std::atomic<bool>* cancel = nullptr;
};

/// Errors: "cancelled".
base::Result<Phantom> makePhantom(const PhantomOptions& options = {});

/// The lesion's center, in millimeters RAS.
inline constexpr std::array<double, 3> kPhantomLesion{-38, -14, 49};

}  // namespace highwater::volume
