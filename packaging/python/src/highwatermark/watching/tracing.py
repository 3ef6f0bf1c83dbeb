"""The allocations of one traced step: which block was whose, when, and from which line.

Both sources end in the same form: the allocator's history of a GPU (torch.cuda.memory._snapshot), and the memory events of
PyTorch's profiler on a CPU. Categories that PyTorch does not know follow from when a block was allocated and freed.
"""

from __future__ import annotations

import bisect
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional

from ..script_parts import empty_ledger, is_library

CATEGORIES = ("input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries")
PHASES = ("setup", "data", "forward", "recompute", "backward", "optimizer")
AUTOGRAD = "backward (autograd)"
UNKNOWN = "(no Python line)"
_MOST_POINTS = 400


@dataclass
class Block:
    """One allocation. `label` is the script's line, "train.py:57 forward"; `module` an index, -1 outside of modules."""

    bytes: int
    label: str = ""
    module: int = -1
    begin: int = 0  # ns
    end: Optional[int] = None  # ns; None: alive at the step's end
    phase: str = "setup"
    freed_in: str = ""
    category: str = "temporaries"
    address: int = 0


@dataclass
class StepContext:
    """What the recorder saw of the step besides its allocations. Times are time.time_ns()."""

    index: int
    begin: int
    end: int
    phases: list[tuple[int, str]]  # where phases begin, ascending
    modules: list[tuple[int, int]]  # where the innermost module changes, ascending; its index or -1
    owners_before: dict[int, tuple[str, int, str]]  # address: category, bytes, name
    owners_after: dict[int, tuple[str, int, str]]
    inputs: dict[int, int]  # address: bytes


@dataclass
class StepTrace:
    """The step's blocks and events, and what they come to."""

    context: StepContext
    blocks: list[Block]
    events: list[tuple[int, bool, int]]  # ns, allocates, number of the block; ascending
    baseline: int  # blocks [0, baseline) were alive before the step
    peak: dict[str, int] = field(default_factory=empty_ledger)
    peak_time: int = 0
    peak_event: int = -1
    timeline: list[list[float]] = field(default_factory=list)  # ms, then bytes by category

    @property
    def peak_bytes(self) -> int:
        return sum(self.peak.values())

    @property
    def peak_phase(self) -> str:
        return phase_at(self.context, self.peak_time)

    @property
    def peak_module(self) -> int:
        return _at(self.context.modules, self.peak_time, -1)

    def alive_at_peak(self) -> Iterator[Block]:
        alive = set(range(self.baseline))
        for _, allocates, number in self.events[:self.peak_event + 1]:
            alive.add(number) if allocates else alive.discard(number)
        return (self.blocks[number] for number in alive)

    def survivors(self) -> Iterator[Block]:
        """Blocks that the step allocated and did not free."""
        return (block for block in self.blocks[self.baseline:] if block.end is None)


def phase_at(context: StepContext, time: int) -> str:
    return _at(context.phases, time, "data")


def _at(marks: list[tuple[int, Any]], time: int, before: Any) -> Any:
    at = bisect.bisect_left(marks, (time + 1,))
    return marks[at - 1][1] if at else before


def of_snapshot(snapshot: dict[str, Any], device: int, context: StepContext) -> StepTrace:
    """From the allocator's history, which was recorded during the step."""
    history = snapshot["device_traces"][device] if len(snapshot["device_traces"]) > device else []
    blocks: list[Block] = []
    events: list[tuple[int, bool, int]] = []
    alive: dict[int, int] = {}
    earlier: list[tuple[int, int, int]] = []  # address, bytes, freed at: allocated before the step
    for entry in history:
        action, address = entry["action"], entry.get("addr", 0)  # "oom" has none
        time = entry.get("time_us", 0) * 1000
        if action == "alloc":
            alive[address] = len(blocks)
            blocks.append(Block(entry["size"], line_of(entry.get("frames", ())), begin=time, address=address))
            events.append((time, True, alive[address]))
        elif action == "free_requested":
            number = alive.pop(address, None)
            if number is None:
                earlier.append((address, entry["size"], time))
            else:
                blocks[number].end = time
                events.append((time, False, number))
    gone = {address for address, _, _ in earlier}
    for segment in snapshot["segments"]:
        if segment.get("device", 0) == device:
            at = segment["address"]
            for held in segment["blocks"]:
                address = held.get("address", at)
                if held["state"] == "active_allocated" and address not in alive and address not in gone:
                    earlier.append((address, held.get("requested_size", held["size"]), -1))
                at += held["size"]
    return _completed(context, blocks, events, earlier)


