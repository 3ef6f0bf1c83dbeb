#pragma once

#include "core/base/units.h"
#include "core/cases/case_size.h"

/// The host memory that nnU-Net's predictor needs for one case, by the arrays that nnU-Net 2.8, scikit-image
/// 0.26, SciPy 1.17 and NumPy 2.4 allocate. Compared with what processes really used in docs/inference.md.
namespace highwater::cases {

/// What of the predictor's options changes host memory.
struct HostOptions {
    std::int64_t images = 1;    ///< channels of the scan
    std::int64_t channels = 1;  ///< of the network's input: with the labels of a previous stage
    std::int64_t heads = 2;     ///< channels of the logits
    std::int64_t patch = 0;     ///< voxels of a window
    bool regions = false;
    bool onDevice = true;        ///< perform_everything_on_device
    bool probabilities = false;  ///< save_probabilities
    int folds = 1;               ///< the logits of several networks are averaged
};

/// Bytes of arrays by phase, without the process's own. Each includes what is still held from before.
struct HostMemory {
    base::Bytes preprocessing =
        0;                      ///< DefaultPreprocessor.run_case: reading, normalizing, resampling the image
    base::Bytes windows = 0;    ///< predict_logits_from_preprocessed_data
    base::Bytes exporting = 0;  ///< export_prediction_from_logits: resampling the logits, argmax
    bool operator==(const HostMemory&) const = default;

    base::Bytes peak() const;
    const char* phase() const;  ///< "preprocessing", "windows", "export": where the peak is
};

/// The memory that resample_data_or_seg() allocates for `channels` channels, besides the array that it is
/// given: the result, of `item` bytes a voxel; a copy in float64 of all channels; and the temporaries of one
/// channel. 0 if the sizes are equal: the given array is returned.
base::Bytes resamplingMemory(std::int64_t channels, const Size& from, const Size& to, const Resampling& how,
                             base::Bytes item);

HostMemory hostMemory(const CaseSize& size, const HostOptions& options);

/// What Python, PyTorch for CUDA with its libraries and nnU-Net use beside a case, without the weights:
/// resident memory of a process with PyTorch 2.11 for CUDA 13 on a pretended GPU, when it exports. A driver's
/// own memory comes on top.
inline constexpr base::Bytes kProcess = 1000 * base::kMiB;

}  // namespace highwater::cases
