#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/estimate.h"
#include "core/predict/tables/profile.h"

/// The time of a training step whose operators were recorded, of a script that Highwater knows nothing else
/// about.
namespace highwater::predict {

/// Equal operators of a step.
struct StepOperator {
    /// "convolution", "product" (matrix products and attention), "compiled" (a kernel written by Inductor),
    /// or a family of WalkOp that moves memory: "elementwise", "norm", "pool", "pool_backward", "upsample",
    /// "upsample_backward", "copy", "concat". Any other counts as "elementwise".
    std::string family;
    std::string type;         ///< in which it computes: "f32", "tf32", "f16", "bf16"
    std::string convolution;  ///< ConvKey::text(); empty for others
    double bytes = 0;         ///< that one of them reads and writes
    double operations = 0;    ///< of a product; a multiply-add counts as two
    double count = 1;         ///< how many there are, above 0
};

struct StepOperators {
    bool benchmark = false;       ///< torch.backends.cudnn.benchmark
    bool tf32Products = false;    ///< fp32 products may use TF32
    std::int64_t dispatches = 0;  ///< calls of operators, views included
    std::int64_t kernels = 0;     ///< launches of compiled code
    std::int64_t reads = 0;       ///< of values by the host, each of which waits for the device
    std::vector<StepOperator> operators;
};

struct StepTime {
    TimeEstimate device;  ///< the kernels, one after another
    TimeEstimate host;    ///< Python and PyTorch, which launch them
    TimeEstimate step;    ///< the longer of the two, since one works while the other does
    struct Part {
        std::string family;
        TimeEstimate ms;
    };
    std::vector<Part> parts;  ///< of `device`, the longest first
};

/// Convolutions and what moves memory: operatorTimes (roofline.h). Products: max(F / (P e), B / (W m), L)
/// with e from 0.4 to 0.9 (0.7) without tensor cores, from 0.12 to 0.75 (0.4) on them. `host`: the dispatches
/// times 5 to 30 us (11), which an H200's host took for scripts whose GPU waited. Not in it: loading of data,
/// transfers, NCCL. Error: a convolution's key is none.
base::Result<StepTime> stepTime(const StepOperators& step, const DeviceProfile& gpu, double dispatchUs = 11);

}  // namespace highwater::predict
