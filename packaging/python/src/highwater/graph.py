"""Reads a module with torch.export, in training mode: the operators that it calls, in order."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from typing import Any, Iterator, NamedTuple

import torch
from torch import fx, nn
from torch.utils import _pytree as pytree

from .errors import HighwaterError


class Scope(NamedTuple):
    """A module that is being called."""

    key: str  # tells calls of one module apart, where torch does
    name: str  # as in named_modules(); empty for the network itself
    kind: str  # the class, with its module


def where(scopes: tuple[Scope, ...]) -> str:
    return scopes[-1].name if scopes else ""


def is_leaf(scopes: tuple[Scope, ...]) -> bool:
    """Whether the innermost module is one of PyTorch's own, such as Conv3d."""
    return bool(scopes) and scopes[-1].kind.startswith("torch.nn.modules.")


def around(scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
    """The modules around a layer, without its own."""
    return scopes[:-1] if is_leaf(scopes) else scopes


@dataclass(frozen=True)
class Call:
    """One call of an operator."""

    node: fx.Node
    name: str  # "conv3d", "relu_"
    arguments: dict[str, Any]  # all, by name; tensors are nodes
    scopes: tuple[Scope, ...]  # outermost first

    def __getitem__(self, argument: str) -> Any:
        return self.arguments[argument]


@dataclass(frozen=True)
class Graph:
    nodes: tuple[fx.Node, ...]
    input: fx.Node
    parameters: dict[fx.Node, str]  # the first name of each, so that tied ones are known
    outputs: dict[str, fx.Node]  # by key or index


def read(model: nn.Module, example: torch.Tensor) -> Graph:
    """Leaves the model as it was. A model that is in training mode is taken as it is, so frozen layers stay frozen."""
    with _training(model):
        program = _export(model, example)
    return _graph(program, model)


def call_of(node: fx.Node) -> Call:
    stack = node.meta.get("nn_module_stack") or {}
    scopes = tuple(Scope(key, _module_name(name), _kind(kind)) for key, (name, kind) in stack.items())
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return Call(node, getattr(node.target, "__name__", str(node.target)), {}, scopes)
    arguments: dict[str, Any] = {}
    for position, argument in enumerate(schema.arguments):
        if position < len(node.args):
            arguments[argument.name] = node.args[position]
        else:
            arguments[argument.name] = node.kwargs.get(argument.name, argument.default_value)
    return Call(node, schema.name.split("::")[-1], arguments, scopes)


def shape_of(node: fx.Node) -> tuple[int, ...]:
    """Of the first tensor where there are several."""
    value = node.meta["val"]
    return tuple(int(size) for size in (value[0] if isinstance(value, (list, tuple)) else value).shape)


@contextlib.contextmanager
def _training(model: nn.Module) -> Iterator[None]:
    modes = {module: module.training for module in model.modules()}
    if not model.training:
        model.train()
    try:
        yield
    finally:
        for module, mode in modes.items():
            module.training = mode


def _export(model: nn.Module, example: torch.Tensor) -> Any:
    """Without strict, Python itself runs the model, which takes the most networks; else with it."""
    export, errors = _exporter(), []
    for strict in (False, True):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return export(model, (example,), strict=strict)
        except Exception as error:  # torch.export raises whatever the model does
            errors.append(error)
    raise HighwaterError(f"torch.export cannot read the network: {_first_line(errors[0])}") from errors[0]


def _exporter() -> Any:
    """The function whose graph keeps in-place operators: export itself since 2.7."""
    if _version() < (2, 5):
        raise HighwaterError(f"torch {torch.__version__} is too old: its export does not keep what works in place; take 2.5 "
                             f"or newer")
    return torch.export.export_for_training if _version() < (2, 7) else torch.export.export


def _version() -> tuple[int, int]:
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _graph(program: Any, model: nn.Module) -> Graph:
    signature = program.graph_signature
    nodes = tuple(program.graph.nodes)
    names = {id(value): name for name, value in reversed(list(model.named_parameters(remove_duplicate=False)))}
    parameters: dict[fx.Node, str] = {}
    inputs = []
    for node in nodes:
        if node.op != "placeholder":
            continue
        if node.name in signature.inputs_to_parameters:
            name = signature.inputs_to_parameters[node.name]
            parameters[node] = names[id(model.get_parameter(name))]
        elif node.name in signature.user_inputs:
            inputs.append(node)
    if len(inputs) != 1:
        raise HighwaterError(f"the network takes {len(inputs)} tensors; an experiment has one input")
    return Graph(nodes, inputs[0], parameters, _outputs(program, nodes))


def _outputs(program: Any, nodes: tuple[fx.Node, ...]) -> dict[str, fx.Node]:
    by_name = {node.name: node for node in nodes}
    names = list(program.graph_signature.user_outputs)
    paths = [path for path, _ in pytree.tree_flatten_with_path(
        pytree.tree_unflatten(list(range(len(names))), program.call_spec.out_spec))[0]]
    return {".".join(_key(part) for part in path) or "0": by_name[name]
            for path, name in zip(paths, names) if name in by_name}


def _key(part: Any) -> str:
    return str(getattr(part, "key", getattr(part, "idx", getattr(part, "name", part))))


def _module_name(name: str) -> str:
    return name.replace("L['self'].", "").replace("L['self']", "")


def _kind(kind: Any) -> str:
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
