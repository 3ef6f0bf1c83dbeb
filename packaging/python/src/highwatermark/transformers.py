"""A callback for Hugging Face's Trainer: Trainer(..., callbacks=[highwatermark.transformers.WatchCallback()])."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from .watching.watch import watch


class WatchCallback(TrainerCallback):
    """Watches `train`. `options` are those of highwatermark.watch; the default name is the model's class."""

    def __init__(self, **options: Any):
        self._options = options
        self.watch: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **_: Any) -> None:
        # Accelerate wraps PyTorch's optimizer, whose steps are counted.
        self.watch = watch(model, getattr(optimizer, "optimizer", optimizer), **{"name": type(model).__name__, **self._options})

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.watch is not None:
            self.watch.close()
