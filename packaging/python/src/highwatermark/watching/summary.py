"""What a watched run comes to: result.json, and watch.json with what an engine's result has no place for."""

from __future__ import annotations

import array
import math
import random
from typing import Any, Optional

from ..script_parts import empty_ledger
from .plan import Plan

_PHASES = ("data", "forward", "recompute", "backward", "optimizer")
_MOST_SAMPLES = 100_000  # of times; later ones take the place of earlier ones at random


class Summary:
    """Takes the events as they are written, by the writer's thread."""

    def __init__(self, run_id: str, plan: Plan):
        self.run_id, self.plan = run_id, plan
        self.started: dict[str, Any] = {}
        self.layers: list[dict[str, Any]] = []
        self.losses = array.array("d")
        self.times: list[float] = []
        self.phases: dict[str, list[float]] = {phase: [] for phase in _PHASES}
        self.steps = self.timed = 0
        self.peak: dict[str, Any] = {"bytes": empty_ledger(), "time_ms": 0.0, "phase": "setup", "layer": -1}
        self.at_end = empty_ledger()
        self.device: Optional[dict[str, Any]] = None
        self.device_at_peak: Optional[dict[str, Any]] = None
        self.reserved = self.used = self.retries = 0
        self.failure: Optional[dict[str, Any]] = None
        self.batch = 0
        self.extra: dict[str, Any] = {"warnings": []}
        self._random = random.Random(0)

    def take(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "started":
            self.started, self.layers = event, [dict(layer) for layer in event["layers"]]
        elif kind == "layer":
            self.layers[event["layer"]] = {key: value for key, value in event.items() if key not in ("event", "layer")}
        elif kind == "ledger":
            self.at_end = event["bytes"]
            self._take_device(event.get("device_memory"), sum(event["bytes"].values()))
        elif kind == "step":
            self._take_step(event)
        elif kind == "failed":
            self.failure = {key: value for key, value in event.items() if key != "event"}
        elif kind == "warning":
            self.extra["warnings"].append(event["message"])

    def _take_step(self, step: dict[str, Any]) -> None:
        self.steps = step["index"] + 1
        loss = step["loss"]
        self.losses.append(math.nan if loss is None else loss)
        if sum(step["peak"]["bytes"].values()) > sum(self.peak["bytes"].values()):
            self.peak = step["peak"]
            self.device_at_peak = step.get("device_memory") or self.device_at_peak
        self._take_device(step.get("device_memory"), 0)
        if step["warmup"] or step.get("waited") or step["total_ms"] is None:
            return
        self.timed += 1
        for samples, value in ((self.times, step["total_ms"]), *((self.phases[phase], step["phases_ms"][phase]) for phase in _PHASES)):
            if value is not None:
                if len(samples) < _MOST_SAMPLES:
                    samples.append(value)
                else:
                    samples[self._random.randrange(_MOST_SAMPLES)] = value

    def rest(self, reading: Any, steps: int) -> None:
        """After the last step; where there was none, this is the run's peak."""
        self.extra["after_last_step"] = {"peak_bytes": reading.peak_requested, "max_memory_allocated_bytes": reading.peak_allocated}
        self.extra["max_memory_allocated_bytes"] = max(self.extra.get("max_memory_allocated_bytes", 0), reading.peak_allocated)
        self.reserved = max(self.reserved, reading.peak_reserved)
        if steps == 0:
            self.peak = {"bytes": {**empty_ledger(), "temporaries": reading.peak_requested}, "time_ms": 0.0, "phase": "forward", "layer": -1}

    def _take_device(self, device: Optional[dict[str, Any]], tensors: int) -> None:
        if device is None:
            return
        self.device = device
        held = sum(device[part] for part in ("tensors", "rounding", "split", "cache"))
        self.reserved = max(self.reserved, held)
        self.used = max(self.used, held + device["context"] + device["others"])

    def result(self, status: str, peak_rss: int) -> dict[str, Any]:
        layers = [dict(layer) for layer in self.layers]
        self.plan.add_up(layers)
        median, low, high = _median_with_interval(self.times, self._random)
        losses = [None if math.isnan(loss) else loss for loss in self.losses]
        environment = {key: self.started.get(key, missing) for key, missing in
                       (("device", "cpu"), ("device_name", ""), ("versions", {}), ("threads", 0), ("isa", ""), ("memory_bytes", 0))}
        if self.started.get("architecture"):
            environment["architecture"] = self.started["architecture"]
        made = {"run_id": self.run_id, "status": status, **environment, "peak_allocated_bytes": sum(self.peak["bytes"].values()),
                "peak_rss_bytes": peak_rss, "peak_by_category": self.peak["bytes"], "peak": self.peak, "layers": layers,
                "step_ms": {"median": median, "ci95": [low, high], "n": len(self.times)},
                "phases_ms": {phase: _median(samples) for phase, samples in self.phases.items()},
                "throughput_samples_per_s": self.batch * 1000 / median if median > 0 else 0.0,
                "loss_first": losses[0] if losses else 0.0, "loss_last": losses[-1] if losses else 0.0, "losses": losses,
                "at_end": self.at_end}
        if self.reserved:
            made["peak_reserved_bytes"] = self.reserved
        if self.used:
            made["peak_device_used_bytes"] = self.used
        for key, device in (("device_at_peak", self.device_at_peak), ("device_at_end", self.device)):
            if device is not None:
                made[key] = device
        if self.retries:
            made["allocation_retries"] = self.retries
        if self.failure is not None:
            made["failure"] = self.failure
        if self.plan.predicted is not None:
            made["predicted"] = self.plan.predicted
        return made


def _median(values: list[float]) -> float:
    if not values:
        return 0.0
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _median_with_interval(values: list[float], source: random.Random) -> tuple[float, float, float]:
    """With the 95 % interval of order statistics, which needs no assumption on the distribution."""
    if not values:
        return 0.0, 0.0, 0.0
    ordered, n = sorted(values), len(values)
    reach = 0.98 * math.sqrt(n)
    low, high = max(0, math.floor(n / 2 - reach)), min(n - 1, math.ceil(n / 2 + reach))
    return _median(values), ordered[low], ordered[high]
