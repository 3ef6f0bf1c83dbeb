def noise(patch, sigma, seed):
    drawn = torch.randn(patch.shape, generator=torch.Generator().manual_seed(seed))
    return patch + sigma * drawn  # not the values that Highwater draws, but the same distribution
