"""Functions of packages that fail on a device whose memory reads as zero, because a size in them depends on values. They are
computed on the host; the result is copied to the device.
"""
import functools
import sys


def gaussian_on_host():
    """nnU-Net's weights of a window: the minimum of those above zero, of which a pretended device has none."""
    module = sys.modules["nnunetv2.inference.sliding_window_prediction"]
    computed = getattr(module.compute_gaussian, "__wrapped__", module.compute_gaussian)

    @functools.lru_cache(maxsize=2)
    @functools.wraps(computed)
    def compute_gaussian(*arguments, device=None, **named):
        import torch
        made = computed(*arguments, device=torch.device("cpu"), **named)
        return made.to(device if device is not None else torch.device("cuda", 0))

    module.compute_gaussian = compute_gaussian


# A module, and what is called once it has been imported.
ON_HOST = {"nnunetv2.inference.sliding_window_prediction": gaussian_on_host}
