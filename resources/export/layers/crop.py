class Crop(nn.Module):
    def __init__(self, start, size):
        super().__init__()
        self.start, self.size = start, size

    def forward(self, x):
        for axis, (start, size) in enumerate(zip(self.start, self.size), 2):
            x = x.narrow(axis, start, size)
        return x
