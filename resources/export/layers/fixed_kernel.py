def fixed_kernel(kind, size):
    """A Gaussian, or the Laplacian of one: the same for every channel."""
    weight, curvature = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    for length in size:
        sigma = 0.3 * ((length - 1) / 2 - 1) + 0.8
        r = (torch.arange(length, dtype=torch.float64) - (length - 1) / 2) / sigma
        along = torch.exp(-r * r / 2)
        weight = weight.unsqueeze(-1) * (along / along.sum())
        curvature = curvature.unsqueeze(-1) + ((r * r - 1) / sigma**2 if length > 1 else 0 * r)
    if kind == "laplacian":
        weight = weight * curvature
        weight = weight - weight.mean()
        weight = weight / weight.abs().sum()
    return weight.float()
