def otsu(values):
    """Otsu's threshold, which separates background from foreground."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    if high == low:
        return low
    rows = values.reshape(-1, values.shape[-1])[:: max(1, values.size // 2**24)]
    rows = rows[np.isfinite(rows)].astype(np.float64)
    counts = np.bincount(np.minimum((rows - low) * (4096 / (high - low)), 4095).astype(np.int64),
                         minlength=4096)
    weight, sums = counts.cumsum(), (counts * np.arange(4096)).cumsum()
    rest = weight[-1] - weight
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = sums / weight - (sums[-1] - sums) / rest
        between = np.where((weight > 0) & (rest > 0), weight * rest * apart**2, -1.0)
    best = np.flatnonzero(between >= between.max() * (1 - 1e-12)) + 1
    return low + (best[0] + best[-1]) / 2 * (high - low) / 4096
