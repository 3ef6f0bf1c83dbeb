"""Writes steps as a stack: a list of layers, in which each continues from the one before.

Where a step reads another value than the last one made, `branch` goes back to it; `add`, `concat` and the like bring back
the other values that they read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional

from .graph import Scope, around, is_leaf, where
from .values import INPUT, Layer, Step


@dataclass
class Entry:
    """A layer of the stack, before blocks are made."""

    layer: Layer
    scopes: tuple[Scope, ...]
    parameters: dict[str, str]
    step: Optional[Step] = None  # None for a branch and for what names the input


class Writer:
    def __init__(self, steps: Iterable[Step]):
        self.entries: list[Entry] = []
        self._names = Names()
        self._by_value: dict[int, Entry] = {}
        self._path = INPUT
        for step in steps:
            self._write(step)

    def _write(self, step: Step) -> None:
        first, *others = step.inputs
        if step.commutes and self._path in others:
            first, others = self._path, [value for value in step.inputs if value != self._path] or [self._path]
        if first != self._path:
            self.entries.append(Entry({"type": "branch", "with": self._name(first)}, around(step.scopes), {}))
        layer = dict(step.layer)
        if step.shared:
            layer = {"type": "shared", "with": self._name(step.shared.output)}
        elif others:
            layer["with"] = self._back(layer["type"], others)
        entry = Entry(layer, step.scopes, step.parameters, step)
        self.entries.append(entry)
        if layer["type"] == "head":
            self._path = first
        else:
            self._by_value[step.output] = entry
            self._path = step.output

    def _back(self, kind: str, values: list[int]) -> object:
        names = [self._name(value) for value in values]
        return names if kind == "concat" and len(names) > 1 else names[0]

    def _name(self, value: int) -> str:
        """The id of the layer that made the value. The input gets a layer that does nothing, to have one."""
        if value == INPUT and value not in self._by_value:
            entry = Entry({"type": "dropout", "p": 0}, (), {})
            self.entries.insert(0, entry)
            self._by_value[INPUT] = entry
            entry.layer["id"] = self._names.new("input")
        entry = self._by_value[value]
        if "id" not in entry.layer:
            name = where(entry.scopes)
            own = [] if is_leaf(entry.scopes) else [entry.layer["type"]]
            entry.layer["id"] = self._names.new(".".join([name] * bool(name) + own))
        return entry.layer["id"]


class Names:
    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name
