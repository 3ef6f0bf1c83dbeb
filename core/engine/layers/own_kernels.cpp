#include "core/engine/layers/own_kernels.h"

#include <fmt/format.h>

namespace highwater::engine {

namespace {

#ifdef HIGHWATER_CUDA_KERNELS
constexpr bool kCudaKernels = true;
#else
constexpr bool kCudaKernels = false;
#endif

/// What to use instead of a layer that needs its own CUDA kernels; std::nullopt if it needs none.
std::optional<std::string_view> insteadOf(const stack::Op& op) {
    if (std::holds_alternative<stack::InplaceAbn>(op)) {
        return "use batch_norm and leaky_relu with inplace";
    }
    const auto* const custom = std::get_if<stack::CustomConv>(&op);
    if (custom != nullptr && custom->implementation == stack::CustomConv::Implementation::Fused) {
        return "use another `implementation` than \"fused\"";
    }
    return std::nullopt;
}

/// `number` counts the layers from 1, including blocks and the layers in them.
std::optional<std::string> firstMissing(const std::vector<stack::Layer>& layers, int& number) {
    for (const stack::Layer& layer : layers) {
        ++number;
        if (const auto instead = insteadOf(layer.op)) {
            return fmt::format(
                "this engine was built without nvcc: layer {} `{}` has no GPU kernels in it; {}, run on the "
                "CPU, or build the engine where nvcc is",
                number, stack::typeName(layer.op), *instead);
        }
        if (const auto* const block = std::get_if<stack::Block>(&layer.op)) {
            if (auto missing = firstMissing(block->layers, number)) {
                return missing;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> missingKernels(const std::vector<stack::Layer>& layers, const Device& device) {
    int number = 0;
    return !device.cuda || kCudaKernels ? std::nullopt : firstMissing(layers, number);
}

}  // namespace highwater::engine
