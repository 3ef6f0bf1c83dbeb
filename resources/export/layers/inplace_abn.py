class InPlaceABNFunction(torch.autograd.Function):
    """Batch norm and an activation that overwrite x; backward needs only the result.

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
