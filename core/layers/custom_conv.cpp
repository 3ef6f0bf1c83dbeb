#include "core/layers/custom_conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layers/rules.h"
#include "texts/layers_texts.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

// The formulas are those of the engine (core/engine/layers/custom_conv.h).

bool isImplemented(const CustomConv& op, CustomConv::Implementation implementation) {
    return op.implementation == implementation;
}

}  // namespace

Result<LayerRule> About<CustomConv>::rule(const CustomConv& op, const Shape& input, bool) {
    if (auto error = outside("transform_channels", op.transformChannels, 1, kMostSize)) {
        return *error;
    }
    static const Sizes one = {1};
    auto output =
        slide({op.dims, op.kernelSize, one, one, op.padding, PaddingMode::Zeros}, input, op.outChannels);
    if (!output) {
        return output.error();
    }
    if (op.outChannels % op.transformChannels != 0) {
        return Error{fmt::format("out_channels {} is not a multiple of transform_channels {}", op.outChannels,
                                 op.transformChannels)};
    }
    const bool small =
        std::all_of(op.kernelSize.begin(), op.kernelSize.end(), [](std::int64_t size) { return size < 3; });
    if (op.kernel == CustomConv::Kernel::Laplacian && small) {
        return Error{"kernel \"laplacian\" needs a kernel_size of 3 or more along an axis"};
    }
    Shape between = input;
    between[1] = op.transformChannels;
    if (const auto bytes = tensorBytes(between, 4, "the transform's output"); !bytes) {
        return bytes.error();
    }
    const auto fixedKernel = weightCount({op.outChannels}, op.kernelSize, dimsOf(input));
    const auto transform = weightCount({op.transformChannels, input[1]}, one, dimsOf(input));
    if (!fixedKernel || !transform) {
        return fixedKernel ? transform.error() : fixedKernel.error();
    }
    return LayerRule{std::move(*output), *transform + (op.bias ? op.outChannels : 0)};
}

void About<CustomConv>::words(const CustomConv& op, Words& w) {
    w.addIf(!w.brief, fmt::format("{} channels", op.outChannels));
    w.addKernel(op.kernelSize, op.dims);
    if (w.brief) {
        return w.addPadding(op.padding);
    }
    w.add(fmt::format("{} transform channels", op.transformChannels));
    w.add(std::string(wordOf(kernels, op.kernel)));
    w.addPadding(op.padding);
    w.addIf(!op.bias, "no bias");
    std::string way(wordOf(implementations, op.implementation));
    std::replace(way.begin(), way.end(), '_', '-');
    w.add(std::move(way));
}

python::Module About<CustomConv>::module(const CustomConv& op, const python::Place& at) {
    constexpr const char* kClasses[] = {"NaiveCustomConv", "CustomConv", "CachedCustomConv", "CustomConv"};
    python::Module made{kClasses[static_cast<int>(op.implementation)]};
    made.addAll({at.dims, at.channels, op.transformChannels, op.outChannels});
    made.add(python::sizes(op.kernelSize)).add(fmt::format("\"{}\"", wordOf(kernels, op.kernel)));
    made.add(op.padding, PaddingMode::Zeros).add("bias", op.bias, true);
    if (op.implementation == CustomConv::Implementation::Fused) {
        made.remark = "in two steps: PyTorch has no fused kernel";
    }
    return made;
}

std::vector<python::Source<CustomConv>> About<CustomConv>::sources() {
    using Implementation = CustomConv::Implementation;
    return {
        {texts::fixed_kernel, [](const CustomConv& op) { return op.kernel != CustomConv::Kernel::Random; }},
        {texts::custom_conv, [](const CustomConv&) { return true; }},
        {texts::naive_custom_conv,
         [](const CustomConv& op) { return isImplemented(op, Implementation::Naive); }},
        {texts::cached_custom_conv,
         [](const CustomConv& op) { return isImplemented(op, Implementation::Cached); }}};
}

}  // namespace highwater::stack
