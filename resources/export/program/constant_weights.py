def window_weights(size):
    """What a window's output counts at each place: the same everywhere."""
    return torch.ones(size)
