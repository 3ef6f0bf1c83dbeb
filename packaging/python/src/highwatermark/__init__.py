"""Will this PyTorch network, or this training script, fit on that GPU, and where do the bytes go?

    highwatermark.save(model, example_input, "net.json")
    print(highwatermark.predict(model, example_input, gpu="rtx4090"))

    python -m highwatermark run --pretend rtx3060 train.py

See docs/own-networks.md and docs/your-script.md of Highwater.
"""

from .errors import HighwaterError, Unsupported

__all__ = ["HighwaterError", "Prediction", "Unsupported", "predict", "save"]


def __getattr__(name: str):
    """What needs PyTorch imports it when it is first used: `run` leaves that to the script."""
    if name in ("Prediction", "predict", "save"):
        from . import api
        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
