def gamma(patch, exponent):
    """A power on the patch's range, mapped to 0..1 and back."""
    low, high = patch.min(), patch.max()
    return low + (high - low) * ((patch - low) / (high - low)) ** exponent if high > low else patch
