"""A handler for ignite's engines, so for MONAI's trainers too: SupervisedTrainer(..., train_handlers=[WatchHandler(net, optimizer)])."""

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
        # An engine with a handler of exceptions raises none itself. So there is none: the end of the script closes the watch.
        engine.add_event_handler(Events.STARTED, self._begin)
        engine.add_event_handler(Events.COMPLETED, self._end)

    def _begin(self, engine: Engine) -> None:
        model = self._model if self._model is not None else getattr(engine, "network", None)
        optimizer = self._optimizer if self._optimizer is not None else getattr(engine, "optimizer", None)
        self.watch = watch(model, optimizer, **self._options)

    def _end(self, engine: Engine) -> None:
        if self.watch is not None:
            self.watch.close()
