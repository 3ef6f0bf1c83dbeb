"""Goes through the graph once and makes steps of it: the layers in the order of execution, with what each reads."""

from __future__ import annotations

import operator as python_operator
from typing import Any

import torch
from torch import fx, nn

from .graph import Call, Graph, call_of
from .operators import TABLE
from .values import Activation, Cell, Constant, Layer, Unknown, Values

RANDOM = {"rand", "rand_like", "randn", "randn_like", "bernoulli", "bernoulli_", "uniform_", "normal_"}

# Modules that are one layer, though PyTorch makes several operators of them.
WHOLE_MODULES = {"torch.nn.modules.normalization.LocalResponseNorm": "local_response_norm"}


def read_steps(graph: Graph, model: nn.Module) -> Values:
    values = Values(graph)
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    while nodes:
        call = call_of(nodes.pop(0))
        if call.scopes and call.scopes[-1].kind in WHOLE_MODULES:
            nodes = _whole_module(values, call, nodes, model)
        else:
            _one(values, call)
    return values


def _one(values: Values, call: Call) -> None:
    if call.node.target is python_operator.getitem:
        return TABLE["getitem"](values, call)
    target = call.arguments.get("self", call.arguments.get("input"))
    writes_a_constant = call.name.endswith("_") and isinstance(target, fx.Node) and values.activation(target) is None
    if not _activations(values, call) or writes_a_constant:
        return values.set(call.node, _constant(values, call))
    if "val" not in call.node.meta or call.node.meta["val"] is None:
        return values.set(call.node, Constant("nothing"))  # an assertion
    try:
        convert = TABLE.get(call.name)
        if convert is None:
            raise Unknown(call.name)
        convert(values, call)
    except Unknown as unknown:
        _opaque(values, call, str(unknown))


def _activations(values: Values, call: Call) -> list[fx.Node]:
    return [node for node in call.node.all_input_nodes if _has_activation(values[node])]


def _has_activation(held: Any) -> bool:
    return any(map(_has_activation, held)) if isinstance(held, list) else isinstance(held, Activation)


def _constant(values: Values, call: Call) -> Constant:
    given = [values[node] for node in call.node.all_input_nodes]
    if call.name in RANDOM or any(isinstance(held, Constant) and held.what == "random numbers" for held in given):
        return Constant("random numbers")
    return Constant("a parameter" if any(isinstance(h, Constant) and h.parameter for h in given) else "a constant")


def _opaque(values: Values, call: Call, kind: str) -> None:
    """Stands for what no layer says, so that what follows can be looked at too."""
    nodes = _activations(values, call)
    inputs = [values.activation(node).cell.value for node in nodes if values.activation(node)]
    if call.name.endswith("_") and values.activation(call.arguments.get("self")):
        values.overwrite(call, call["self"], {}, inputs, unknown=kind)
        return None
    value = call.node.meta["val"]
    several = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(each, torch.Tensor) for each in several):
        return values.set(call.node, Constant("a number that was computed"))
    step = values.add(call, {}, inputs, unknown=kind)
    if isinstance(value, (list, tuple)):
        shapes = [tuple(int(size) for size in each.shape) for each in value]
        values.set(call.node, [Activation(Cell(step.output, shape, True), shape) for shape in shapes])


def _whole_module(values: Values, call: Call, nodes: list[fx.Node], model: nn.Module) -> list[fx.Node]:
    """Takes the module's nodes away from those that follow; returns the others."""
    scope = call.scopes[-1]
    inside = [call.node]
    while nodes and scope in call_of(nodes[0]).scopes:
        inside.append(nodes.pop(0))
    sources = [source for node in inside for source in node.all_input_nodes
               if source not in inside and values.activation(source)]
    layer = _module_layer(WHOLE_MODULES[scope.kind], model.get_submodule(scope.name))
    last = call_of(inside[-1])
    trained = values.activation(sources[0]).cell.trained
    values.add(last, layer, [values.read(sources[0], last)], trained=trained)
    return nodes


def _module_layer(kind: str, module: nn.Module) -> Layer:
    return {"type": kind, "size": module.size, "alpha": module.alpha, "beta": module.beta, "k": module.k}

