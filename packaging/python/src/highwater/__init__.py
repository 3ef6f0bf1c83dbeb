"""Will this PyTorch network fit on that GPU, and where do the bytes go? See docs/own-networks.md of Highwater.

    highwater.save(model, example_input, "net.json")
    print(highwater.predict(model, example_input, gpu="rtx4090"))
"""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import torch
from torch import nn

from . import program
from .errors import HighwaterError, Unsupported
from .experiment import experiment, text, usual_precision, write
from .network import Network, convert
from .program import Prediction

__all__ = ["HighwaterError", "Prediction", "Unsupported", "predict", "save"]

Input = Union[torch.Tensor, Sequence[int]]


def save(model: nn.Module, example_input: Input, path: Union[str, os.PathLike], *, output: Optional[str] = None,
         **options: Any) -> None:
    """Writes the network as an experiment file. What the file cannot say of the network is warned of.

    `example_input`: a tensor, or its shape. `output`: which of several outputs counts. `options`: those of
    experiment.experiment: name, loss, classes, scan, labels, optimizer, precision, settings.
    """
    network, made = _made(model, example_input, output, options)
    write(path, text(made))
    for note in network.notes:
        warnings.warn(note, stacklevel=2)


def predict(model: nn.Module, example_input: Input, gpu: str, *, output: Optional[str] = None,
            libtorch: Optional[str] = None, cudnn: Optional[str] = None, **options: Any) -> Prediction:
    """What a training step of the network would need on a GPU, by its profile's name, or on this machine's "cpu".

    `libtorch`, `cudnn`: versions such as "2.11" and "9.10"; this PyTorch's where they are left out. The rest is as in save.
    """
    network, made = _made(model, example_input, output, options)
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        path = Path(folder) / "network.json"
        write(path, text(made))
        versions = (None, None) if gpu == "cpu" else (libtorch or _libtorch(), cudnn or _cudnn())
        return Prediction(made["name"], program.predict(path, gpu, *versions), tuple(network.notes))


def _made(model: nn.Module, example: Input, output: Optional[str], options: dict[str, Any]) -> tuple[Network, dict[str, Any]]:
    if not isinstance(model, nn.Module):
        raise HighwaterError(f"the model is a {type(model).__name__}, not a torch.nn.Module")
    first = next(model.parameters(), torch.empty(0))
    if not isinstance(example, torch.Tensor):
        example = torch.zeros(tuple(example), dtype=first.dtype, device=first.device)
    options.setdefault("precision", usual_precision(first.dtype))
    network = convert(model, example, output)
    return network, experiment(network, **options)


def _libtorch() -> str:
    return ".".join(torch.__version__.split(".")[:2])


def _cudnn() -> Optional[str]:
    """Of this PyTorch, if it has one: 91002 is 9.10."""
    version = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
    return f"{version // 10000}.{version // 100 % 100}" if version else None
