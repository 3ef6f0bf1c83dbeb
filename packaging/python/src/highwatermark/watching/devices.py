"""The memory of the device that a script trains on: what is cheap to read in every step, and the history of a traced one."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Optional

import torch

from ..script_parts import cudnn_version
from . import collector
from .lines import Lines
from .tracing import StepContext, StepTrace, of_profile, of_snapshot

_MOST_HISTORY = 2_000_000
_WARNINGS_OFF = 2  # of c10's log levels: errors only


@dataclass(frozen=True)
class Reading:
    """Bytes. `peak_*`: the highest since the last reading."""

    requested: int
    allocated: int
    reserved: int
    split: int
    peak_requested: int
    peak_allocated: int
    peak_reserved: int
    retries: int


def device_of(model: Optional[torch.nn.Module]) -> torch.device:
    """Where the model is; without parameters, the current GPU if one is in use."""
    first = next(model.parameters(), None) if model is not None else None
    if first is not None and first.device.type == "cuda":
        return first.device
    if first is None and torch.cuda.is_initialized():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def pretended() -> bool:
    """Whether the GPU is Highwater's pretended device."""
    return bool(os.environ.get("HIGHWATER_PRETEND_GPU")) and hasattr(ctypes.CDLL(None), "highwaterPretendOnEvent")


