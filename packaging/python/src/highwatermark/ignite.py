"""A handler for Ignite's engines, and thus for MONAI's trainers: SupervisedTrainer(..., train_handlers=[WatchHandler(net, optimizer)])."""

from __future__ import annotations

from typing import Any

from ignite.engine import Engine, Events

from .watching.watch import watch


class WatchHandler:
    """Watches a run of the engine that it is attached to. `options` are those of highwatermark.watch."""

    def __init__(self, model: Any = None, optimizer: Any = None, **options: Any):
        self._model, self._optimizer, self._options = model, optimizer, options
        self.watch: Any = None

    def attach(self, engine: Engine) -> None:
        # No exception handler: an engine that has one no longer raises. The watch is closed at the end of the script instead.
        engine.add_event_handler(Events.STARTED, self._begin)
        engine.add_event_handler(Events.COMPLETED, self._end)

    def _begin(self, engine: Engine) -> None:
        model = self._model if self._model is not None else getattr(engine, "network", None)
        optimizer = self._optimizer if self._optimizer is not None else getattr(engine, "optimizer", None)
        self.watch = watch(model, optimizer, **self._options)

    def _end(self, engine: Engine) -> None:
        if self.watch is not None:
            self.watch.close()
