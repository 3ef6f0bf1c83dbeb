#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/cudnn/library.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::cudnn {

/// A way to compute a convolution that cuDNN offers.
struct Plan {
    std::int64_t engine = 0;  ///< cuDNN's number of the algorithm
    base::Bytes workspace = 0;
    bool fallback = false;         ///< from the fallback list, which is asked when nothing else works
    std::vector<api::Note> notes;  ///< "numerical notes": tensor cores, Winograd, nondeterministic, ...
};

/// What cuDNN is asked for that part: the operation, its tensors' type, layout and sizes, and the
/// convolution, e.g. "forward fp16 channels_last x2,32,8,8,8 w64,32,3,3,3 y2,64,8,8,8 stride1,1,1
/// padding1,1,1 dilation1,1,1". (For tests, which compare it with what LibTorch asks.)
std::string operationText(const predict::GpuConvolution& convolution, predict::ConvPart part);

/// A GPU that need not be there, as cuDNN sees it.
class Asked {
public:
    /// `device` is predict::deviceForCudnn(). Error: cuDNN does not take the description, as it does not if
    /// it no longer (or not yet) supports the architecture.
    static base::Result<Asked> make(const Library& library, std::string device);

    /// Returns the plans that LibTorch would consider for one part of a convolution, in its order: those of
    /// the heuristics, then those of the fallback list, without those that it leaves out
    /// (aten/src/ATen/native/cudnn/ Conv_v8.cpp, filterEngineConfigs: inputs converted to a lesser type;
    /// nondeterministic ones if the run is deterministic; tensor cores for fp32 without TF32), and without
    /// those that cuDNN cannot build for the device. The list may be empty. Error: cuDNN refuses the
    /// convolution.
    base::Result<std::vector<Plan>> plansOf(const predict::GpuConvolution& convolution,
                                            predict::ConvPart part) const;

private:
    Asked(const Library& library, std::string device) : library_(&library), device_(std::move(device)) {}
    const Library* library_;
    std::string device_;
};

}  // namespace highwater::cudnn