class CpuDevice:
    """PyTorch keeps no counters of a CPU's memory. A traced step is seen by its profiler, the others are not."""

    kind = "cpu"
    pretended = False
    counts = False

    def __init__(self) -> None:
        self.index = 0
        self._profile: Any = None
        self._lines: Optional[Lines] = None
        self._unread: Any = None  # the newest recording, which the writer's thread reads
        self._read = threading.Event()
        self._read.set()
        self.read_seconds = 0.0  # that recordings took to be read
        self._level: Optional[ctypes.c_int] = None

    def environment(self) -> dict[str, Any]:
        return {"device": "cpu", "device_name": _processor(), "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                "versions": _versions()}

    def install(self, _: Any) -> None:
        self._level = _log_level()
        guard_profilers(self)

    def uninstall(self) -> None:
        self.stop_history(None)
        guard_profilers(None)

    def mark(self) -> None:
        """No events: the processor's time is the time."""

    def read(self) -> Optional[Reading]:
        return None

    def start_history(self, wait: float = 0) -> bool:
        """Starts to record the step's allocations, and returns whether it does. It does not if the script uses a profiler itself,
        or if the previous recording is still being read after `wait` seconds."""
        if torch.autograd.profiler._is_profiler_enabled or not self._read.wait(wait):
            return False
        # Freed on another thread, while a recording is on, Kineto crashes (seen in 2.11). So it is read there, but freed here.
        self._unread = None
        if self._level is not None:
            self._before, self._level.value = self._level.value, max(self._level.value, _WARNINGS_OFF)
        os.environ.setdefault("KINETO_LOG_LEVEL", "99")
        profile = torch.autograd.profiler.profile(use_cpu=True, profile_memory=True, use_kineto=True)
        profile._highwater = True
        profile._prepare_trace()
        torch.autograd.profiler._run_on_profiler_start()
        # Memory is recorded in every scope. Without the operators a recording has half the events.
        torch.autograd._enable_profiler(profile.config(), profile.kineto_activities, {torch._C._profiler.RecordScope.USER_SCOPE})
        self._profile = profile
        lines = Lines()
        self._lines = lines if lines.start(sys._getframe()) else None
        return True

    def stop_history(self, context: Optional[StepContext]) -> Optional[Callable[[], StepTrace]]:
        """Ends the recording. The result makes the trace, on whatever thread."""
        if self._profile is None:
            return None
        self._profile = None
        line = self._lines.stop() if self._lines is not None else lambda _: ""
        recorded = torch.autograd._disable_profiler()
        torch.autograd.profiler._run_on_profiler_stop()
        if self._level is not None:
            self._level.value = self._before
        if context is None:
            return None
        self._unread = recorded
        # Once it has been read, this thread alone may hold it: the next recording may begin before the reader's frame is gone.
        held = [recorded]
        del recorded

        def read() -> StepTrace:
            began = time.perf_counter()
            try:
                with collector.resting():
                    return of_profile(_memory_events(held.pop()), line, context)
            finally:
                self._read.set()
                self.read_seconds += time.perf_counter() - began

        self._read.clear()
        return read

    def forget(self) -> None:
        """Nobody will read the newest recording."""
        self._read.set()

    @property
    def recording(self) -> bool:
        return self._profile is not None


def _memory_events(recorded: Any) -> list[tuple[int, int, int]]:
    """Types are compared, for tags are slow."""
    from torch._C._profiler import _ExtraFields_Allocation
    found = []
    waiting = recorded.experimental_event_tree()
    while waiting:
        event = waiting.pop()
        fields = event.extra_fields
        if type(fields) is _ExtraFields_Allocation:
            size = fields.alloc_size
            if size and fields.device.type == "cpu":
                found.append((event.start_time_ns, fields.ptr, size))
        else:
            waiting.extend(event.children)
    found.sort(key=lambda event: event[0])
    return found


class CudaDevice:
    """A GPU, or a pretended one: the allocator's own counters, whose peaks are read and reset at every phase, and its history.

    The script sees the counters as if nobody had reset them: what was reset is kept and given back to it.
    """

    kind = "cuda"
    counts = True

    def __init__(self, index: int):
        self.index = index
        self.pretended = pretended()
        self.recording, self.read_seconds = False, 0.0
        self._stats = torch._C._cuda_memoryStats
        self._reset = torch._C._cuda_resetPeakMemoryStats
        self._record = torch._C._cuda_record_memory_history
        self._kept: dict[str, Any] = {}  # the peaks that the script has not reset
        self._lock = threading.Lock()
        self._last: Optional[Reading] = None
        self._missed: Optional[Reading] = None  # peaks of before a reset of the script's
        self._scripts_history = self._own = False
        self._used, self._used_due = 0, 0.0

    def environment(self) -> dict[str, Any]:
        properties = torch.cuda.get_device_properties(self.index)
        device = os.environ.get("HIGHWATER_SCRIPT_DEVICE") or f"pretended {os.environ['HIGHWATER_PRETEND_GPU']}" if self.pretended \
            else f"cuda:{self.index}"
        return {"device": device, "device_name": properties.name, "memory_bytes": properties.total_memory,
                "architecture": 10 * properties.major + properties.minor,
                "versions": {**_versions(), "cuda": torch.version.cuda or "", "cudnn": cudnn_version(torch)}}

    def install(self, on_out_of_memory: Callable[[int, int], None]) -> None:
        self.capacity = torch.cuda.get_device_properties(self.index).total_memory
        torch._C._cuda_memoryStats = self._stats_for_script
        torch._C._cuda_resetPeakMemoryStats = self._reset_for_script
        torch._C._cuda_record_memory_history = self._record_for_script
        _observe_out_of_memory(on_out_of_memory)
        self._reset_own()

    def uninstall(self) -> None:
        self.stop_history(None)
        for name, own, before in (("_cuda_memoryStats", self._stats_for_script, self._stats),
                                  ("_cuda_resetPeakMemoryStats", self._reset_for_script, self._reset),
                                  ("_cuda_record_memory_history", self._record_for_script, self._record)):
            if getattr(torch._C, name) == own and (name != "_cuda_memoryStats" or not self._kept):
                setattr(torch._C, name, before)  # where peaks are kept the script goes on to need them
        _observe_out_of_memory(None)

    def mark(self) -> Any:
        """An event in the current stream; nothing where a graph is captured, or nothing is executed."""
        if self.pretended or torch.cuda.is_current_stream_capturing():
            return None
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self.index))
        return event

    def read(self) -> Reading:
        with self._lock:
            reading = self._take()
            missed, self._missed = self._missed, None
        if missed is not None:
            reading = Reading(reading.requested, reading.allocated, reading.reserved, reading.split,
                              max(reading.peak_requested, missed.peak_requested), max(reading.peak_allocated, missed.peak_allocated),
                              max(reading.peak_reserved, missed.peak_reserved), reading.retries)
        return reading

    def used(self) -> int:
        """What is in use on the whole device, by whomever; asked of the driver at most twice a second, which may take it long."""
        now = time.monotonic()
        if now >= self._used_due:
            free, total = torch.cuda.mem_get_info(self.index)
            self._used, self._used_due = total - free, now + 0.5
        return self._used

    def snapshot(self) -> dict[str, Any]:
        with collector.resting():
            return torch.cuda.memory._snapshot()

    def start_history(self, wait: float = 0, state_only: bool = False) -> bool:
        if self._scripts_history or torch._C._cuda_isHistoryEnabled():
            return False
        # Not "all": to look for the frames of what is freed while an exception passes loses the exception (seen in 2.11).
        self._history("state" if state_only else "all", context="state" if state_only else "alloc", stacks="python",
                      max_entries=_MOST_HISTORY)
        self.recording = True
        return True

    def stop_history(self, context: Optional[StepContext]) -> Optional[Callable[[], StepTrace]]:
        if not self.recording:
            return None
        snapshot = self.snapshot() if context is not None else None
        self.recording = False
        if not self._scripts_history:
            self._history(None)
        if snapshot is None or context is None:
            return None

        def read() -> StepTrace:
            began = time.perf_counter()
            try:
                with collector.resting():
                    return of_snapshot(snapshot, self.index, context)
            finally:
                self.read_seconds += time.perf_counter() - began

        return read

    def _history(self, *arguments: Any, **keywords: Any) -> None:
        self._own = True
        try:
            torch.cuda.memory._record_memory_history(*arguments, **keywords)
        finally:
            self._own = False

    def forget(self) -> None:
        """A recording is a value here: nothing waits for it to be read."""

    def _take(self) -> Reading:
        raw = self._stats(self.index)
        self._reset(self.index)
        _keep_peaks(self._kept, raw)
        requested, allocated, reserved = (raw[key]["all"] for key in ("requested_bytes", "allocated_bytes", "reserved_bytes"))
        return Reading(requested["current"], allocated["current"], reserved["current"], raw["inactive_split_bytes"]["all"]["current"],
                       requested["peak"], allocated["peak"], reserved["peak"], raw["num_alloc_retries"])

    def _reset_own(self) -> None:
        with self._lock:
            self._take()

    def _stats_for_script(self, index: int) -> dict[str, Any]:
        raw = self._stats(index)
        if index == self.index:
            with self._lock:
                _give_peaks(self._kept, raw)
        return raw

    def _reset_for_script(self, index: int) -> None:
        if index != self.index:
            return self._reset(index)
        with self._lock:
            reading, before = self._take(), self._missed
            self._missed = reading if before is None or before.peak_requested < reading.peak_requested else before
            self._kept.clear()

    def _record_for_script(self, *arguments: Any, **keywords: Any) -> Any:
        """The script's own history has the right of way."""
        if not self._own:
            self._scripts_history = bool(arguments and arguments[0]) or bool(keywords.get("enabled"))
            self.recording = False
        return self._record(*arguments, **keywords)


