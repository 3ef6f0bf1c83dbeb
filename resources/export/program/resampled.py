def resampled(source, center, space, size, mode, edge):
    """A patch of this size (k, j, i): position o shows center + space (o - middle), i, j, k."""
    axes = [torch.arange(n, dtype=torch.float64) - (n - 1) / 2 for n in size]
    k, j, i = torch.meshgrid(*axes, indexing="ij")
    places = torch.stack([i, j, k], dim=-1) @ torch.from_numpy(space).T + torch.tensor(center)
    last = torch.tensor(source.shape[::-1], dtype=torch.float64) - 1
    grid = (2 * places / last.clamp(min=1) - 1).float()
    source, grid = source[None, None], grid[None]
    return F.grid_sample(source, grid, mode, padding_mode=edge, align_corners=True)[0, 0]
