def blur(patch, sigma):
    """A Gaussian blur, cut off at 3 sigma, with the edge repeated, axis by axis."""
    radius = max(1, math.ceil(3 * sigma))
    places = torch.arange(-radius, radius + 1, dtype=torch.float64)
    weights = torch.exp(-0.5 * (places / sigma) ** 2)
    weights = (weights / weights.sum()).float().view(1, 1, -1)
    for axis in range(3):
        if patch.size(axis) > 1:
            rows = patch.movedim(axis, -1)
            padded = F.pad(rows.reshape(-1, 1, rows.size(-1)), (radius, radius), mode="replicate")
            patch = F.conv1d(padded, weights).view(rows.shape).movedim(-1, axis)
    return patch
