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
    """An ordinary convolution; its kernel is recomputed if the optimizer changed the weight."""

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
