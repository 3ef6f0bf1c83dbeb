#include "core/engine/own_kernels.h"

#include <fmt/format.h>

namespace highwater::engine {

namespace {

#ifdef HIGHWATER_CUDA_KERNELS
constexpr bool kCudaKernels = true;
#else
constexpr bool kCudaKernels = false;
#endif

/// What to use where the GPU lacks the layer's kernels; nothing: it needs none.
std::optional<std::string_view> insteadOf(const stack::LayerInfo& layer) {
    if (layer.type == "inplace_abn")
        return "use batch_norm and leaky_relu with inplace";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> missingKernels(const stack::StackInfo& info, const Device& device) {
    if (!device.cuda || kCudaKernels)
        return std::nullopt;
    for (std::size_t i = 0; i < info.layers.size(); ++i)
        if (const auto instead = insteadOf(info.layers[i]))
            return fmt::format(
                "this engine was built without nvcc: layer {} `{}` has no GPU kernels in it; {}, run on the "
                "CPU, "
                "or build the engine where nvcc is",
                i + 1, info.layers[i].type, *instead);
    return std::nullopt;
}

}  // namespace highwater::engine
