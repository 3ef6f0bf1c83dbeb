def reoriented(patch, space):
    """A patch (k, j, i) with its axes permuted and mirrored according to `space` (i, j, k)."""
    order = [2 - int(np.abs(space[:, 2 - axis]).argmax()) for axis in range(3)]
    mirrored = [axis for axis in range(3) if space[:, 2 - axis].sum() < 0]
    return patch.permute(order).flip(mirrored)
