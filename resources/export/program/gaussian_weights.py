def window_weights(size):
    """The weight of a window's output at each position: a Gaussian, multiplied over the axes."""
    weights = torch.ones(())
    for length in size:
        places = torch.arange(length, dtype=torch.float64) - (length - 1) / 2
        along = torch.exp(-0.5 * (places / (length / 8)) ** 2)
        along = (along / along.max()).float().clamp(min=1e-3)
        weights = weights.unsqueeze(-1) * along
    return weights
