class Reduce(nn.Module):
    def __init__(self, function, dim, keepdim, **options):
        super().__init__()
        self.function, self.dim, self.keepdim, self.options = function, dim, keepdim, options

    def forward(self, x):
        return self.function(x, dim=self.dim, keepdim=self.keepdim, **self.options)
