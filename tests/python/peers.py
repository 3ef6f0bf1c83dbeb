"""What else says how much memory training takes: a function of a network, its input's shape and the optimizer ("adam" or
"sgd", without momentum) for each, in bytes.

`ALL` has those that are installed. Each is asked as its documentation says, for two steps of training in fp32.
"""

from __future__ import annotations

import importlib.util
from typing import Callable

import torch
from torch import nn

from comparing import tensors


def train(model: nn.Module, batch: torch.Tensor, optimizer: torch.optim.Optimizer | None = None,
          between: Callable[[], None] = lambda: None) -> None:
    """Two steps with the mean of the largest output as the loss."""
    optimizer = optimizer or torch.optim.Adam(model.parameters())
    for step in range(2):
        if step > 0:
            between()
        optimizer.zero_grad(set_to_none=True)
        output = model(batch)
        loss = max(tensors(output), key=torch.Tensor.numel).mean()
        loss.backward()
        optimizer.step()


def mem_tracker(model: nn.Module, shape: tuple[int, ...], named: str = "adam") -> int:
    from torch.distributed._tools.mem_tracker import MemTracker

    optimizer = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[named](model.parameters())
    batch = torch.zeros(shape)
    tracker = MemTracker()
    tracker.track_external(model, optimizer, batch)
    with tracker:
        train(model, batch, optimizer, tracker.reset_mod_stats)
    return next(iter(tracker.get_tracker_snapshot("peak").values()))["Total"]


def torchinfo(model: nn.Module, shape: tuple[int, ...], _named: str = "adam") -> int:
    """Its estimated total size: input, what forward and backward pass hold, parameters. It knows no optimizer."""
    from torchinfo import summary

    said = summary(model, input_size=shape, mode="train", verbose=0)
    return said.total_input + said.total_output_bytes + said.total_param_bytes


def kitsune(model: nn.Module, shape: tuple[int, ...], named: str = "adam") -> int:
    """Without what it adds for a GPU's context."""
    from kitsune.predict import predict_memory

    said = predict_memory(model, input_shape=shape[1:], batch_size=shape[0], optimizer=named, training=True)
    return int(said.total_bytes - said.overhead_bytes)


def vram_check(model: nn.Module, shape: tuple[int, ...], named: str = "adam") -> int:
    from vram_check import analyze

    return int(analyze(model, batch_size=shape[0], dtype="fp32", optimizer=named)["estimate"].total_bytes)


def _installed() -> dict[str, Callable[..., int]]:
    known = {"MemTracker": ("torch.distributed._tools.mem_tracker", mem_tracker), "torchinfo": ("torchinfo", torchinfo),
             "torch-kitsune": ("kitsune", kitsune), "vram-check": ("vram_check", vram_check)}
    return {name: ask for name, (module, ask) in known.items() if importlib.util.find_spec(module)}


ALL = _installed()
