#include "core/layers/custom_conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

// The formulas are the engine's (core/engine/layers/custom_conv.h).
constexpr std::string_view kFixedKernel = R"(def fixed_kernel(kind, size):
    """A Gaussian, or the Laplacian of one: the same for every channel."""
    weight, curvature = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    for length in size:
        sigma = 0.3 * ((length - 1) / 2 - 1) + 0.8
        r = (torch.arange(length, dtype=torch.float64) - (length - 1) / 2) / sigma
        along = torch.exp(-r * r / 2)
        weight = weight.unsqueeze(-1) * (along / along.sum())
        curvature = curvature.unsqueeze(-1) + ((r * r - 1) / sigma**2 if length > 1 else 0 * r)
    if kind == "laplacian":
        weight = weight * curvature
        weight = weight - weight.mean()
        weight = weight / weight.abs().sum()
    return weight.float()
)";

constexpr std::string_view kCustomConv = R"(class CustomConv(nn.Module):
    """A learned 1x1 transform, then a fixed kernel in as many groups, then a bias."""

    def __init__(self, dims, channels, transform_channels, out_channels, kernel_size, kernel,
                 padding=0, bias=True):
        super().__init__()
        size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,) * dims
        self.convolve = (F.conv1d, F.conv2d, F.conv3d)[dims - 1]
        self.transform = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1](
            channels, transform_channels, 1, bias=False)
        self.behind = [0] * dims  # "same" of an even kernel needs one more place behind
        if padding == "same":
            self.behind = [(length - 1) % 2 for length in size]
            padding = tuple((length - 1) // 2 for length in size)
        self.padding = padding if isinstance(padding, tuple) else (padding,) * dims
        bound = 1 / math.prod(size) ** 0.5
        fixed = torch.empty(out_channels, 1, *size)
        if kernel == "random":
            fixed.uniform_(-bound, bound)
        else:
            fixed.copy_(fixed_kernel(kernel, size))
        self.register_buffer("kernel", fixed)
        self.bias = None
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels).uniform_(-bound, bound))

    def padded(self, x, before):
        pads = []
        for length, more in zip(reversed(before), reversed(self.behind)):
            pads += [length, length + more]
        return F.pad(x, pads) if any(pads) else x

    def forward(self, x):
        h = self.padded(self.transform(x), [0] * len(self.padding))
        groups = self.transform.out_channels
        return self.convolve(h, self.kernel, self.bias, padding=self.padding, groups=groups)
)";

constexpr std::string_view kNaive = R"(class NaiveCustomConv(CustomConv):
    """Every window as a view, times the kernel, summed."""

    def forward(self, x):
        windows, size = self.padded(self.transform(x), self.padding), self.kernel.shape[2:]
        for axis, length in enumerate(size):
            windows = windows.unfold(axis + 2, length, 1)
        groups, dims = self.transform.out_channels, len(size)
        kernel = self.kernel.to(windows.dtype).view(1, groups, -1, *[1] * dims, *size)
        places = tuple(range(dims + 3, 2 * dims + 3))
        sums = (windows.unsqueeze(2) * kernel).sum(places, dtype=windows.dtype).flatten(1, 2)
        if self.bias is None:
            return sums
        return sums + self.bias.to(windows.dtype).view(1, -1, *[1] * dims)
)";

constexpr std::string_view kCached = R"(class Composed(torch.autograd.Function):
    """The composed kernel as a function of the transform's weight."""

    @staticmethod
    def forward(ctx, weight, fixed, kernel):
        ctx.save_for_backward(fixed)
        ctx.shape = weight.shape
        return kernel.view_as(kernel)

    @staticmethod
    def backward(ctx, gradient):
        (fixed,) = ctx.saved_tensors
        groups, size = ctx.shape[0], fixed.shape[2:]
        products = gradient.reshape(groups, -1, ctx.shape[1], *size)
        products = products * fixed.view(groups, -1, 1, *size)
        return products.sum((1, *range(3, products.dim()))).view(ctx.shape), None, None


class CachedCustomConv(CustomConv):
    """One ordinary convolution; its kernel is made anew when the optimizer changed the weight."""

    made_of = None

    def forward(self, x):
        weight, size = self.transform.weight, self.kernel.shape[2:]
        if self.made_of != (weight.device, weight._version):
            with torch.no_grad():
                groups, channels = weight.shape[:2]
                parts = self.kernel.view(groups, -1, 1, *size)
                composed = weight.view(groups, 1, channels, *[1] * len(size)) * parts
                self.composed = composed.view(-1, channels, *size)
            self.made_of = (weight.device, weight._version)
        kernel = Composed.apply(weight, self.kernel, self.composed)
        x = self.padded(x, [0] * len(size))
        return self.convolve(x, kernel, self.bias, padding=self.padding)
)";

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
        return Error{fmt::format("out_channels {} is no multiple of transform_channels {}", op.outChannels,
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
    return {{kFixedKernel, [](const CustomConv& op) { return op.kernel != CustomConv::Kernel::Random; }},
            {kCustomConv, [](const CustomConv&) { return true; }},
            {kNaive, [](const CustomConv& op) { return isImplemented(op, Implementation::Naive); }},
            {kCached, [](const CustomConv& op) { return isImplemented(op, Implementation::Cached); }}};
}

}  // namespace highwater::stack
