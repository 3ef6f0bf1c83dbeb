"""Compares a module with the stack that was made of it: outputs, gradients, parameters and what is kept for backward."""

from __future__ import annotations

import copy
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from highwatermark.network import convert as write
from interpreter import Runner


@dataclass(frozen=True)
class Network:
    """What the package makes of a module."""

    json: dict[str, Any]
    notes: list[str]
    parameters: list[dict[str, str]]  # of each layer, blocks not counted, by role

    @property
    def stack(self) -> list[dict[str, Any]]:
        return self.json["stack"]


def convert(module: nn.Module, shape: Any, output: Optional[str] = None) -> Network:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.json"
        written = write(module, shape, path, output=output)
        return Network(json.loads(path.read_text()), written.notes, written.parameters)


@dataclass
class Comparison:
    network: Network
    parameters: int  # of the stack, by its layers' rules
    difference: float  # the outputs' largest, relative to the largest number in them
    gradient: float  # the parameters', likewise
    kept: int  # bytes that the module keeps for backward, parameters and buffers not counted
    kept_by_stack: int


def compare(module: nn.Module, shape: tuple, output: Optional[str] = None) -> Comparison:
    """`shape`: of the input; of each where there are several, which differ in their channels."""
    module = copy.deepcopy(module).train()
    network = convert(module, shape, output)
    mine = copy.deepcopy(module)
    weights = dict(mine.named_parameters(remove_duplicate=False))
    runner = Runner(network.stack, [{role: weights[name] for role, name in each.items()} for each in network.parameters])
    shapes = shape if isinstance(shape[0], tuple) else (shape,)
    channels = [each[1] for each in shapes]
    whole = (shapes[0][0], sum(channels), *shapes[0][2:])
    x = torch.rand(whole, generator=torch.Generator().manual_seed(1)) + 0.1
    theirs, gradient, kept = measured(
        lambda x: tensors(module(*(part.contiguous() for part in x.split(channels, 1)))), module, x)
    ours, own_gradient, own_kept = measured(lambda x: [runner(x), *runner.heads], mine, x)
    difference = max(min(relative(a, b) for a in theirs if a.shape == b.shape) for b in ours)
    return Comparison(network, runner.parameters, difference, relative(gradient, own_gradient), kept, own_kept)


def tensors(output: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.tree_leaves(output) if isinstance(leaf, Tensor)]


def measured(function: Callable[[Tensor], list[Tensor]], owner: nn.Module, x: Tensor) -> tuple[list[Tensor], Tensor, int]:
    """The outputs, the gradient of the parameters, and the bytes kept. The same random numbers are drawn in each call."""
    own = {tensor.untyped_storage().data_ptr() for tensor in [*owner.parameters(), *owner.buffers()]}
    saved: dict[int, Any] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            saved[storage.data_ptr()] = storage  # stays alive, so that no other takes its place
        return tensor

    torch.manual_seed(7)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        outputs = function(x.clone())
    kept = sum(storage.nbytes() for storage in saved.values())
    sum((output * output).mean() for output in outputs).backward()
    gradients = [p.grad.flatten() for p in owner.parameters() if p.grad is not None]
    return [output.detach().clone() for output in outputs], torch.cat(gradients), kept


def relative(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().max() / a.abs().max().clamp(min=1e-300))
