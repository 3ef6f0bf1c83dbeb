#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/nnunet/nnunet.h"

/// What nnU-Net's predictor needs to know of a plans file.
namespace highwater::stack {

/// How nnU-Net resamples: the arguments of resample_data_or_seg_to_shape (preprocessing/resampling).
struct NnunetResampling {
    int order = 3, orderZ = 0;      ///< orders of the splines, in general and along a coarse axis
    std::optional<bool> separateZ;  ///< std::nullopt: where the spacing is anisotropic
    std::string function;           ///< its name
    bool operator==(const NnunetResampling&) const = default;
    /// False: another function than the one whose memory is known.
    bool known() const { return function == "resample_data_or_seg_to_shape"; }
};

struct NnunetInference {
    NnunetImport network;         ///< batch 1, without deep supervision
    std::string configuration;    ///< "3d_fullres"
    std::int64_t images = 1;      ///< channels of the scan, without those of a previous stage
    std::int64_t heads = 2;       ///< channels of the logits
    bool regions = false;         ///< overlapping labels: a sigmoid instead of an argmax
    bool cascade = false;         ///< needs the segmentation of a previous stage
    std::vector<double> spacing;  ///< mm; 3 values in the order after `transpose`, or 2 for 2d
    /// Axis i of the resampled data is axis transpose[i] of the scan, both counted from the slowest (k, j,
    /// i).
    std::array<int, 3> transpose{0, 1, 2};
    NnunetResampling data, probabilities;
};

/// Reads a plans file, or the folder of a trained model (plans.json and dataset.json).
/// `options.configuration` may be empty: for such a folder the one in its name
/// ("TRAINER__PLANS__3d_fullres"), otherwise the only one, otherwise 3d_fullres. Errors, one line: as
/// importNnunetFile; a spacing that is not positive; a folder without plans.
base::Result<NnunetInference> readNnunetInference(const std::filesystem::path& plans, NnunetOptions options);

}  // namespace highwater::stack
