"""The loss of a step, where it can be seen: without waiting for the device."""

from __future__ import annotations

import math
import weakref
from typing import Any, Callable, Optional

import torch
from torch import nn

_SLOTS = 256


class Losses:
    """What the backward pass began with, or what the given loss module or function returns.

    On a GPU the value is copied into pinned memory behind the work that makes it, and read once the step's end was reached.
    """

    def __init__(self, given: Any, adds_up: bool = False):
        self._function = given if callable(given) and not isinstance(given, nn.Module) else None
        self._module = isinstance(given, nn.Module)
        self._adds_up = adds_up  # what a step's backward passes begin with; otherwise the last one's counts
        self._now: list[Callable[[], float]] = []
        self._unscaled: Any = None
        self._ring: dict[torch.dtype, torch.Tensor] = {}
        self._at = 0
        self._handle = given.register_forward_hook(self._from_module) if self._module else None
        self._device: Any = None

    def _from_module(self, module: nn.Module, arguments: Any, output: Any) -> None:
        if not torch.compiler.is_compiling() and isinstance(output, torch.Tensor) and torch.is_grad_enabled():
            self._copy(output)

    def unscaled(self, outputs: Any, scaled: Any) -> None:
        """What a GradScaler multiplies."""
        if isinstance(outputs, torch.Tensor) and isinstance(scaled, torch.Tensor):
            self._unscaled = (weakref.ref(scaled), weakref.ref(outputs))

    def see(self, tensors: Any, device: Any) -> None:
        """A backward pass begins with these."""
        self._device = device
        first = tensors if isinstance(tensors, torch.Tensor) else next(iter(tensors), None) if tensors is not None else None
        if self._module or self._function is not None or not isinstance(first, torch.Tensor) or first.numel() != 1:
            return
        if self._unscaled is not None and self._unscaled[0]() is first:
            first = self._unscaled[1]()
            if first is None:
                return
        self._copy(first)

    def _copy(self, loss: torch.Tensor) -> None:
        if loss.numel() != 1 or loss.device.type == "meta":
            return
        loss = loss.detach()
        if loss.device.type == "cpu":
            value = float(loss)
            self._keep(lambda: value)
        elif loss.device.type == "cuda" and not getattr(self._device, "pretended", True) and not torch.cuda.is_current_stream_capturing():
            if loss.dtype not in self._ring:
                self._ring[loss.dtype] = torch.empty(_SLOTS, dtype=loss.dtype, pin_memory=True)
            slot = self._ring[loss.dtype][self._at % _SLOTS]
            self._at += 1
            slot.copy_(loss.reshape(()), non_blocking=True)
            self._keep(lambda: float(slot))

    def _keep(self, loss: Callable[[], float]) -> None:
        self._now = [*self._now, loss] if self._adds_up else [loss]

    def take(self, device: Any) -> Callable[[], Optional[float]]:
        """Reads the newest loss; to be called once the device has reached the step's end. None if there was no loss."""
        self._device = device
        if self._function is not None:
            value = self._function()
            value = float(value) if value is not None else None
            return lambda: value
        now, self._now = self._now, []
        return lambda: _finite(sum(loss() for loss in now)) if now else None


def _finite(value: Optional[float]) -> Optional[float]:
    return value if value is not None and math.isfinite(value) else None
