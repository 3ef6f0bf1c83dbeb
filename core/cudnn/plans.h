#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/cudnn/library.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::cudnn {

/// A plan that cuDNN offers for a convolution.
struct Plan {
    std::int64_t engine = 0;  ///< cuDNN's engine number
    base::Bytes workspace = 0;
    bool fallback = false;         ///< from the fallback list, which is used when nothing else works
    std::vector<api::Note> notes;  ///< "numerical notes": tensor cores, Winograd, nondeterministic, ...
};

/// The query to cuDNN for that part: the operation, its tensors' type, layout and sizes, and the convolution,
/// e.g. "forward fp16 channels_last x2,32,8,8,8 w64,32,3,3,3 y2,64,8,8,8 stride1,1,1 padding1,1,1
/// dilation1,1,1". (For tests, which compare it with LibTorch's query.)
std::string operationText(const predict::GpuConvolution& convolution, predict::ConvPart part);

/// cuDNN's description of a GPU, which need not be present.
class Asked {
public:
    /// `device` is predict::deviceForCudnn(). Error: cuDNN rejects the description, for example because it
    /// does not support the architecture.
    static base::Result<Asked> make(const Library& library, std::string device);

    /// Returns the plans that LibTorch would consider for one part of a convolution, in its order: the
    /// heuristics' plans, then the fallback list, without those that LibTorch filters out
    /// (aten/src/ATen/native/cudnn/ Conv_v8.cpp, filterEngineConfigs: inputs converted to a lower precision;
    /// nondeterministic ones if the run is deterministic; tensor cores for fp32 without TF32), and without
    /// those that cuDNN cannot build for the device. The list may be empty. Error: cuDNN rejects the
    /// convolution.
    base::Result<std::vector<Plan>> plansOf(const predict::GpuConvolution& convolution,
                                            predict::ConvPart part) const;

private:
    Asked(const Library& library, std::string device) : library_(&library), device_(std::move(device)) {}
    const Library* library_;
    std::string device_;
};

}  // namespace highwater::cudnn
