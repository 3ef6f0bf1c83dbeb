def random_of(sample):
    """The n-th sample depends only on the seed and n, whichever worker makes it."""

    def mixed(z):
        z = (z + 0x9E3779B97F4A7C15) % 2**64
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return z ^ (z >> 31)

    return Random(mixed(mixed(SEED) ^ sample))
