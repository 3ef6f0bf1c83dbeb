"""highwatermark.save and highwatermark.predict."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import torch
from torch import nn

from . import program
from .network import convert
from .program import Prediction

__all__ = ["Prediction", "predict", "save"]

One = Union[torch.Tensor, Sequence[int]]
Input = Union[One, Sequence[One]]


def save(model: nn.Module, example_input: Input, path: Union[str, os.PathLike], **options: Any) -> None:
    """Writes the network as an experiment file. Warns of anything that the file cannot represent.

    `example_input`: a tensor, or its shape; a list of these if forward() takes several. `options`: name, output, loss,
    classes, scan, labels, optimizer, precision and settings, as network.arguments() takes them.
    """
    for note in convert(model, example_input, path, **options).notes:
        warnings.warn(note, stacklevel=2)


def predict(model: nn.Module, example_input: Input, gpu: str, *, libtorch: Optional[str] = None, cudnn: Optional[str] = None,
            **options: Any) -> Prediction:
    """Predicts what a training step of the network needs on a GPU, given by its profile's name, or on this machine's "cpu".

    `libtorch`, `cudnn`: versions such as "2.11" and "9.10"; by default those of this PyTorch. The rest is as in save().
    """
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        path = Path(folder) / "network.json"
        network = convert(model, example_input, path, **options)
        versions = (None, None) if gpu == "cpu" else (libtorch or _libtorch(), cudnn or _cudnn())
        return Prediction(network.name, program.predict(path, gpu, *versions), tuple(network.notes))


def _libtorch() -> str:
    return ".".join(torch.__version__.split(".")[:2])


def _cudnn() -> Optional[str]:
    """The cuDNN version of this PyTorch, if it has one: 91002 is 9.10."""
    version = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
    return f"{version // 10000}.{version // 100 % 100}" if version else None
