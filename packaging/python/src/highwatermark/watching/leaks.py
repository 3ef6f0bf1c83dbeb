"""Looks for the lines whose memory grows, once it is seen that something does. Runs on the script's thread."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

import torch

from .devices import Reading
from .growth import Growth, survivors, tagged
from .tracing import StepContext, StepTrace

_STEPS, _LATER = 8, 4  # steps that are looked at for what they leave behind, and how long after
_FIRST, _MOST = 16, 4  # the step from which on, and how often; each time twice as late
_LEAST_HOST = 4 << 20


class Leaks:
    """Feeds the series of `growth`. On a GPU the allocator keeps the stacks of some steps; on a CPU, where tensors are a part of the
    process's memory, some steps in a row are recorded as one. `busy`: no step can be traced meanwhile."""

    def __init__(self, growth: Growth, owners: Callable[[], dict[int, Any]], call: Callable[[Callable[[], None]], None]):
        self._growth, self._owners, self._call = growth, owners, call
        self._began: Optional[tuple[int, Any]] = None  # step, blocks in use then
        self._after: Any = {}  # blocks in use at the end of the steps that are looked at
        self._looked = 0
        self._ends: list[int] = []
        self._start = 0

    @property
    def busy(self) -> bool:
        return self._began is not None

    def take(self, device: Any, index: int, reading: Optional[Reading], tracing: bool) -> None:
        """At the end of each step."""
        if reading is None:
            self._take_host(device, index, tracing)
            return
        pinned = _pinned()
        self._growth.take(allocated=reading.allocated, reserved=reading.reserved, **({} if pinned is None else {"pinned": pinned}))
        if self._began is not None:
            if index == self._began[0] + _STEPS:
                self._after = tagged(device.snapshot(), device.index)
            elif index >= self._began[0] + _STEPS + _LATER:
                self.end(device, index)
        elif index % 4 == 0 and self._due(index) and self._growth.slope("allocated") is not None:
            before = tagged(device.snapshot(), device.index)
            if device.start_history(state_only=True):
                self._began, self._looked = (index, before), self._looked + 1

    def _due(self, index: int) -> bool:
        return self._looked < _MOST and index >= _FIRST << self._looked

    def end(self, device: Any, index: int) -> None:
        """What is known of the steps that were looked at. Where the run ends too early, what was known before stays."""
        if self._began is None or not device.counts:
            return
        (began, before), self._began = self._began, None
        now, later = tagged(device.snapshot(), device.index), index - began - _STEPS
        device.stop_history(None)
        if later > 0:
            self._growth.survivors = survivors(before, self._after, now, self._owners(), _STEPS, later)

    def _take_host(self, device: Any, index: int, tracing: bool) -> None:
        if self._began is not None:
            self._ends.append(time.time_ns())
            if len(self._ends) < _STEPS + _LATER:
                return
            before, self._began = self._began[1], None
            owners, ends = self._owners(), self._ends
            make = device.stop_history(StepContext(index, self._start, ends[-1], [(self._start, "data")], [], before, owners, {}))
            if make is not None:
                self._call(lambda: self._of_window(make(), ends, set(owners)))
        elif index % 8 == 0 and not tracing and self._due(index) and self._growth.slope("process", _LEAST_HOST) is not None:
            if device.start_history():
                self._began, self._looked = (index, self._owners()), self._looked + 1
                self._ends, self._start = [], time.time_ns()

    def _of_window(self, trace: StepTrace, ends: list[int], owners: set[int]) -> None:
        def alive(at: int) -> dict[int, tuple[int, str]]:
            return {number: (block.bytes, block.label) for number, block in enumerate(trace.blocks)
                    if number >= trace.baseline and block.begin < at and (block.end is None or block.end >= at)
                    and block.address not in owners}

        self._growth.survivors = survivors({}, alive(ends[_STEPS - 1]), alive(ends[-1]), {}, _STEPS, _LATER)


def _pinned() -> Optional[int]:
    read = getattr(torch._C, "_cuda_hostMemoryStats", None)
    if read is None:
        return None
    stats = read()
    found = stats.get("allocated_bytes", stats.get("allocated_bytes.current"))
    return found.get("current") if isinstance(found, dict) else found
