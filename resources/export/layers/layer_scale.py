class LayerScale(nn.Module):
    """Learned factors (arXiv 2103.17239)."""

    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(torch.full(shape, 1e-6))

    def forward(self, x):
        return x * self.weight
