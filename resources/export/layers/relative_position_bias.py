class RelativePositionBias(nn.Module):
    """A learned value for each relative position in a window (arXiv 2103.14030). x is not read."""

    def __init__(self, window_size, num_heads, places=None, copy_index=False):
        super().__init__()
        rows = 1
        index = 0
        axes = [torch.arange(size) for size in window_size]
        for size, at in zip(window_size, torch.meshgrid(*axes, indexing="ij")):
            at = at.flatten()
            index = index * (2 * size - 1) + at[:, None] - at[None, :] + size - 1
            rows *= 2 * size - 1
        self.weight = nn.Parameter(0.02 * torch.randn(rows, num_heads))
        self.register_buffer("index", index, persistent=False)
        self.places, self.copy_index = places or len(index), copy_index

    def forward(self, x):
        n = self.places
        index = self.index.clone() if self.copy_index else self.index
        rows = self.weight[index[:n, :n].reshape(-1)]
        return rows.reshape(n, n, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
