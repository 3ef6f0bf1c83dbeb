"""A PyTorch module as the stack of an experiment, with what has to be said about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable, Iterable, Optional

import torch
from torch import fx, nn

from . import blocks, inplace
from .errors import HighwaterError, Unsupported
from .graph import Call, Graph, Scope, read, shape_of, where
from .reading import read_steps
from .stack import Entry, Writer
from .values import INPUT, Layer, Step, Unknown, Values

MOST_LAYERS = 4000


@dataclass
class Network:
    name: str
    stack: list[Layer]
    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    # The parameters of each layer in the order of execution, blocks not counted: {"weight": "encoder.conv.weight"}.
    parameters: list[dict[str, str]]
    notes: list[str] = field(default_factory=list)


def convert(model: nn.Module, example: torch.Tensor, output: Optional[str] = None) -> Network:
    """`output`: the key or index of the only output that counts, where the network has several."""
    graph = read(model, example)
    values = read_steps(graph, model)
    main, *sides = _outputs(graph, output)
    ends = [_end(values, name, node) for name, node in (main, *sides)]
    steps = _live(values.steps, ends)
    _refuse_unknown(steps)
    notes = _make_heads(steps, ends[1:], [name for name, _ in sides])
    _share(steps)
    _refuse_unknown(steps)
    entries = Writer(_heads_first(steps)).entries
    refused = inplace.settle(entries)
    if len(entries) > MOST_LAYERS:
        raise HighwaterError(f"the network has {len(entries)} layers; an experiment has at most {MOST_LAYERS}")
    notes += [*_remarks(steps), *_refusals(refused), *_about_parameters(model, entries)]
    return Network(type(model).__name__, blocks.nest(entries), tuple(example.shape), shape_of(main[1]),
                   [entry.parameters for entry in entries], notes)


# --- outputs

Output = tuple[str, fx.Node]


def _outputs(graph: Graph, wanted: Optional[str]) -> list[Output]:
    """The largest first, for that is the stack's output; the others are heads."""
    if wanted is not None and wanted not in graph.outputs:
        raise HighwaterError(f"the network has no output \"{wanted}\"; it has {', '.join(graph.outputs)}")
    if not graph.outputs:
        raise HighwaterError("the network returns no tensor")
    chosen = list(graph.outputs.items()) if wanted is None else [(wanted, graph.outputs[wanted])]
    return sorted(chosen, key=lambda output: -math.prod(shape_of(output[1])[2:]))


def _end(values: Values, name: str, node: fx.Node) -> int:
    """The value of an output."""
    call = Call(node, "the output", {}, ())
    try:
        value = values.read(node, call)
    except Unknown as unknown:
        value = values.append({}, [], call, unknown=str(unknown)).output
    if value == INPUT:
        raise HighwaterError(f"output {name} of the network is its input")
    return value


def _live(steps: list[Step], ends: list[int]) -> list[Step]:
    """The steps that an output needs."""
    needed, live = set(ends), []
    for step in reversed(steps):
        if step.output in needed:
            needed.update(step.inputs)
            live.append(step)
    return live[::-1]


def _make_heads(steps: list[Step], ends: list[int], names: list[str]) -> list[str]:
    """Makes heads of the 1x1 convolutions that give the side outputs; returns what to say of them."""
    read_by_others = {value for step in steps for value in step.inputs}
    for rank, (end, name) in enumerate(zip(ends, names), 1):
        step = next(step for step in steps if step.output == end)
        if not _can_be_head(step.layer) or end in read_by_others:
            raise HighwaterError(f"output {name} comes from {_kind(step)}, not from a convolution of kernel 1 that nothing "
                                 f"else reads, so it cannot be a head; choose one output (--output) to leave others out")
        step.layer = {key: value for key, value in step.layer.items() if key in ("out_channels", "bias")}
        step.layer = {"type": "head", "weight": 0.5 ** rank, **step.layer}
    weights = ", ".join(f"{0.5 ** rank:g}" for rank in range(1, len(ends) + 1))
    return [f"the side outputs are heads; their weights in the loss are taken as {weights}"] if ends else []


def _can_be_head(layer: Layer) -> bool:
    return layer["type"] == "conv" and layer["kernel_size"] == 1 and not layer.keys() & {"stride", "padding", "groups"}


def _kind(step: Step) -> str:
    return f"{step.layer['type']} in {where(step.scopes) or 'the network itself'}"


def _heads_first(steps: list[Step]) -> list[Step]:
    """Each head right behind the layer that it reads, so that nothing has to go back for it."""
    heads = [step for step in steps if step.layer["type"] == "head"]
    ordered: list[Step] = []
    for step in steps:
        if step in heads:
            continue
        ordered.append(step)
        ordered += [head for head in heads if head.inputs == [step.output]]
    return ordered


# --- parameters

def _share(steps: Iterable[Step]) -> None:
    """A layer with the parameters of an earlier one becomes its second use."""
    first: dict[str, Step] = {}
    for step in steps:
        known = {first[name] for name in step.parameters.values() if name in first} if step.parameters else set()
        if not known:
            first.update({name: step for name in step.parameters.values()})
            continue
        earlier = next(iter(known))
        if len(known) > 1 or earlier.parameters != step.parameters or earlier.layer != step.layer:
            step.unknown = f"{step.layer['type']} with parameters of a layer that differs"
        step.shared = earlier


def _about_parameters(model: nn.Module, entries: list[Entry]) -> list[str]:
    used = {name for entry in entries for name in entry.parameters.values()}
    everything = dict(model.named_parameters())
    unused = sum(value.numel() for name, value in everything.items() if name not in used)
    frozen = sum(value.numel() for name, value in everything.items() if name in used and not value.requires_grad)
    notes = []
    if unused:
        notes.append(f"{unused:,} parameters have no part in the output and are left out")
    if frozen:
        notes.append(f"{frozen:,} parameters need no gradient; in the file they train like the others")
    return notes


# --- what has to be said

def _refuse_unknown(steps: list[Step]) -> None:
    lines = [f"no layer stands for {kind} ({places})"
             for kind, places in _counted(steps, lambda step: step.unknown, lambda step: step.scopes)]
    if lines:
        raise Unsupported(lines)


def _remarks(steps: list[Step]) -> list[str]:
    return [f"the file does not say {remark} ({places})"
            for remark, places in _counted(steps, lambda step: step.remark, lambda step: step.scopes)]


def _refusals(entries: list[Entry]) -> list[str]:
    return [f"{kind} works in place, but Highwater's engine cannot do so here; it is written out of place ({places})"
            for kind, places in _counted(entries, lambda entry: entry.layer["type"], lambda entry: entry.scopes)]


def _counted(items: Iterable, text: Callable[..., str], scopes: Callable[..., tuple[Scope, ...]]) -> list[tuple[str, str]]:
    """Each text that is not empty, with how many items have it and where the first is."""
    count: dict[str, int] = {}
    first: dict[str, str] = {}
    for item in items:
        if kind := text(item):
            count[kind] = count.get(kind, 0) + 1
            first.setdefault(kind, where(scopes(item)) or "the network itself")
    return [(kind, f"{number} times, first in {first[kind]}" if number > 1 else f"once, in {first[kind]}")
            for kind, number in count.items()]
