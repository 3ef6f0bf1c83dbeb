"""Will this PyTorch network, or this training script, fit on that GPU, and where do the bytes go?

    highwatermark.save(model, example_input, "net.json")
    print(highwatermark.predict(model, example_input, gpu="rtx4090"))

    highwatermark.watch(model, optimizer)                    # before the training loop: a run of Highwater, live
    python -m highwatermark run train.py                     # the same without changing a line
    python -m highwatermark run --pretend rtx3060 train.py   # on a pretended GPU

See docs/own-networks.md, docs/watch.md and docs/your-script.md of Highwater.
"""

from .errors import HighwaterError, Unsupported

__all__ = ["HighwaterError", "Peak", "Prediction", "Unsupported", "Watch", "assert_peak", "predict", "save", "watch"]


def __getattr__(name: str):
    """Imports PyTorch only on first use, because `run` leaves importing it to the script."""
    if name in ("Prediction", "predict", "save"):
        from . import api
        return getattr(api, name)
    if name in ("Peak", "assert_peak"):
        from . import gates
        return getattr(gates, name)
    if name in ("Watch", "watch"):
        from .watching import watch as watching
        return getattr(watching, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
