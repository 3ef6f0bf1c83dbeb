"""Reads a module with torch.export, in training mode: the graph that torch.export.save writes, without the weights."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import warnings
import zipfile
from typing import Any, Iterator

import torch
import torch.utils.checkpoint
from torch import nn

from .errors import HighwaterError

# Sizes of empty tensors that mark, for highwater-cli, where a call of torch.utils.checkpoint begins and ends.
CHECKPOINT_BEGINS, CHECKPOINT_ENDS = (0, 7001), (0, 7002)
GRAPHS = ("models/model.json", "serialized_exported_program.json")  # in archives of PyTorch 2.8 and newer; of older versions


def read(model: nn.Module, examples: tuple[torch.Tensor, ...]) -> str:
    """The input of `highwater-cli import pytorch`: {"program": the graph, "ties": a parameter's other names with its first one}.

    The model is not changed. A model in training mode is read unchanged, so frozen layers stay frozen.
    """
    with training(model), _marked_checkpoints():
        archive = io.BytesIO()
        program = export(model, examples)
        _forget_weights(program.state_dict)
        with _plain_errors("write"):
            torch.export.save(program, archive)
    with zipfile.ZipFile(archive) as files:
        graph = next(files.read(name).decode() for name in files.namelist() if name.endswith(GRAPHS))
    return f'{{"program": {graph}, "ties": {json.dumps(_ties(model))}}}'


@contextlib.contextmanager
def training(model: nn.Module) -> Iterator[None]:
    modes = {module: module.training for module in model.modules()}
    if not model.training:
        model.train()
    try:
        yield
    finally:
        for module, mode in modes.items():
            module.training = mode


@contextlib.contextmanager
def _marked_checkpoints() -> Iterator[None]:
    """Turns activation checkpoints into plain calls between two marks, because the graph itself does not say what they contain.

    Both names are looked up by torch.utils.checkpoint.checkpoint when it is called. A PyTorch without them is not changed.
    """
    names = ("_checkpoint_without_reentrant_generator", "CheckpointFunction")
    module = torch.utils.checkpoint
    before = {name: getattr(module, name) for name in names if hasattr(module, name)}
    for name, replaced in zip(names, (_without_reentry, _Reentrant)):
        if name in before:
            setattr(module, name, replaced)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def _without_reentry(*_: Any, **__: Any) -> Iterator[None]:
    torch.empty(CHECKPOINT_BEGINS)
    yield
    torch.empty(CHECKPOINT_ENDS)


class _Reentrant:
    @staticmethod
    def apply(function: Any, _preserve: bool, *arguments: Any) -> Any:
        torch.empty(CHECKPOINT_BEGINS)
        made = function(*arguments)
        torch.empty(CHECKPOINT_ENDS)
        return made


def export(model: nn.Module, examples: tuple[torch.Tensor, ...]) -> torch.export.ExportedProgram:
    """Exports without `strict` first: Python then runs the model itself, which works for most networks."""
    exporter, errors = _exporter(), []
    for strict in (False, True):
        try:
            with _plain_errors("read"):
                return exporter(model, examples, strict=strict)
        except HighwaterError as error:
            errors.append(error)
    raise errors[0]


def _exporter() -> Any:
    """The export function whose graph keeps in-place operators: since 2.7, that is export()."""
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    if version < (2, 5):
        raise HighwaterError(f"torch {torch.__version__} is too old: its export does not keep what works in place; take 2.5 "
                             f"or newer")
    return torch.export.export_for_training if version < (2, 7) else torch.export.export


def _forget_weights(weights: dict[str, torch.Tensor]) -> None:
    """Empties the weights in the exported program, so that gigabytes need not be written; the model keeps its weights."""
    for name, weight in weights.items():
        nothing = torch.empty(0, dtype=weight.dtype)
        weights[name] = nn.Parameter(nothing, weight.requires_grad) if isinstance(weight, nn.Parameter) else nothing


def _ties(model: nn.Module) -> dict[str, str]:
    first: dict[int, str] = {}
    names = [(name, first.setdefault(id(value), name)) for name, value in model.named_parameters(remove_duplicate=False)]
    return {name: earlier for name, earlier in names if name != earlier}


@contextlib.contextmanager
def _plain_errors(what: str) -> Iterator[None]:
    """torch.export raises anything that the model raises, and logs where it happened; this makes it a HighwaterError."""
    logged = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
        raise HighwaterError(f"torch.export cannot {what} the network: {said}") from error
    finally:
        logging.disable(logged)
