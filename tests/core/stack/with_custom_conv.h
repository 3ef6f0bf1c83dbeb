#pragma once

#include <random>

#include "core/stack/experiment.h"

namespace highwater::stack::testing {

/// Replaces convolutions by a custom_conv where possible, with any implementation and kernel; at least the
/// first one. The same seed gives the same result for the same layers. Shapes stay the same.
class WithCustomConv {
public:
    explicit WithCustomConv(std::uint64_t seed) : random_(seed) {}

    void replace(std::vector<Layer>& layers) {
        for (Layer& layer : layers) {
            if (auto* const block = std::get_if<Block>(&layer.op)) {
                replace(block->layers);
            } else if (const auto* const conv = std::get_if<Conv>(&layer.op);
                       conv && canBe(*conv) && wanted()) {
                layer.op = customOf(*conv);
            }
        }
    }
    int replaced() const { return replaced_; }

private:
    bool wanted() { return replaced_ == 0 || random_() % 3 != 0; }

    static bool canBe(const Conv& conv) {
        return conv.groups == 1 && conv.paddingMode == PaddingMode::Zeros && conv.stride == Sizes{1} &&
               conv.dilation == Sizes{1};
    }

    CustomConv customOf(const Conv& conv) {
        ++replaced_;
        CustomConv made;
        made.dims = conv.dims;
        made.outChannels = conv.outChannels;
        made.kernelSize = conv.kernelSize;
        made.padding = conv.padding;
        made.bias = conv.bias;
        do {
            made.transformChannels = 1 + static_cast<std::int64_t>(random_() % 12);
        } while (conv.outChannels % made.transformChannels != 0);
        made.implementation = static_cast<CustomConv::Implementation>(random_() % 4);
        made.kernel = random_() % 2 == 0        ? CustomConv::Kernel::Random
                      : conv.kernelSize[0] >= 3 ? CustomConv::Kernel::Laplacian
                                                : CustomConv::Kernel::Gaussian;
        return made;
    }

    std::mt19937_64 random_;
    int replaced_ = 0;
};

}  // namespace highwater::stack::testing
