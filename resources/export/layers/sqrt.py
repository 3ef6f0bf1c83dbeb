class Sqrt(nn.Module):
    def forward(self, x):
        return x.sqrt()
