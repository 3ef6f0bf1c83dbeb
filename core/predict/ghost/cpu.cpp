#include "core/predict/ghost/attention.h"
#include "core/predict/ghost/ops.h"

namespace highwater::predict::ghost {

const DeviceOps& cpuOps() {
    static constexpr DeviceOps kOps{
        .conv = convCpu,
        .pad = pad,
        .norm = norm,
        .layerNorm = layerNorm,
        .activation = activation,
        .prelu = prelu,
        .pool = pool,
        .adaptivePool = adaptivePool,
        .linear = linear,
        .upsample = upsample,
        .dropout = dropout,
        .merge = merge,
        .attention = attention,
        .clone = clone,
        .loss = loss,
        .weigh = weigh,
        .join = join,
        .accumulate = accumulate,
        .arrive = arrive,
        .optimize = optimize,
        .generatorState = generatorStateCpu,
        .lookUp = lookUpCpu,
        .starts = nullptr,
        .scaled = nullptr,
    };
    return kOps;
}

}  // namespace highwater::predict::ghost
