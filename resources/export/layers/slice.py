class Slice(nn.Module):
    def __init__(self, dim, start, end, step):
        super().__init__()
        self.dim, self.places = dim, (start, end, step)

    def forward(self, x):
        return torch.ops.aten.slice(x, self.dim, *self.places)
