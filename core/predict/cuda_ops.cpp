#include "core/predict/ghost_ops.h"

namespace highwater::predict::ghost {

/// What a GPU runs otherwise than the CPU takes its place here, operator by operator.
const DeviceOps& cudaOps() {
    return cpuOps();
}

}  // namespace highwater::predict::ghost
