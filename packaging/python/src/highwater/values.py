"""What each node of the graph holds while the graph is read: a value of a step, a view of one, or a constant.

PyTorch's operators in place change a tensor that other names still lead to. So a node leads to a *cell*, and the cell to
the newest value that was written into it: who reads an old name later gets the new value, as in PyTorch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from torch import fx

from .graph import Call, Graph, Scope, around, shape_of

Layer = dict[str, Any]


class Unknown(Exception):
    """An operator, or a use of one, that no layer stands for. The text names the kind."""


@dataclass(eq=False)
class Step:
    """A layer with the values that it reads and makes."""

    layer: Layer
    inputs: list[int]  # the layer continues from the first, and brings back the others
    output: int
    scopes: tuple[Scope, ...]
    parameters: dict[str, str] = field(default_factory=dict)  # "weight" -> "encoder.conv.weight"
    commutes: bool = False
    remark: str = ""  # what the layer cannot say of the operator
    unknown: str = ""  # the kind of an operator that no layer stands for; then `layer` is empty
    shared: Optional["Step"] = None  # the first use of the same parameters


@dataclass
class Cell:
    value: int
    shape: tuple[int, ...]
    trained: bool  # whether a parameter has a part in it
    lost: bool = False  # overwritten through a view of another shape


@dataclass(frozen=True)
class Activation:
    """A cell, or a view of it: the sizes cut to `crop` (start and size of each axis), or in another shape."""

    cell: Cell
    shape: tuple[int, ...]
    crop: Optional[tuple[tuple[int, int], ...]] = None

    @property
    def whole(self) -> bool:
        return self.crop is None and self.shape == self.cell.shape


@dataclass(frozen=True)
class Constant:
    """What does not follow from the input: a parameter, a buffer, random numbers."""

    what: str
    parameter: str = ""  # its name


Held = Union[Activation, Constant, list]

INPUT = 0  # the value of the network's input


class Values:
    def __init__(self, graph: Graph):
        self.steps: list[Step] = []
        self._held: dict[fx.Node, Held] = {}
        self._views: dict[tuple[Any, ...], int] = {}
        self._count = INPUT + 1
        shape = shape_of(graph.input)
        for node in graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self._held[node] = Constant("a constant")
        self._held[graph.input] = Activation(Cell(INPUT, shape, False), shape)
        for node, name in graph.parameters.items():
            self._held[node] = Constant("a parameter", name)

    def __getitem__(self, node: fx.Node) -> Held:
        return self._held[node]

    def set(self, node: fx.Node, held: Held) -> None:
        self._held[node] = held

    def activation(self, node: Any) -> Optional[Activation]:
        held = self._held.get(node) if isinstance(node, fx.Node) else None
        return held if isinstance(held, Activation) else None

    def parameter(self, node: Any, what: str) -> Optional[str]:
        """The name of the parameter at `node`, None where there is none."""
        if node is None:
            return None
        held = self._held[node]
        if not isinstance(held, Constant) or not held.parameter:
            raise Unknown(f"{what} with computed weights")
        return held.parameter

    def read(self, node: Any, call: Call) -> int:
        """The value at `node`; a view becomes a crop or a flatten here, where it is first read."""
        held = self.activation(node)
        if held is None:
            raise Unknown(f"{call.name} with {self._what(node)}")
        if held.cell.lost:
            raise Unknown(f"{call.name} of a tensor that was overwritten through a view")
        return held.cell.value if held.whole else self._read_view(held, call)

    def add(self, call: Call, layer: Layer, inputs: list[int], *, trained: bool = True, **rest: Any) -> Step:
        """A layer whose output is a new tensor: what `call`'s node holds from here on."""
        step = self.append(layer, inputs, call, **rest)
        shape = shape_of(call.node)
        self.set(call.node, Activation(Cell(step.output, shape, trained), shape))
        return step

    def overwrite(self, call: Call, target: fx.Node, layer: Layer, inputs: list[int], **rest: Any) -> Step:
        """A layer whose output takes the place of what `target` holds, for all that lead there."""
        held = self._held[target]
        assert isinstance(held, Activation)
        step = self.append(layer, inputs, call, **rest)
        if held.whole:
            held.cell.value = step.output
            held.cell.trained = True
        else:
            held.cell.lost = True
            held = Activation(Cell(step.output, held.shape, True), held.shape)
            self.set(target, held)
        self.set(call.node, held)
        return step

    def view(self, node: fx.Node, source: fx.Node, shape: tuple[int, ...],
             crop: Optional[tuple[tuple[int, int], ...]] = None) -> None:
        held = self._held[source]
        assert isinstance(held, Activation)
        self.set(node, Activation(held.cell, shape, crop))

    def _read_view(self, held: Activation, call: Call) -> int:
        key = (held.cell.value, id(held.cell), held.shape, held.crop)
        if key not in self._views:
            self._views[key] = self._view_step(held, call).output
        return self._views[key]

    def _view_step(self, held: Activation, call: Call) -> Step:
        step = self.append(_view_layer(held), [held.cell.value], call)
        step.scopes = around(step.scopes)  # it is the reader's, not the reader's module
        return step

    def append(self, layer: Layer, inputs: list[int], call: Call, **rest: Any) -> Step:
        step = Step(layer, inputs, self._count, call.scopes, **rest)
        self._count += 1
        self.steps.append(step)
        return step

    def _what(self, node: Any) -> str:
        held = self._held.get(node) if isinstance(node, fx.Node) else None
        return held.what if isinstance(held, Constant) else "a number"


def _view_layer(held: Activation) -> Layer:
    if held.crop is not None:
        if held.shape != tuple(size for _, size in held.crop):
            raise Unknown("a view of a slice")
        if held.crop[:2] != tuple((0, size) for size in held.cell.shape[:2]):
            raise Unknown("a slice of channels or of the batch")
        return {"type": "crop", "start": [start for start, _ in held.crop[2:]],
                "size": [size for _, size in held.crop[2:]]}
    if len(held.shape) == 2 and held.shape == (held.cell.shape[0], math.prod(held.cell.shape[1:])):
        return {"type": "flatten"}
    raise Unknown("a view other than flatten")
