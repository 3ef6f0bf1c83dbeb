"""A small 3D U-Net and its training steps, for torch_check.py."""


def expect(what, is_, should):
    if is_ != should:
        raise SystemExit(f"{what}: is {is_}, should be {should}")


def unet(torch, norm, act, up, dropout):
    nn = torch.nn

    def block(i, o):
        parts = [nn.Conv3d(i, o, 3, padding=1), norm(o), act()]
        return nn.Sequential(*parts, *([dropout(0.1)] if dropout else []))

    def grow(i, o):
        if up == "transpose":
            return nn.ConvTranspose3d(i, o, 2, 2)
        return nn.Sequential(nn.Upsample(scale_factor=2, mode=up), nn.Conv3d(i, o, 1))

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.e1, self.e2, self.bottom = block(1, 16), block(16, 32), block(32, 64)
            self.u2, self.d2, self.u1, self.d1 = grow(64, 32), block(64, 32), grow(32, 16), block(32, 16)
            self.pool, self.out = nn.MaxPool3d(2), nn.Conv3d(16, 3, 1)

        def forward(self, x):
            a = self.e1(x)
            b = self.e2(self.pool(a))
            c = self.bottom(self.pool(b))
            d = self.d2(torch.cat([self.u2(c), b], 1))
            return self.out(self.d1(torch.cat([self.u1(d), a], 1)))

    return UNet().cuda()


def dice(torch, logits, labels):
    p = logits.softmax(1)
    t = torch.nn.functional.one_hot(labels, 3).movedim(-1, 1).float()
    overlap = (p * t).sum((2, 3, 4))
    return 1 - (2 * overlap / (p.sum((2, 3, 4)) + t.sum((2, 3, 4)) + 1e-5)).mean()


def train(torch, norm="InstanceNorm3d", act="LeakyReLU", up="transpose", dropout=None, loss="cross_entropy",
          optimizer="SGD", amp=None, channels_last=False, cudnn=True, benchmark=False):
    """Three steps; the peak of allocated memory, which the steps after the first must not raise."""
    nn, F = torch.nn, torch.nn.functional
    torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark = cudnn, benchmark
    net = unet(torch, getattr(nn, norm) if norm != "GroupNorm" else lambda c: nn.GroupNorm(4, c), getattr(nn, act), up,
               dropout and getattr(nn, dropout))
    x = torch.randn(2, 1, 32, 32, 32, device="cuda")
    labels = torch.zeros(2, 32, 32, 32, dtype=torch.long, device="cuda")
    if channels_last:
        net, x = net.to(memory_format=torch.channels_last_3d), x.to(memory_format=torch.channels_last_3d)
    options = {"lr": 0.1, "foreach": False} | ({"momentum": 0.9} if optimizer == "SGD" else {})
    step = getattr(torch.optim, optimizer)(net.parameters(), **options)
    scaler = torch.amp.GradScaler("cuda", enabled=amp == "float16")
    peaks = []
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        step.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=getattr(torch, amp or "float16"), enabled=amp is not None):
            out = net(x).float()
            value = {"cross_entropy": lambda: F.cross_entropy(out, labels), "dice": lambda: dice(torch, out, labels),
                     "mse": lambda: F.mse_loss(out, torch.zeros_like(out))}[loss]()
        scaler.scale(value).backward()
        scaler.step(step)
        scaler.update()
        value.item()
        del out, value
        peaks.append(torch.cuda.max_memory_allocated())
    expect("parameters without a gradient", [n for n, p in net.named_parameters() if p.grad is None], [])
    expect("peak of the third step", peaks[2], peaks[1])
