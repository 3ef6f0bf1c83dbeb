class Affine(nn.Module):
    """Learned factors and terms (arXiv 2105.03404)."""

    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape))
        self.bias = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return torch.addcmul(self.bias, self.weight, x)
