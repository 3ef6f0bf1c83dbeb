"""Turns what the recorder saw into a run's events and files. Everything here but say_out_of_memory runs on the writer's thread."""

from __future__ import annotations

import math
import os
import pickle
import re
import time
from dataclasses import replace
from typing import Any, Optional

import torch

from .. import script_parts
from . import host
from .growth import Growth
from .outlet import Outlet, Rate
from .plan import OverBudget, Plan
from .recorder import PHASE_OF, Recorder, StepRecord, Transition
from .run_folder import write_atomically
from .summary import Summary
from .trace_file import write_trace
from .tracing import CATEGORIES, StepTrace

_MOST_TRACES = 8
_MOST_LINES = 40
_ALL_STEPS = 20_000  # of which each has an event; of later ones every tenth


class Writing:
    """The events of one run."""

    def __init__(self, outlet: Outlet, growth: Growth, plan: Plan):
        self.outlet, self.growth, self.plan = outlet, growth, plan
        self.summary = Summary(outlet.folder.id, plan)
        self.recorder: Optional[Recorder] = None
        self._began = time.monotonic()
        self._traces: list[StepTrace] = []
        self._split: Optional[dict[str, int]] = None
        self._carried: Optional[dict[str, Any]] = None
        self._last_end: Optional[Transition] = None
        self._samples: dict[int, dict[str, list[float]]] = {}
        self._ledgers, self._trace_files = Rate(10), Rate(1 / 60)
        self._searches, self._sizes, self._workers = Rate(50, 0.003), Rate(1000, 0.03), []
        self._unwritten = False
        self._host: dict[str, int] = {}
        self._pretended = self._cuda = False
        self._peak_state = "backward"

    def event(self, event: dict[str, Any], sync: bool = False) -> None:
        """From any thread, in order."""
        self.outlet.call(lambda: self._append(event, sync))

    def _append(self, event: dict[str, Any], sync: bool = False, *more: dict[str, Any]) -> None:
        for each in (event, *more):
            self.summary.take(each)
        with self.outlet._lock:
            self.outlet._append(event, sync, *more)

    def begun(self, recorder: Recorder) -> None:
        """The device is known."""
        self.recorder = recorder
        environment = recorder.device.environment()
        self._cuda, self._pretended = recorder.device.kind == "cuda", recorder.device.pretended
        layers = recorder.modules.layers if recorder.modules is not None else []
        self.event({"event": "started", "run_id": self.outlet.folder.id, "steps": self.plan.steps,
                    "warmup": self.plan.warmup, "watched": not self.plan.of_experiment,
                    "threads": torch.get_num_threads(), "isa": _isa() if not self._cuda else "", "layers": [dict(layer) for layer in layers], **environment}, True)

    def step(self, record: StepRecord) -> None:
        """Called by the recorder; the rest is done on the writer's thread."""
        record.shapes = {index: layer["output_shape"] for index, layer in enumerate(self.recorder.modules.layers)} \
            if self.recorder is not None and self.recorder.modules is not None and record.sampled else {}
        times = self._times(record)
        modules = self._module_times(record) if record.sampled and not self._pretended else {}
        if not self.outlet.call(lambda: self._step(record, times, modules)) and record.trace is not None and self.recorder is not None:
            self.recorder.device.forget()

    def rest(self, reading: Any, used: int, ledger: dict[str, int], steps: int) -> None:
        """What was after the last step: validation, inference, or all of a script that has no steps."""
        ledger["temporaries"] += max(0, reading.requested - sum(ledger.values()))
        self.event({"event": "ledger", "time_ms": 1000 * (time.monotonic() - self._began), "bytes": ledger, "low": sum(ledger.values()),
                    "high": max(sum(ledger.values()), reading.peak_requested), "merged": 1, "step": steps, "phase": "forward",
                    "device_memory": device_memory(reading, used, self.summary.started.get("memory_bytes", 0))})
        self.outlet.call(lambda: self.summary.rest(reading, steps))

    # -- times: on the script's thread, for they may ask the device's events -------------------------------------------

    def _between(self, earlier: Transition, later: Transition) -> float:
        if self._pretended or self._cuda and (earlier.event is None or later.event is None):
            return math.nan
        return earlier.event.elapsed_time(later.event) if self._cuda else (later.time - earlier.time) / 1e6

    def _times(self, record: StepRecord) -> dict[str, float]:
        moments = record.transitions
        spent = dict.fromkeys(("between", "data", "forward", "backward", "after", "optimizer", "validation"), 0.0)
        for earlier, later in zip(moments, moments[1:]):
            if earlier.state != "validation":
                spent[earlier.state] += self._between(earlier, later)
        spent["validation"] = sum(self._between(began, ended) for began, ended, _ in record.validation)
        begin = self._last_end or moments[0]
        spent["total"] = self._between(begin, moments[-1]) - (0 if math.isnan(spent["validation"]) else spent["validation"])
        spent["host_total"] = (moments[-1].time - begin.time) / 1e6
        self._last_end = moments[-1]
        return spent

    def _module_times(self, record: StepRecord) -> dict[int, dict[str, float]]:
        made: dict[int, dict[str, float]] = {}

        def between(began: int, event: Any, ended: int, other: Any) -> float:
            if self._cuda:
                return event.elapsed_time(other) if event is not None and other is not None and other.query() else 0.0
            return (ended - began) / 1e6

        for index, began, event, ended, other in record.forward:
            layer = made.setdefault(index, {"forward": 0.0, "backward": 0.0})
            layer["forward"] += between(began, event, ended, other)
        marks = record.backward
        for (index, began, event), (_, ended, other) in zip(marks, marks[1:]):
            if index < 0:  # between two backward passes
                continue
            layer = made.setdefault(index, {"forward": 0.0, "backward": 0.0})
            layer["backward"] += between(began, event, ended, other)
        return made

    # -- on the writer's thread -----------------------------------------------------------------------------------------

    def _step(self, record: StepRecord, times: dict[str, float], modules: dict[int, dict[str, float]]) -> None:
        trace = record.trace() if record.trace is not None else None
        record.trace = None
        data_seen = self.recorder is not None and self.recorder.data_seen
        phases = {"data": times["data"] if data_seen else times["between"], "forward": times["forward"], "recompute": 0.0,
                  "backward": times["backward"], "optimizer": times["optimizer"]}
        if self._pretended:
            phases["recompute"] = math.nan
        self.summary.batch = record.batch or self.summary.batch
        event: dict[str, Any] = {
            "event": "step", "index": record.index, "warmup": record.index < self.plan.warmup,
            "phases_ms": {name: _number(value) for name, value in phases.items()}, "total_ms": _number(times["total"]),
            "peak": self._peak(record, trace), "loss": record.loss()}
        if record.traced or record.sampled:
            event["waited"] = True  # its times do not count
        if trace is not None:
            self._take_trace(trace, event)
        if self._carried is not None and record.transitions[-1].reading is None and trace is None:
            event["peak_of_step"] = self._carried["step"]
        if record.learning_rate is not None:
            event["learning_rate"] = record.learning_rate
        if record.validation:
            event["validation"] = self._validation(record, times)
        self._add_device(record, event)
        self._add_host(record, event)
        if record.index % 16 == 15 and (found := self.growth.findings()):
            event["growth"] = found
        self._append_step(event, record)
        if self._ledgers.due():
            self._append(self._ledger(record, event))
        self._add_layers(modules, trace, record.shapes)

    def _append_step(self, event: dict[str, Any], record: StepRecord) -> None:
        if record.index < _ALL_STEPS or record.index % 10 == 0 or record.traced or record.validation:
            self._append(event)
        else:
            self.summary.take(event)

    def _peak(self, record: StepRecord, trace: Optional[StepTrace]) -> dict[str, Any]:
        if trace is not None:
            self._split = trace.peak
            layer = trace.peak_module
            peak = {"bytes": trace.peak, "time_ms": max(0.0, (trace.peak_time - trace.context.begin) / 1e6), "phase": trace.peak_phase,
                    "layer": layer}
            self._carried = {"peak": peak, "step": record.index}
            return peak
        if record.transitions[-1].reading is None:  # a CPU: nothing is counted there; the newest traced step's peak stands for it
            if self._carried is not None:
                return self._carried["peak"]
            known = _ledger_of(record.owners)
            known["input"] = record.inputs
            return {"bytes": known, "time_ms": 0.0, "phase": "forward", "layer": -1}
        peaks = [(later.reading.peak_requested, earlier.state, later.time) for earlier, later in
                 zip(record.transitions, record.transitions[1:]) if later.reading is not None and earlier.state != "validation"]
        size, state, when = max(peaks)
        if all(each.reading is not None for each in record.transitions):
            self._peak_state = state  # else, in a step without detail, it is taken to be as in the newest one with it
        return {"bytes": self._estimated(record, size, self._peak_state), "time_ms": max(0.0, (when - record.transitions[0].time) / 1e6),
                "phase": PHASE_OF[self._peak_state], "layer": -1}

    def _estimated(self, record: StepRecord, size: int, state: str) -> dict[str, int]:
        """How a peak divides: parameters and optimizer state are known, and what is left divides as in the newest traced step;
        without one, what the forward pass left behind is activations."""
        ledger, left = _ledger_of({}), size

        def take(category: str, most: float) -> None:
            nonlocal left
            ledger[category] += (taken := int(max(0, min(left, most))))
            left -= taken

        take("parameters", record.owners.get("parameters", 0))
        take("optimizer_state", record.owners.get("optimizer_state", 0))
        rest = {name: self._split[name] for name in ("input", "gradients", "activations")} if self._split else {}
        others = sum(rest.values()) + (self._split["temporaries"] + self._split["workspace"] if self._split else 0)
        if others:
            whole = left
            for name, part in rest.items():
                take(name, whole * part / others)
        else:
            take("input", record.inputs)
            levels = {earlier.state: (earlier.reading, later.reading) for earlier, later in zip(record.transitions, record.transitions[1:])}
            before, after = levels.get("forward", (None, None))
            if before is not None and after is not None:
                take("activations", after.requested - before.requested)
            if state in ("after", "optimizer"):
                take("gradients", record.owners.get("gradients", 0))
        ledger["temporaries"] += left
        return ledger

    def _take_trace(self, trace: StepTrace, event: dict[str, Any]) -> None:
        event["timeline"] = [[round(row[0], 4), *row[1:]] for row in trace.timeline]
        event["marks"] = [[max(0.0, (when - trace.context.begin) / 1e6), phase, -1] for when, phase in trace.context.phases][:1000]
        event["traced"] = True
        self._traces.append(trace)
        if len(self._traces) > _MOST_TRACES:  # the first and the highest stay
            highest = max(self._traces, key=lambda each: each.peak_bytes)
            self._traces.remove(next(each for each in self._traces[1:] if each is not highest))
        self._traces.sort(key=lambda each: each.context.index)
        self._unwritten = True
        if self._trace_files.due():
            self._write_traces()
        highest = max(self._traces, key=lambda each: each.peak_bytes)
        if highest is trace:
            self.summary.extra["peak_lines"] = _by_line(trace)

    def _write_traces(self) -> None:
        if not self.plan.keeps_trace:
            return
        steps = ", ".join(str(each.context.index) for each in self._traces)
        layers = [layer["name"] for layer in self.summary.layers]
        write_trace(self.outlet.folder.path / "trace.db", self._traces, layers, f"only the traced steps are in it: {steps}")
        self._unwritten = False

    def _validation(self, record: StepRecord, times: dict[str, float]) -> dict[str, Any]:
        made: dict[str, Any] = {"ms": _number(times["validation"]), "batches": sum(batches for _, _, batches in record.validation)}
        peaks = [later.reading.peak_requested for earlier, later in zip(record.transitions, record.transitions[1:])
                 if earlier.state == "validation" and later.reading is not None]
        if peaks:
            made["peak_bytes"] = max(peaks)
        kept = self.summary.extra.setdefault("validation", {"batches": 0, "peak_bytes": 0})
        kept["batches"] += made["batches"]
        kept["peak_bytes"] = max(kept["peak_bytes"], made.get("peak_bytes", 0))
        return made

    def _add_device(self, record: StepRecord, event: dict[str, Any]) -> None:
        reading = record.transitions[-1].reading
        if reading is None:
            return
        readings = [each.reading for each in record.transitions if each.reading is not None]
        event["allocated_bytes"] = max(each.peak_allocated for each in readings)
        event["reserved_bytes"] = max(each.peak_reserved for each in readings)
        peak = max(readings, key=lambda each: each.peak_requested)
        event["device_memory"] = device_memory(
            replace(peak, requested=peak.peak_requested, allocated=peak.peak_allocated, reserved=max(peak.reserved, peak.peak_allocated), split=0),
            record.used, self.summary.started.get("memory_bytes", 0))
        self.summary.retries = reading.retries
        self.summary.reserved = max(self.summary.reserved, event["reserved_bytes"])
        kept = self.summary.extra
        kept["max_memory_allocated_bytes"] = max(kept.get("max_memory_allocated_bytes", 0), event["allocated_bytes"])

    def _add_host(self, record: StepRecord, event: dict[str, Any]) -> None:
        if self._searches.due():
            self._workers = host.workers()
            self._searches.done()
        if self._sizes.due():
            # The main thread is looked at each time, all of them seldom: there may be hundreds.
            found = {*self._workers, *host.workers([str(os.getpid())])}
            sizes = [size for size in map(host.resident, found) if size]  # what they share counts in each
            self._host = {"process": 0, "workers": sum(sizes), "worker_count": len(sizes)}
            self._sizes.done()
        self._host = {**self._host, "process": record.resident}
        self.growth.take(process=self._host["process"], workers=self._host["workers"])
        event["host_memory"] = self._host
        kept = self.summary.extra.setdefault("host_memory", dict(self._host))
        for name, value in self._host.items():
            kept[name] = max(kept[name], value)

    def _ledger(self, record: StepRecord, step: dict[str, Any]) -> dict[str, Any]:
        reading = record.transitions[-1].reading
        ledger = _ledger_of(record.owners)
        if reading is not None:
            ledger["temporaries"] += max(0, reading.requested - sum(ledger.values()))
        total = sum(ledger.values())
        made = {"event": "ledger", "time_ms": 1000 * (time.monotonic() - self._began), "bytes": ledger, "low": total,
                "high": max(total, sum(step["peak"]["bytes"].values())), "merged": 1, "step": record.index, "phase": "optimizer"}
        if reading is not None:
            made["device_memory"] = device_memory(reading, record.used, self.summary.started.get("memory_bytes", 0))
        return made

    def _add_layers(self, modules: dict[int, dict[str, float]], trace: Optional[StepTrace], shapes: dict[int, list[int]]) -> None:
        activations: dict[int, int] = {}
        if trace is not None:
            for block in trace.blocks[trace.baseline:]:
                if block.category == "activations" and block.module >= 0:
                    activations[block.module] = activations.get(block.module, 0) + block.bytes
        events = []
        for index in sorted({*modules, *activations, *(index for index, shape in shapes.items() if shape)}):
            if index >= len(self.summary.layers):
                continue
            layer = dict(self.summary.layers[index])
            if not self.plan.of_experiment:
                layer["output_shape"] = shapes.get(index, layer["output_shape"])
            if trace is not None:
                layer["activation_bytes"] = activations.get(index, 0)
            if index in modules:
                samples = self._samples.setdefault(index, {"forward": [], "backward": []})
                for phase, values in samples.items():
                    values.append(modules[index][phase])
                    del values[:-50]
                    layer[f"{phase}_ms"] = sorted(values)[len(values) // 2]
            events.append({"event": "layer", "layer": index, **layer})
        if events:
            self._append(events[0], False, *events[1:])

    def finish(self, status: str, extra: dict[str, Any]) -> None:
        """The run's end: result.json, watch.json and the state."""
        summary = self.summary
        if status == "done" and summary.failure is not None:
            summary.failure = None  # the script caught it
        if self._unwritten:
            self._write_traces()
        found = self.growth.findings()
        for each in found:
            self._append({"event": "warning", "message": each["sentence"]})
        if self.outlet.left_out:
            self._append({"event": "warning", "message": f"{self.outlet.left_out} events are missing: the disk was slower than the script"})
        if self.outlet.problem:
            self._append({"event": "warning", "message": f"not all was written: {self.outlet.problem}"})
        result = summary.result(status, host.peak_resident())
        self._append({"event": "finished", "result": result}, True)
        write_atomically(self.outlet.folder.path / "watch.json",
                         {"format": "highwater.watch/1", **summary.extra, **extra, "growth": found, "steps": summary.steps,
                          "traced_steps": [trace.context.index for trace in self._traces]})
        self.outlet.folder.finish(result, summary.failure["why"] if summary.failure is not None else "")


def say_out_of_memory(recorder: Recorder, requested: int) -> None:
    """What PyTorch could not get, where and beside what: on disk before the exception is raised."""
    writing: Writing = recorder.writing
    reading = recorder.device.read()
    ledger = recorder.ledger()
    left = max(0, reading.requested - sum(ledger.values()))
    ledger["activations" if recorder.state in ("forward", "backward") else "temporaries"] += left
    stack = recorder.modules._stack if recorder.modules is not None else []
    layer = next((recorder.modules.layers[index]["name"] for index in reversed(stack) if index >= 0), "")
    event = {"event": "failed", "status": "out_of_memory", "step": recorder.index, "phase": PHASE_OF.get(recorder.state, "forward"),
             "why": f"{recorder.line()}: CUDA out of memory: {requested} bytes were asked for", "layer": layer,
             "requested_bytes": requested, "bytes": ledger,
             "device_memory": device_memory(reading, recorder.device.used(), recorder.device.capacity)}
    writing.summary.failure = {key: value for key, value in event.items() if key != "event"}
    writing.outlet.send_now(event)
    path = writing.outlet.folder.path / "out-of-memory.pickle"
    with open(path, "wb") as file:
        pickle.dump(recorder.device.snapshot(), file, protocol=4)


def failed(error: BaseException, step: int) -> dict[str, Any]:
    """The event of a script that ended with an exception."""
    text = str(error)
    on_cpu = re.search(r"you tried to allocate (\d+) bytes", text)
    full = isinstance(error, (torch.cuda.OutOfMemoryError, OverBudget)) or on_cpu is not None
    place = script_parts.failure_place(error)
    why = text if isinstance(error, OverBudget) else f"{place}: {script_parts.one_line(error)}" if place else script_parts.one_line(error)
    return {"event": "failed", "status": "out_of_memory" if full else "failed", "step": step, "phase": "forward", "layer": "",
            "why": why[:2000], "requested_bytes": int(on_cpu[1]) if on_cpu else 0,
            "bytes": script_parts.empty_ledger()}


def device_memory(reading: Any, used: int, capacity: int) -> dict[str, Any]:
    """What nvidia-smi shows, in parts. What is beside the allocator may be another process's too."""
    rounding = max(0, reading.allocated - reading.requested)
    cache = max(0, reading.reserved - reading.allocated - reading.split)
    context = max(0, used - reading.reserved)
    return {"tensors": reading.requested, "rounding": rounding, "split": reading.split, "cache": cache, "context": context,
            "context_known": False, "others": 0, "used": reading.reserved + context, "capacity": capacity}


def _ledger_of(owners: dict[str, int]) -> dict[str, int]:
    return {category: owners.get(category, 0) for category in CATEGORIES}


def _isa() -> str:
    """As the engine names it: "avx2", "avx512"."""
    return torch.backends.cpu.get_cpu_capability().lower()


def _number(value: float) -> Optional[float]:
    return round(value, 4) if math.isfinite(value) else None


def _by_line(trace: StepTrace) -> list[dict[str, Any]]:
    """The lines whose blocks are alive at the peak, the largest first."""
    lines: dict[str, list[int]] = {}
    for block in trace.alive_at_peak():
        line = lines.setdefault(block.label, [0, 0])
        line[0] += block.bytes
        line[1] += 1
    return [{"line": line, "bytes": size, "blocks": blocks}
            for line, (size, blocks) in sorted(lines.items(), key=lambda each: -each[1][0])[:_MOST_LINES]]
