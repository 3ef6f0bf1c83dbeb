"""Where a layer may work in place: the rules of Highwater's engine (core/stack/shapes.h), so that a file is always valid.

A layer may not overwrite the network's input, what another layer keeps for backward, what a head has read, what a branch
continues from, what is brought back later, or a part that a crop cut out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .stack import Entry
from .values import Layer

KEEPS_RESULT = {"relu", "sigmoid", "tanh", "softmax"}
KEEPS_RESULT_IN_PLACE = {"leaky_relu", "elu"}
MERGES = {"add", "sub", "mul", "concat", "branch"}


@dataclass
class Storage:
    kept: bool = False
    names: list[str] = field(default_factory=list)


def back(layer: Layer) -> list[str]:
    """The ids that a layer brings back."""
    if layer["type"] not in MERGES:
        return []
    return layer["with"] if isinstance(layer["with"], list) else [layer["with"]]


def passes_on(layer: Layer) -> bool:
    """Whether its output is its input, or a view of it."""
    return layer["type"] == "flatten" or (layer["type"] == "dropout" and layer.get("p") == 0)


def settle(entries: list[Entry]) -> list[Entry]:
    """Takes `inplace` from the layers that the engine would refuse; returns these entries."""
    last_use = {name: index for index, entry in enumerate(entries) for name in back(entry.layer)}
    current = Storage(kept=True)  # the network's input
    owners: dict[str, Storage] = {}
    refused = []
    for index, entry in enumerate(entries):
        layer = entry.layer
        if layer["type"] == "branch":
            current = owners[layer["with"]]
            current.kept = True
        elif layer["type"] == "head":
            current.kept = True
        elif layer.get("inplace") and (current.kept or any(last_use.get(n, -1) > index for n in current.names)):
            del layer["inplace"]
            refused.append(entry)
            current = Storage()
        elif not layer.get("inplace") and not passes_on(layer):
            current = Storage(kept=layer["type"] == "crop")
        if layer["type"] in KEEPS_RESULT or (layer.get("inplace") and layer["type"] in KEEPS_RESULT_IN_PLACE):
            current.kept = True
        if "id" in layer:
            current.names.append(layer["id"])
            owners[layer["id"]] = current
    return refused
