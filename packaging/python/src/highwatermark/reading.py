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
from torch import nn

from .errors import HighwaterError

GRAPHS = ("models/model.json", "serialized_exported_program.json")  # in archives of 2.8 and newer, and before


def read(model: nn.Module, examples: tuple[torch.Tensor, ...]) -> str:
    """What `highwater-cli import pytorch` reads: {"program": the graph, "ties": a parameter's other names with its first one}.

    Leaves the model as it was. A model that is in training mode is taken as it is, so frozen layers stay frozen.
    """
    with training(model):
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


def export(model: nn.Module, examples: tuple[torch.Tensor, ...]) -> torch.export.ExportedProgram:
    """Without strict, Python itself runs the model, which takes the most networks; else with it."""
    exporter, errors = _exporter(), []
    for strict in (False, True):
        try:
            with _plain_errors("read"):
                return exporter(model, examples, strict=strict)
        except HighwaterError as error:
            errors.append(error)
    raise errors[0]


def _exporter() -> Any:
    """The function whose graph keeps in-place operators: export itself since 2.7."""
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    if version < (2, 5):
        raise HighwaterError(f"torch {torch.__version__} is too old: its export does not keep what works in place; take 2.5 "
                             f"or newer")
    return torch.export.export_for_training if version < (2, 7) else torch.export.export


def _forget_weights(weights: dict[str, torch.Tensor]) -> None:
    """The program's own dictionary gets empty tensors, so that no gigabytes are written; the model keeps its weights."""
    for name, weight in weights.items():
        nothing = torch.empty(0, dtype=weight.dtype)
        weights[name] = nn.Parameter(nothing, weight.requires_grad) if isinstance(weight, nn.Parameter) else nothing


def _ties(model: nn.Module) -> dict[str, str]:
    first: dict[int, str] = {}
    names = [(name, first.setdefault(id(value), name)) for name, value in model.named_parameters(remove_duplicate=False)]
    return {name: earlier for name, earlier in names if name != earlier}


@contextlib.contextmanager
def _plain_errors(what: str) -> Iterator[None]:
    """torch.export raises whatever the model does, and writes where it met that into its log."""
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
