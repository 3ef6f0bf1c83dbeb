def window_weights(size):
    """The weight of a window's output at each position: the same everywhere."""
    return torch.ones(size)
