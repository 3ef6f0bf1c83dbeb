"""Converts a PyTorch module to an experiment file: highwater-cli makes it from the module's graph."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import torch
from torch import nn

from . import program
from .errors import HighwaterError
from .reading import read

OptimizerLike = Union[str, dict, torch.optim.Optimizer]


@dataclass(frozen=True)
class Network:
    name: str
    notes: list[str]
    # The parameters of each layer, in the order of execution and without blocks: {"weight": "encoder.conv.weight"}.
    parameters: list[dict[str, str]]


def convert(model: nn.Module, example: Any, out: Union[str, os.PathLike], **options: Any) -> Network:
    """Writes the experiment to `out`. `example`: a tensor or a shape, or a list of these. `options`: those of arguments()."""
    if not isinstance(model, nn.Module):
        raise HighwaterError(f"the model is a {type(model).__name__}, not a torch.nn.Module")
    first = next(model.parameters(), torch.empty(0))
    examples = tuple(each if isinstance(each, torch.Tensor) else torch.zeros(tuple(each), dtype=first.dtype, device=first.device)
                     for each in ([example] if _is_one(example) else example))
    if options.get("precision") is None and first.dtype == torch.float32 and not _tf32():
        options["precision"] = "fp32"
    given = arguments(**options)
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        path = Path(folder) / "network"
        path.write_text(read(model, examples), encoding="utf-8")
        said = program.json_of(["import", "pytorch", str(path), "--out", os.fspath(out), "--json", *given], path)
    return Network(said["name"], said["notes"], said["parameter_names"])


def _is_one(example: Any) -> bool:
    """Whether this is one tensor or shape, rather than a list of them."""
    return isinstance(example, torch.Tensor) or not any(isinstance(each, (torch.Tensor, Sequence)) for each in example)


def arguments(*, name: Optional[str] = None, output: Optional[str] = None, loss: Optional[str] = None,
              classes: Optional[int] = None, scan: Union[str, Sequence[str], None] = None, labels: Optional[str] = None,
              optimizer: OptimizerLike = "adam", precision: Optional[str] = None,
              settings: Optional[dict[str, Any]] = None) -> list[str]:
    """The arguments of `highwater-cli import pytorch`.

    `name`: the experiment's. `loss`, `precision`: their names in an experiment file; by default what follows from the network. `classes`:
    random labels with this many classes. `labels`: the label map of a scan. `optimizer`: a name, a dictionary with "type", or an optimizer of
    torch.optim. `output`: the key or index of the output to train on, if the network has several. `scan`: a file for each channel.
    `settings`: further keys of the file, such as {"step": {"micro_batches": 2}}; they take precedence.
    """
    made: list[str] = []
    for option, value in (("name", name), ("output", output), ("loss", loss), ("classes", classes), ("labels", labels),
                          ("precision", precision)):
        made += [f"--{option}={value}"] if value is not None else []
    made += [f"--scan={each}" for each in ([scan] if isinstance(scan, str) else scan or [])]
    kind, keys = _optimizer(optimizer)
    made.append(f"--optimizer={kind}")
    for key, value in {"optimizer": keys, **(settings or {})}.items():
        made += [f"--set={key}={json.dumps(value)}"] if value != {} else []
    return made


def _tf32() -> bool:
    """Whether fp32 convolutions may use TF32 here: PyTorch's default."""
    try:
        return torch.backends.cudnn.allow_tf32
    except RuntimeError:  # raised if the newer settings were used
        return torch.backends.cudnn.conv.fp32_precision != "ieee"


def _optimizer(given: OptimizerLike) -> tuple[str, dict[str, Any]]:
    """The optimizer's type, and its other keys."""
    if isinstance(given, str):
        return given, {}
    if isinstance(given, torch.optim.Optimizer):
        given = _from_torch(given)
    return given.get("type", ""), {key: value for key, value in given.items() if key != "type"}


def _from_torch(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """The keys of a PyTorch optimizer. If `foreach` is unset, it is on unless `fused` is, as on a GPU."""
    known = [key for key in ("lr", "weight_decay", "momentum", "nesterov", "betas", "eps", "amsgrad") if key in optimizer.defaults]
    foreach = optimizer.defaults.get("foreach")
    return {"type": type(optimizer).__name__.lower(), **{key: _plain(optimizer.defaults[key]) for key in known},
            "foreach": not optimizer.defaults.get("fused") if foreach is None else foreach}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else float(value)
