class StochasticDepth(nn.Module):
    """Sets samples to zero, or the whole batch (arXiv 1603.09382)."""

    def __init__(self, p, mode="row", scale_by_keep=True):
        super().__init__()
        self.p, self.mode, self.scale_by_keep = p, mode, scale_by_keep

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        samples = x.shape[0] if self.mode == "row" else 1
        noise = x.new_empty([samples] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)
        if self.scale_by_keep and self.p < 1:
            noise.div_(1 - self.p)
        return x * noise
