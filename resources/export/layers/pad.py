class Pad(nn.Module):
    def __init__(self, padding, mode="constant", value=0.0):
        super().__init__()
        self.padding, self.mode, self.value = padding, mode, value

    def forward(self, x):
        if self.mode == "constant":
            return F.pad(x, self.padding, value=self.value)
        return F.pad(x, self.padding, mode=self.mode)
