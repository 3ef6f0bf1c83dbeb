class CustomConv(nn.Module):
    """A learned 1x1 transform, then a fixed kernel in as many groups, then a bias."""

    def __init__(self, dims, channels, transform_channels, out_channels, kernel_size, kernel,
                 padding=0, bias=True):
        super().__init__()
        size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,) * dims
        self.convolve = (F.conv1d, F.conv2d, F.conv3d)[dims - 1]
        self.transform = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1](
            channels, transform_channels, 1, bias=False)
        self.behind = [0] * dims  # "same" with an even kernel needs one more element at the end
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
