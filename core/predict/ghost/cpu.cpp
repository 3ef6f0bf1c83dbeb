#include "core/predict/ghost/ops.h"

namespace highwater::predict::ghost {

const DeviceOps& cpuOps() {
    static constexpr DeviceOps kOps{
        convCpu,           pad,       norm,    activation, prelu, pool, adaptivePool, linear, upsample,
        dropout,           merge,     clone,   loss,       weigh, join, accumulate,   arrive, optimize,
        generatorStateCpu, lookUpCpu, nullptr, nullptr};
    return kOps;
}

}  // namespace highwater::predict::ghost