def of_profile(recorded: list[tuple[int, int, int]], line: Callable[[int], str], context: StepContext) -> StepTrace:
    """From the profiler's memory events on a CPU: (ns, address, bytes, or less than 0 for a free), and the script's line by time.
    Of what was allocated before the step only parameters, gradients, optimizer state and the step's input are known."""
    blocks: list[Block] = []
    events: list[tuple[int, bool, int]] = []
    alive: dict[int, int] = {}
    earlier = {address: size for address, (_, size, _) in context.owners_before.items()}
    earlier_freed: dict[int, int] = {}
    for time, address, size in recorded:
        if size > 0:
            alive[address] = len(blocks)
            label = AUTOGRAD if phase_at(context, time) == "backward" else line(time)
            blocks.append(Block(size, label, begin=time, address=address))
            events.append((time, True, alive[address]))
        elif address in alive:
            number = alive.pop(address)
            blocks[number].end = time
            events.append((time, False, number))
        elif address in earlier:
            earlier_freed.setdefault(address, time)
    allocated = {block.address for block in blocks}
    for address, size in context.inputs.items():
        if address not in allocated:
            earlier.setdefault(address, size)
    return _completed(context, blocks, events,
                      [(address, size, earlier_freed.get(address, -1)) for address, size in earlier.items()])


def _completed(context: StepContext, blocks: list[Block], events: list[tuple[int, bool, int]],
               earlier: list[tuple[int, int, int]]) -> StepTrace:
    """Puts the blocks of before the step in front, decides phases, modules and categories, and finds the peak."""
    shift = len(earlier)
    events = [(time, allocates, number + shift) for time, allocates, number in events]
    events += [(time, False, number) for number, (_, _, time) in enumerate(earlier) if time >= 0]
    events.sort(key=lambda event: event[0])
    before = [Block(size, "(before this step)", begin=context.begin, end=time if time >= 0 else None, address=address)
              for address, size, time in earlier]
    for block in blocks:
        block.phase = phase_at(context, block.begin)
        block.module = _at(context.modules, block.begin, -1)
        block.freed_in = phase_at(context, block.end) if block.end is not None else ""
        block.category = _category(block, context)
        if not block.label and block.phase == "backward":
            block.label = AUTOGRAD
    for block in before:
        owner = context.owners_before.get(block.address)
        kept = context.owners_after.get(block.address) if block.end is None else None
        category, _, name = kept or owner or ("input" if block.address in context.inputs else "temporaries", 0, "")
        block.category, block.label = category, name or block.label
    trace = StepTrace(context, before + blocks, events, shift)
    _walk(trace)
    return trace


def _category(block: Block, context: StepContext) -> str:
    if block.end is None and block.address in context.owners_after:
        return context.owners_after[block.address][0]
    if block.phase == "data" and block.address in context.inputs:
        return "input"
    if block.phase in ("forward", "recompute") and block.freed_in != block.phase:
        return "activations"  # what backward needs, or the script keeps
    if block.phase == "backward" and block.freed_in in ("optimizer", ""):
        return "gradients"  # freed or replaced before the step ended, as zero_grad does
    return "temporaries"


def _walk(trace: StepTrace) -> None:
    ledger = empty_ledger()
    for block in trace.blocks[:trace.baseline]:
        ledger[block.category] += block.bytes
    total = highest = sum(ledger.values())
    trace.peak, trace.peak_time = dict(ledger), trace.context.begin
    points = [(trace.context.begin, tuple(ledger.values()))]
    for number, (time, allocates, block_number) in enumerate(trace.events):
        block = trace.blocks[block_number]
        change = block.bytes if allocates else -block.bytes
        ledger[block.category] += change
        total += change
        points.append((time, tuple(ledger.values())))
        if total > highest:
            highest, trace.peak, trace.peak_time, trace.peak_event = total, dict(ledger), time, number
    trace.timeline = [[max(0.0, (time - trace.context.begin) / 1e6), *values] for time, values in _thinned(points)]


def _thinned(points: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """At most 400, with the lowest and the highest total of equal spans of time."""
    if len(points) <= _MOST_POINTS:
        return points
    begin, length = points[0][0], max(1, points[-1][0] - points[0][0])
    spans: dict[int, list[int]] = {}
    for number, (time, values) in enumerate(points):
        span = spans.setdefault((time - begin) * (_MOST_POINTS // 2 - 1) // length, [number, number])
        total = sum(values)
        if total < sum(points[span[0]][1]):
            span[0] = number
        if total > sum(points[span[1]][1]):
            span[1] = number
    return [points[number] for number in sorted({each for span in spans.values() for each in span})]


def line_of(frames: Any) -> str:
    """The innermost line of the script in frames, innermost first: "train.py:57 forward". Empty where there is none."""
    for frame in frames:
        name = frame["filename"]
        if name.endswith(".py") and not is_library_file(name):
            return f"{os.path.basename(name)}:{frame['line']} {frame['name']}"
    for frame in frames:
        if frame["filename"].endswith(".py"):
            return f"{os.path.basename(frame['filename'])}:{frame['line']} {frame['name']}"
    return ""


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_known: dict[str, bool] = {}


def is_library_file(name: str) -> bool:
    if name not in _known:
        _known[name] = is_library(name) or name.startswith(_PACKAGE)
    return _known[name]
