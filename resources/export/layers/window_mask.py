class WindowMask(nn.Module):
    """-100 for positions that only a shift made adjacent (arXiv 2103.14030). x is not read."""

    def __init__(self, size, window_size, shift_size):
        super().__init__()
        self.size, self.window_size, self.shift_size = size, window_size, shift_size

    def forward(self, x):
        axes = len(self.size)
        parts = []
        for size, window, shift in zip(self.size, self.window_size, self.shift_size):
            last, moved = size - window, size - (shift or window)
            parts.append((slice(0, last), slice(last, moved), slice(moved, size)))
        image = torch.zeros(1, *self.size, 1, device=x.device)
        for count, part in enumerate(itertools.product(*parts)):
            image[(slice(None), *part)] = count
        split = []
        for size, window in zip(self.size, self.window_size):
            split += [size // window, window]
        order = [0, *range(1, 2 * axes, 2), *range(2, 2 * axes + 1, 2), 2 * axes + 1]
        windows = image.view(1, *split, 1).permute(order).contiguous()
        windows = windows.view(-1, math.prod(self.window_size))
        mask = windows.unsqueeze(1) - windows.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        return mask.unsqueeze(1).unsqueeze(0)
