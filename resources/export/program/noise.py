def noise(patch, sigma, seed):
    drawn = torch.randn(patch.shape, generator=torch.Generator().manual_seed(seed))
    return patch + sigma * drawn  # other values than Highwater draws, of the same distribution
