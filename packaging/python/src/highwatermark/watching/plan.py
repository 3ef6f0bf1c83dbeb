"""What is known of a run before it begins: nothing of a script's own, everything of an experiment's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


class OverBudget(Exception):
    """Ends a run whose tensors take more than they may."""


@dataclass(frozen=True)
class Plan:
    """`layers`: as a result has them (core/wire: LayerCost), in the experiment's order, each with the module that stands for it, ""
    where none does, and the index of the block around it, or -1. None: the model's own modules are the layers."""

    steps: int = 0  # measured ones; 0: not known
    warmup: int = 1
    layers: Optional[list[dict[str, Any]]] = None
    predicted: Optional[dict[str, Any]] = None
    keeps_trace: bool = True

    @property
    def of_experiment(self) -> bool:
        return self.layers is not None

    def modules(self) -> Optional[list[str]]:
        return None if self.layers is None else [layer["module"] for layer in self.layers]

    def costs(self) -> list[dict[str, Any]]:
        """The layers, of which nothing is measured yet."""
        return [{"name": layer["name"], "type": layer["type"], "output_shape": layer["output_shape"], "parameters": layer["parameters"],
                 "activation_bytes": 0, "forward_ms": 0.0, "backward_ms": 0.0} for layer in self.layers or []]

    def add_up(self, costs: list[dict[str, Any]]) -> None:
        """A block costs what its layers cost. It comes before them."""
        for index in reversed(range(len(self.layers or []))):
            block = self.layers[index]["block"]
            if 0 <= block < index < len(costs):
                for key in ("activation_bytes", "forward_ms", "backward_ms"):
                    costs[block][key] += costs[index][key]
