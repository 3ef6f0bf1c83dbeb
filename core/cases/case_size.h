#pragma once

#include <array>
#include <cstdint>

#include "core/stack/nnunet/inference.h"
#include "core/volume/volume.h"

/// The sizes that a scan passes through in nnU-Net's predictor.
namespace highwater::cases {

using Size = std::array<std::int64_t, 3>;  ///< D, H, W: the slowest axis first
using Spacing = std::array<double, 3>;     ///< mm, in the same order

/// The number of voxels; at most 2^61.
std::int64_t voxels(const Size& size);

/// How one array is resampled (determine_do_sep_z_and_axis in nnU-Net's default_resampling.py).
struct Resampling {
    int order = 3, orderZ = 0;
    int coarseAxis = -1;  ///< slices along this axis are resampled one by one, then along it; -1: all at once
    bool operator==(const Resampling&) const = default;
};

struct CaseSize {
    Size original{};           ///< of the scan, after nnU-Net's transposition
    Spacing spacing{};         ///< of the scan, in the same order
    Spacing target{};          ///< after resampling
    Size resampled{};          ///< compute_new_shape
    Size padded{};             ///< at least the patch (pad_nd_image)
    std::int64_t windows = 0;  ///< compute_steps_for_sliding_window; for 2d those of all slices
    Resampling data, probabilities;
};

/// `geometry` is the scan's. The scan is not cropped: nnU-Net removes borders that are 0 in all channels,
/// which a header does not tell, so sizes are upper bounds. `step` is the predictor's tile_step_size, 0 <
/// step <= 1. Error, one line: a size beyond 2^40 voxels, or more than kMostWindows windows.
base::Result<CaseSize> caseSize(const stack::NnunetInference& plan, const volume::Geometry& geometry,
                                double step = 0.5);

}  // namespace highwater::cases
