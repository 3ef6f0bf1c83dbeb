class ClassToken(nn.Module):
    """Learned tokens before those of the input (arXiv 2010.11929)."""

    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(shape))

    def forward(self, x):
        return torch.cat([self.weight.expand(x.shape[0], -1, -1), x], 1)
