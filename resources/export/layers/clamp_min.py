class ClampMin(nn.Module):
    def __init__(self, low):
        super().__init__()
        self.low = low

    def forward(self, x):
        return x.clamp_min(self.low)
