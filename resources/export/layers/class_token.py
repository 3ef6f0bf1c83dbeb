class ClassToken(nn.Module):
    """Learned tokens before those of the input (arXiv 2010.11929)."""

    def __init__(self, *shape, tokens=()):
        super().__init__()
        self.weights = nn.ParameterList(
            nn.Parameter(0.02 * torch.randn(1, count, shape[2])) for count in tokens or shape[1:2])

    def forward(self, x):
        repeated = [weight.expand(x.shape[0], -1, -1) for weight in self.weights]
        return torch.cat([*repeated, x], 1)
