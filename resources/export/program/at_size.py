def at_size(target, size):
    """The target at the size of a head's output, by nearest neighbor."""
    for axis, wanted in enumerate(size, start=target.dim() - len(size)):
        given = target.size(axis)
        if given != wanted:
            places = (2 * torch.arange(wanted, device=target.device) + 1) * given // (2 * wanted)
            target = target.index_select(axis, places)
    return target
