def window_starts(length, size, overlap):
    """Where windows begin along an axis: as few as cover it, evenly spaced."""
    way, step = length - size, max(1, int(size * (1 - overlap)))
    steps = -(-way // step)
    return [(2 * i * way + steps) // (2 * steps) for i in range(steps + 1)] if way > 0 else [0]
