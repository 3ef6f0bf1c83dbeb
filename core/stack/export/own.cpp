#include <algorithm>

#include "core/stack/export/parts.h"

/// Layers that PyTorch does not have, written in Python. The formulas are the engine's
/// (core/engine/layers/custom_conv.h, core/engine/kernels/abn.h).
namespace highwater::stack::python {

namespace {

constexpr const char* kFixedKernel = R"(def fixed_kernel(kind, size):
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

constexpr const char* kCustomConv = R"(class CustomConv(nn.Module):
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

constexpr const char* kNaive = R"(

class NaiveCustomConv(CustomConv):
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

constexpr const char* kCached = R"(

class Composed(torch.autograd.Function):
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

constexpr const char* kAbn = R"(class InPlaceABNFunction(torch.autograd.Function):
    """Batch norm and an activation written over x; backward finds all it needs in the result.

    Rota Bulo et al., 2018 (arXiv 1712.02616). A slope of None is ELU.
    """

    @staticmethod
    def forward(ctx, x, weight, bias, mean, invstd, eps, slope):
        ctx.across = (1, -1) + (1,) * (x.dim() - 2)
        scale = (weight.abs() + eps) * invstd
        x.sub_(mean.view(ctx.across)).mul_(scale.view(ctx.across)).add_(bias.view(ctx.across))
        if slope is None:
            F.elu_(x)
        else:
            F.leaky_relu_(x, slope)
        ctx.eps, ctx.slope = eps, slope
        ctx.mark_dirty(x)
        ctx.save_for_backward(x, weight, bias, invstd)
        return x

    @staticmethod
    def backward(ctx, dz):
        z, weight, bias, invstd = ctx.saved_tensors
        gamma, positive = weight.abs() + ctx.eps, z >= 0
        if ctx.slope is None:
            xhat = torch.where(positive, z, torch.log1p(z))
            dy = torch.where(positive, dz, dz * (z + 1))
        else:
            xhat = torch.where(positive, z, z / ctx.slope)
            dy = torch.where(positive, dz, dz * ctx.slope)
        xhat.sub_(bias.view(ctx.across)).div_(gamma.view(ctx.across))
        dims, count = [0, *range(2, z.dim())], z.numel() // z.size(1)
        dbias, dgamma = dy.sum(dims), (dy * xhat).sum(dims)
        dy.sub_((dbias / count).view(ctx.across))
        dy.sub_(xhat.mul_((dgamma / count).view(ctx.across)))
        dx = dy.mul_((gamma * invstd).view(ctx.across))
        return dx, torch.where(weight < 0, -dgamma, dgamma), dbias, None, None, None, None


class InPlaceABN(nn.Module):
    def __init__(self, channels, eps=1e-5, activation="leaky_relu", negative_slope=0.01,
                 momentum=0.1):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.eps, self.momentum = eps, momentum
        self.slope = None if activation == "elu" else negative_slope

    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            with torch.no_grad():
                var, mean = torch.var_mean(x.float(), [0, *range(2, x.dim())], unbiased=False)
                count = x.numel() // x.size(1)
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(var * (count / max(count - 1, 1)), self.momentum)
        invstd = (var + self.eps).rsqrt()
        return InPlaceABNFunction.apply(
            x, self.weight, self.bias, mean, invstd, self.eps, self.slope)
)";

constexpr const char* kPad = R"(class Pad(nn.Module):
    def __init__(self, padding, mode="constant", value=0.0):
        super().__init__()
        self.padding, self.mode, self.value = padding, mode, value

    def forward(self, x):
        if self.mode == "constant":
            return F.pad(x, self.padding, value=self.value)
        return F.pad(x, self.padding, mode=self.mode)
)";

constexpr const char* kCrop = R"(class Crop(nn.Module):
    def __init__(self, start, size):
        super().__init__()
        self.start, self.size = start, size

    def forward(self, x):
        for axis, (start, size) in enumerate(zip(self.start, self.size), 2):
            x = x.narrow(axis, start, size)
        return x
)";

constexpr const char* kScale = R"(class Scale(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, x):
        return x * self.value
)";

}  // namespace

std::string ownModules(const Program& program) {
    const auto uses = [&](auto matches) {
        return std::any_of(program.steps.begin(), program.steps.end(),
                           [&](const ProgramStep& step) { return matches(*step.op); });
    };
    const auto custom = [&](auto matches) {
        return uses([&](const Op& op) {
            const auto* const conv = std::get_if<CustomConv>(&op);
            return conv != nullptr && matches(*conv);
        });
    };
    using Implementation = CustomConv::Implementation;
    const auto implemented = [&](Implementation which) {
        return custom([&](const CustomConv& conv) { return conv.implementation == which; });
    };
    std::string text;
    if (custom([](const CustomConv& conv) { return conv.kernel != CustomConv::Kernel::Random; })) {
        text += kFixedKernel;
    }
    if (custom([](const CustomConv&) { return true; })) {
        text += kCustomConv;
    }
    if (implemented(Implementation::Naive)) {
        text += kNaive;
    }
    if (implemented(Implementation::Cached)) {
        text += kCached;
    }
    const auto addIf = [&](bool used, const char* its) {
        if (used) {
            text += (text.empty() ? "" : "\n\n") + std::string(its);
        }
    };
    addIf(uses([](const Op& op) { return std::holds_alternative<InplaceAbn>(op); }), kAbn);
    addIf(uses([](const Op& op) { return std::holds_alternative<Pad>(op); }), kPad);
    addIf(uses([](const Op& op) { return std::holds_alternative<Crop>(op); }), kCrop);
    addIf(uses([](const Op& op) { return typeName(op) == "scale"; }), kScale);
    for (const std::string& its : tensorModules(program)) {
        addIf(true, its.c_str());
    }
    return text;
}

}  // namespace highwater::stack::python
