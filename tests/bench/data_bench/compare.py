#!/usr/bin/env python3
"""compare.py AUGMENT_BENCH: augmentation of one core, against MONAI and TorchIO on the same changes.

AUGMENT_BENCH is the built program. Libraries that are not installed are said and left out:
`pip install monai torchio` (with any PyTorch) brings them. Processor time, the quickest of several runs.
"""
import subprocess
import sys
import time


def table_of(program):
    rows = {}
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()[1:]:
        side, name, ms = line.split()[:3]
        rows[int(side), name] = float(ms)
    return rows


def quickest_ms(change, seconds=1.0):
    best, start, runs = 1e9, time.process_time(), 0
    while runs < 3 or time.process_time() - start < seconds:
        before = time.process_time()
        change()
        best = min(best, time.process_time() - before)
        runs += 1
    return best * 1000


def monai_changes():
    import monai
    import monai.transforms as t
    monai.data.set_track_meta(False)
    angles, zoom = (0.1, 0.15, 0.2), 1.1
    affine = dict(padding_mode="border", mode="bilinear", image_only=True)
    flip, turn = t.Flip(spatial_axis=(0, 1, 2)), t.Rotate90(k=1, spatial_axes=(0, 2))
    noise, blur = t.RandGaussianNoise(prob=1, std=0.1, sample_std=False), t.GaussianSmooth(sigma=1)
    bright, gamma = t.ScaleIntensity(factor=0.2, minv=None, maxv=None), t.AdjustContrast(gamma=1.2)
    both = t.Affine(rotate_params=angles, scale_params=(zoom,) * 3, **affine)
    return {
        "flip": flip,
        "rotate90": turn,
        "rotate": t.Affine(rotate_params=angles, **affine),
        "scale": t.Affine(scale_params=(zoom,) * 3, **affine),
        "rotate+scale": both,
        "noise": noise,
        "blur": blur,
        "brightness": bright,
        "gamma": gamma,
        "all": t.Compose([flip, turn, both, noise, blur, bright, gamma]),
    }


def torchio_changes():
    import torchio as t
    both = t.RandomAffine(scales=(0.8, 1.2), degrees=15, default_pad_value="minimum", p=1)
    flip, noise = t.RandomFlip(axes=(0, 1, 2), flip_probability=1), t.RandomNoise(std=(0.1, 0.1))
    blur, gamma = t.RandomBlur(std=(1, 1)), t.RandomGamma()
    return {
        "flip": flip,
        "rotate": t.RandomAffine(scales=(1, 1), degrees=15, p=1),
        "scale": t.RandomAffine(scales=(0.8, 1.2), degrees=0, p=1),
        "rotate+scale": both,
        "noise": noise,
        "blur": blur,
        "gamma": gamma,
        "all": t.Compose([flip, both, noise, blur, gamma]),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ours = table_of(sys.argv[1])
    try:
        import torch
    except ImportError:
        sys.exit("compare.py: PyTorch is not installed; `pip install torch monai torchio` brings all that is compared")
    torch.set_num_threads(1)
    print(f"{'side':>5} {'augmentation':<13} {'library':<9} {'theirs ms':>10} {'ours ms':>9} {'ratio':>7}")
    for name, load in (("MONAI", monai_changes), ("TorchIO", torchio_changes)):
        try:
            changes = load()
        except ImportError as missing:
            print(f"{name} is left out: {missing}; `pip install {name.lower()}` brings it", file=sys.stderr)
            continue
        for side in (64, 128):
            patch = torch.randn(1, side, side, side)
            for what, change in changes.items():
                try:
                    theirs = quickest_ms(lambda: change(patch))
                except Exception as error:  # a release that wants other arguments
                    print(f"{name} {what} is left out: {error}", file=sys.stderr)
                    continue
                mine = ours[side, what]
                print(f"{side:>5} {what:<13} {name:<9} {theirs:>10.3f} {mine:>9.3f} {theirs / mine:>7.1f}")


if __name__ == "__main__":
    main()
