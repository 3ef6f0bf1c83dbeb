class PositionEmbedding(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(shape))

    def forward(self, x):
        return x + self.weight