def _keep_peaks(kept: dict[str, Any], raw: dict[str, Any]) -> None:
    for name, value in raw.items():
        if isinstance(value, dict):
            if "peak" in value:
                kept[name] = max(kept.get(name, 0), value["peak"])
            else:
                _keep_peaks(kept.setdefault(name, {}), value)


def _give_peaks(kept: dict[str, Any], raw: dict[str, Any]) -> None:
    for name, value in kept.items():
        if isinstance(value, dict):
            _give_peaks(value, raw[name])
        else:
            raw[name]["peak"] = max(raw[name]["peak"], value)


_observer: Optional[Callable[[int, int], None]] = None
_observing = False


def _observe_out_of_memory(then: Optional[Callable[[int, int], None]]) -> None:
    """PyTorch has no way to take an observer off, so there is one for the process."""
    global _observer, _observing
    _observer = then
    if then is not None and not _observing:
        torch._C._cuda_attach_out_of_memory_observer(_out_of_memory)
        _observing = True


def _out_of_memory(device: int, requested: int, _total: int, _free: int) -> None:
    if _observer is not None:
        _observer(device, requested)


_guarded: Any = None


def guard_profilers(device: Optional[CpuDevice]) -> None:
    """A profiler of the script's ends the recording of a step, for PyTorch has one at a time."""
    global _guarded
    _guarded = device
    kind = torch.autograd.profiler.profile
    if getattr(kind, "_highwater_guard", False):
        return
    prepare = kind._prepare_trace

    def guarded(self: Any) -> Any:
        if _guarded is not None and _guarded.recording and not getattr(self, "_highwater", False):
            _guarded.stop_history(None)
        return prepare(self)

    kind._prepare_trace, kind._highwater_guard = guarded, True


def _log_level() -> Optional[ctypes.c_int]:
    """c10's log level: the profiler warns of every block that it sees freed and did not see allocated."""
    try:
        library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libc10.so"))
        return ctypes.c_int.in_dll(library, "FLAGS_caffe2_log_level")
    except (OSError, ValueError):
        return None


def _versions() -> dict[str, str]:
    return {"python": sys.version.split()[0], "libtorch": torch.__version__}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "CPU")
    except OSError:
        return "CPU"
