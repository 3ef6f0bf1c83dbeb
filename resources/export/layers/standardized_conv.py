class StandardizedConv(nn.Module):
    """Standardized weights (arXiv 1903.10520), with learned factors if scaled (2101.08692)."""

    def __init__(self, convolution, *arguments, scaled=False, **options):
        super().__init__()
        self.convolution = convolution(*arguments, **options)
        weight = self.convolution.weight
        self.gain, self.scale = None, weight[0].numel() ** -0.5
        if scaled:
            self.gain = nn.Parameter(torch.ones(weight.shape[0], *[1] * (weight.dim() - 1)))

    def forward(self, x):
        weight = self.convolution.weight
        gain = None if self.gain is None else (self.gain * self.scale).view(-1)
        rows = weight.reshape(1, weight.shape[0], -1)
        rows = F.batch_norm(rows, None, None, gain, training=True, momentum=0.0, eps=1e-6)
        return self.convolution._conv_forward(x, rows.reshape(weight.shape), self.convolution.bias)
