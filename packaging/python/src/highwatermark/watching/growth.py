"""What grows from step to step and is never freed."""

from __future__ import annotations

import collections
import statistics
from dataclasses import dataclass
from typing import Any, Optional, Sequence

from .tracing import AUTOGRAD, line_of

_LEAST_STEPS = 8  # of the part that must grow
_LEAST_HOST = 16 << 20  # bytes: a process's memory comes and goes
_LEAST_HOST_A_STEP = 64 << 10
_MOST_STEPS = 4096


@dataclass(frozen=True)
class Slope:
    """Bytes a step, over the newest `steps` steps, in which `total` bytes came."""

    bytes_per_step: float
    steps: int
    total: int


def slope(values: Sequence[int], least: int = 1) -> Optional[Slope]:
    """How fast the newer half of the values rises, if it rises all the time: none for what comes and goes, or has filled up.

    Nine of ten values are above those of half as many steps before, and the lowest value of each quarter is above that of the
    quarter before it, by a like amount: what fills up slows down.
    """
    half = list(values[len(values) // 2:])
    if len(half) < _LEAST_STEPS:
        return None
    reach = len(half) // 2
    rises = [later - earlier for earlier, later in zip(half, half[reach:])]
    if sum(rise > 0 for rise in rises) < 0.9 * len(rises):
        return None
    size = len(half) // 4
    lowest = [min(half[number * size:(number + 1) * size if number < 3 else len(half)]) for number in range(4)]
    steps = [later - earlier for earlier, later in zip(lowest, lowest[1:])]
    if min(steps) <= 0 or steps[-1] < 0.25 * max(steps) or lowest[-1] - lowest[0] < least:
        return None
    return Slope(statistics.median(rises) / reach, len(half), lowest[-1] - lowest[0])


class Series:
    """One value a step. Once there are many, every second is kept, then every fourth."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self._stride = 1
        self._count = 0

    def take(self, value: int) -> None:
        if self._count % self._stride == 0:
            self.values.append(value)
            if len(self.values) > _MOST_STEPS:
                del self.values[1::2]
                self._stride *= 2
        self._count += 1

    def slope(self, least: int = 1) -> Optional[Slope]:
        rise = slope(self.values, least)
        return rise and Slope(rise.bytes_per_step / self._stride, rise.steps * self._stride, rise.total)


@dataclass(frozen=True)
class Survivors:
    """What some steps left behind, by line: (line, bytes a step, blocks that were there later), the largest first."""

    lines: tuple[tuple[str, float, int], ...]
    steps: int
    later: int


class Growth:
    """Series of what a step leaves behind, and the sentences they make."""

    def __init__(self) -> None:
        self.series: dict[str, Series] = {}
        self.survivors: Optional[Survivors] = None

    def take(self, **values: int) -> None:
        for name, value in values.items():
            self.series.setdefault(name, Series()).take(value)

    def slope(self, name: str, least: int = 1) -> Optional[Slope]:
        return self.series[name].slope(least) if name in self.series else None

    def findings(self) -> list[dict[str, Any]]:
        """One for each thing that grows: kind, bytes_per_step, line (where it is known), sentence."""
        found = []
        tensors, reserved, pinned = self.slope("allocated"), self.slope("reserved", 2 << 20), self.slope("pinned")
        if tensors is not None:
            found += self._of_tensors(tensors)
        elif reserved is not None:
            found.append(_finding("fragmentation", reserved, "The allocator reserves {rate} more a step while tensors do not grow: its "
                                  "free memory is in pieces that later requests do not fit"))
        if pinned is not None:
            found.append(_finding("pinned", pinned, "Pinned memory of the host grows by {rate} a step"))
        workers, process = self.slope("workers", _LEAST_HOST), self.slope("process", _LEAST_HOST)
        if workers is not None and workers.bytes_per_step >= _LEAST_HOST_A_STEP:
            found.append(_finding("workers", workers, "The data loader's workers grow by {rate} a step"))
        if process is not None and process.bytes_per_step >= max(_LEAST_HOST_A_STEP, 2 * (pinned.bytes_per_step if pinned else 0)):
            line = self._host_line(process)
            found.append(_finding("host", process, f"{line} allocates what is never freed: the process grows by {{rate}} a step" if line
                                  else "The process's own memory, outside of tensors on a GPU, grows by {rate} a step", line))
        return found

    def _of_tensors(self, rise: Slope) -> list[dict[str, Any]]:
        if self.survivors is None or not self.survivors.lines:
            return [_finding("tensors", rise, "Memory of tensors grows by {rate} a step")]
        steps, later = self.survivors.steps, self.survivors.later
        found = []
        for line, rate, blocks in [each for each in self.survivors.lines if each[1] >= self.survivors.lines[0][1] / 10][:3]:
            evidence = f"{blocks} blocks of {steps} steps were there {later} steps later" if blocks > 1 else \
                f"what it holds had grown {later} steps later"
            found.append({"kind": "tensors", "bytes_per_step": rate, "line": line, "sentence":
                          f"{line} allocates {_size(rate)} a step that is never freed: {evidence}, and memory grew by "
                          f"{_size(rise.total)} in {rise.steps} steps"})
        return found

    def _host_line(self, rise: Slope) -> str:
        """On a CPU, where tensors are the process's memory: the line whose blocks stay, if they explain half of the growth."""
        if self.survivors and self.survivors.lines and self.survivors.lines[0][1] >= 0.5 * rise.bytes_per_step:
            return self.survivors.lines[0][0]
        return ""


def _finding(kind: str, rise: Slope, sentence: str, line: str = "") -> dict[str, Any]:
    """The sentence with its rate, and what it was seen by."""
    said = sentence.format(rate=_size(rise.bytes_per_step)) + f" ({_size(rise.total)} in {rise.steps} steps)"
    return {"kind": kind, "bytes_per_step": rise.bytes_per_step, "line": line, "sentence": said}


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.3g} {unit}"
        count /= 1024
    return ""


Tagged = dict  # address: (bytes, line)


def tagged(snapshot: dict[str, Any], device: int) -> Tagged:
    """The blocks in use, with the lines that the allocator knows: those of autograd's own thread have none."""
    found = {}
    for segment in snapshot["segments"]:
        if segment.get("device", 0) != device:
            continue
        at = segment["address"]
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                line = line_of(block.get("frames", ())) or AUTOGRAD
                found[block.get("address", at)] = (block.get("requested_size", block["size"]), line)
            at += block["size"]
    return found


def survivors(before: Tagged, after: Tagged, now: Tagged, owners: dict[int, Any], steps: int, later: int) -> Survivors:
    """Which lines hold more and more: `before` some steps, `after` them, and `now`, `later` steps on. Where none does, as with what
    is kept every tenth step only, those whose blocks stay. `owners`: of those, gradients are made anew each step."""
    def new(blocks: Tagged) -> Tagged:
        return {address: held for address, held in blocks.items()
                if before.get(address) != held and owners.get(address, ("",))[0] != "gradients"}

    earlier, latest = new(after), new(now)
    total, grown, stayed, blocks = (collections.Counter() for _ in range(4))
    for size, line in earlier.values():
        total[line] += size
    grown.subtract(total)
    for address, (size, line) in latest.items():
        grown[line] += size
        if earlier.get(address) == (size, line):
            stayed[line] += size
            blocks[line] += 1
    rates = {line: size / later for line, size in grown.items() if size > 0} or \
        {line: size / steps for line, size in stayed.items()}
    return Survivors(tuple((line, rate, blocks[line]) for line, rate in sorted(rates.items(), key=lambda each: -each[1])), steps, later)
