"""A callback for Lightning: Trainer(callbacks=[highwatermark.lightning.WatchCallback()])."""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback  # the same under its older name

from .watching.watch import watch


class WatchCallback(Callback):
    """Watches `fit`. `options` are those of highwatermark.watch; the default name is the module's class."""

    def __init__(self, **options: Any):
        self._options = options
        self.watch: Any = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        optimizers = trainer.optimizers
        self.watch = watch(pl_module, optimizers[0] if optimizers else None, **{"name": type(pl_module).__name__, **self._options})

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        if self.watch is not None:
            self.watch.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.watch is not None:
            self.watch.close(exception)
