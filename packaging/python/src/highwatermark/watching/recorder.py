"""Follows a training loop from inside of its process: phases, peaks, traced steps. Everything here runs on the script's thread."""

from __future__ import annotations

import collections
import functools
import math
import os
import sys
import threading
import time
import weakref
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Optional

import torch
from torch import nn

from ..script_parts import empty_ledger, one_line, owners_of, where
from .devices import CpuDevice, CudaDevice, Reading, device_of
from .growth import Growth
from .host import Resident
from .leaks import Leaks
from .losses import Losses
from .modules import Modules, tensors_in
from .plan import Plan
from .policy import TracePolicy
from .tracing import StepContext, StepTrace

_SAMPLE_EVERY = 64
_BUDGET = 0.006  # of a step's time that the detail of untraced steps may cost
_MOST_WAIT = 5  # seconds, for the recording before, where a step was asked for by its number
_TRACED_SHARE = 0.005  # of all time that traced steps may cost, after the first three
PHASE_OF = {"between": "data", "data": "data", "forward": "forward", "backward": "backward", "after": "optimizer",
             "optimizer": "optimizer", "validation": "forward"}


@dataclass
class Transition:
    """Where the loop came into a state, and what memory did until then."""

    state: str
    time: int
    event: Any
    reading: Optional[Reading]


@dataclass
class StepRecord:
    """One step, as it was seen; complete once the device has reached its end."""

    index: int
    transitions: list[Transition]
    learning_rate: Optional[float]
    loss: Callable[[], Optional[float]]
    batch: int
    owners: dict[str, int]
    inputs: int
    traced: bool = False
    sampled: bool = False
    trace: Optional[Callable[[], StepTrace]] = None
    forward: list[tuple[int, int, Any, int, Any]] = field(default_factory=list)
    backward: list[tuple[int, int, Any]] = field(default_factory=list)
    validation: list[tuple[Transition, Transition, int]] = field(default_factory=list)
    used: int = 0
    resident: int = 0  # memory of the process
    shapes: dict[int, list[int]] = field(default_factory=dict)


def _quietly(method: Callable) -> Callable:
    """Nothing that goes wrong here may reach the script. Counts the time that it takes."""
    @functools.wraps(method)
    def call(self: "Recorder", *arguments: Any, **keywords: Any) -> Any:
        if not self.active or self.pid != os.getpid():
            return None
        began = time.perf_counter_ns()
        try:
            return method(self, *arguments, **keywords)
        except Exception as error:
            self.give_up(error)
        finally:
            self.spent += time.perf_counter_ns() - began
    return call


class Recorder:
    """Gets told what the loop does, and hands complete steps to `write`."""

    def __init__(self, policy: TracePolicy, loss: Any, write: Callable[[StepRecord], None], send: Callable[..., None],
                 begun: Callable[["Recorder"], None], growth: Growth, plan: Plan):
        self.policy, self.plan, self.losses, self.leaks = policy, plan, Losses(loss, plan.of_experiment), Leaks(growth, self._find_owners, send)
        self._write, self._send, self._begun = write, send, begun
        self.active, self.pid, self.spent = True, os.getpid(), 0
        self.thread = threading.get_ident()
        self.device: Any = None
        self.modules: Optional[Modules] = None
        self.model: Callable[[], Optional[nn.Module]] = lambda: None
        self.counted: Optional[int] = None  # the optimizer whose steps count
        self.optimizers: dict[int, Any] = {}
        self.index = 0
        self.began = False
        self.state = "between"
        self.problem = ""
        self.data_seen = False
        self._transitions: list[Transition] = []
        self._pending: collections.deque[StepRecord] = collections.deque()
        self._validation: list[tuple[Transition, Transition, int]] = []
        self._validating: Optional[Transition] = None
        self._batch = 0
        self._inputs: dict[int, int] = {}
        self.batch: dict[int, int] = {}  # address: bytes, of what the step is known to train on; where nobody says, what the model gets
        self._owners: dict[int, tuple[str, int, str]] = {}
        self._owned: dict[str, int] = {}  # bytes by category
        self._owners_due, self._owners_fresh = 0.0, False  # fresh: nothing has run since they were found
        self._detail = True
        self._tracing, self._step_began = False, 0
        self._traced_cost, self._since = 0.0, time.perf_counter()
        self._peak = self._traced_peak = 0
        self._step_time, self._step_spent = 0, 0
        self._resident = Resident()

    # -- set up ---------------------------------------------------------------------------------------------------------

    @_quietly
    def cuda_begins(self) -> None:
        """From here on the script uses a GPU, whatever it does there: it may run out of memory."""
        if self.device is None:
            self._watch_device(torch.device("cuda", torch.cuda.current_device()))

    def _watch_device(self, device: torch.device) -> None:
        if self.device is not None:
            self.device.uninstall()
        self.device = CudaDevice(device.index or 0) if device.type == "cuda" else CpuDevice()
        self.device.install(self.out_of_memory)

    @_quietly
    def attach(self, model: Optional[nn.Module], optimizer: Optional[torch.optim.Optimizer]) -> None:
        if optimizer is not None:
            self.optimizers[id(optimizer)] = weakref.ref(optimizer)
            self.counted = self.counted or id(optimizer)
        if model is not None and self.modules is None:
            self.model = weakref.ref(model)
            self.modules = Modules(model, self._mark, self.enter_model, self.leave_model, self.plan)
            self.modules.attach(sampling=True)

    @_quietly
    def compiled(self, module: nn.Module) -> None:
        """The script has compiled a module; if it is the model, it will call this one, and the model's own hooks are not reached."""
        model = self.model()
        if self.began or model is None or self.modules is None or getattr(module, "_orig_mod", None) is not model:
            return
        self.modules.detach()
        self.modules = None
        self.attach(module, None)

    def _mark(self) -> Any:
        return self.device.mark() if self.device is not None else None

    def _begin(self) -> None:
        """The first step has reached the model: now the device is known."""
        device = device_of(self.model())
        if self.device is None or (self.device.kind, self.device.index) != (device.type, device.index or 0):
            self._watch_device(device)
        self.began = True
        self._begun(self)
        self._transitions = [Transition("between", time.perf_counter_ns(), self.device.mark(), self.device.read())]
        self._find_owners()
        if self.policy.first:
            self._start_trace()

    # -- what the loop does ---------------------------------------------------------------------------------------------

    def _to(self, state: str) -> Transition:
        detail = self._detail or self._tracing
        made = Transition(state, time.perf_counter_ns(), self.device.mark() if detail else None, self.device.read() if detail else None)
        self._transitions.append(made)
        self.state = state
        if self._tracing:
            self._phases.append((time.time_ns(), PHASE_OF[state]))
        return made

    @_quietly
    def enter_model(self, module: nn.Module, arguments: Any) -> None:
        if not self.began:
            self._begin()
        if self.state == "backward":
            return  # a checkpointed part, once more
        if not (torch.is_grad_enabled() and module.training):
            if self._validating is None:
                if self._validation:  # what is between two batches of validation belongs to it
                    self._forget_since(self._validation[-1][1])
                self._validating = self._to("validation")
            return
        tensors = list(tensors_in(arguments))
        if tensors and tensors[0].dim():
            self._batch = tensors[0].shape[0]
        if self._tracing or not self._inputs:
            self._inputs = {}
            for tensor in tensors:
                if tensor.device.type == self.device.kind and tensor.layout == torch.strided:
                    storage = tensor.untyped_storage()
                    self._inputs[storage.data_ptr()] = storage.nbytes()
        if self.state != "forward":
            self._to("forward")

    @_quietly
    def know_batch(self, values: Any) -> None:
        """What the step trains on: tensors among the values, such as input and target."""
        self.batch = {}
        for tensor in tensors_in(values):
            if tensor.layout == torch.strided and not tensor.requires_grad:
                storage = tensor.untyped_storage()
                self.batch[storage.data_ptr()] = storage.nbytes()

    @_quietly
    def leave_model(self, module: nn.Module) -> None:
        if self._validating is not None:
            ended = self._to("between")
            if self._validation:
                began, _, batches = self._validation.pop()
                self._validation.append((began, ended, batches + 1))
            else:
                self._validation.append((self._validating, ended, 1))
            self._validating = None

    def _forget_since(self, moment: Transition) -> None:
        if moment in self._transitions:
            del self._transitions[self._transitions.index(moment) + 1:]

    @_quietly
    def begin_data(self) -> str:
        before = self.state
        if self.began and before in ("between", "after") and threading.get_ident() == self.thread:
            self.data_seen = True
            self._to("data")
        return before

    @_quietly
    def end_data(self, before: str) -> None:
        if self.state == "data":
            self._to(before)

    @_quietly
    def begin_backward(self, tensors: Any) -> str:
        before = self.state
        if not self.began:
            self._begin()
        if before != "backward":
            self.losses.see(tensors, self.device)
            self._to("backward")
        return before

    @_quietly
    def end_backward(self, before: str) -> None:
        if before != "backward":
            self._to("after")
            if self.modules is not None:
                self.modules.end_backward()

    @_quietly
    def begin_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        if torch.compiler.is_compiling():
            return
        if not self.began:
            self._begin()
        self._to("optimizer")

    @_quietly
    def end_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        if torch.compiler.is_compiling() or not self.began:
            return
        self.optimizers.setdefault(id(optimizer), weakref.ref(optimizer))
        self.counted = self.counted or id(optimizer)
        if id(optimizer) == self.counted:
            self._end_step(optimizer)
        else:
            self._to("after")

    # -- steps ----------------------------------------------------------------------------------------------------------

    def _end_step(self, optimizer: torch.optim.Optimizer) -> None:
        end = Transition("end", time.perf_counter_ns(), self.device.mark(), self.device.read())
        self._transitions.append(end)
        traced, make = self._tracing, None
        now = time.perf_counter()
        self._refresh_owners(now, traced or self.index < 3)
        if traced:
            make = self.device.stop_history(self._context())
            self._tracing = False
            self._traced_cost += time.perf_counter() - now
        record = StepRecord(self.index, self._transitions, _learning_rate(optimizer), self.losses.take(self.device), self._batch,
                            self._owned, sum({**self.batch, **self._inputs}.values()), traced, False, make, validation=self._validation)
        modules = self.modules
        if modules is not None and modules.sampling:
            record.sampled, record.forward, record.backward = True, modules.forward, modules.backward
        self.leaks.take(self.device, self.index, end.reading, self._tracing)
        if self.device.counts:
            record.used = self.device.used()
        record.resident = self._resident.read()
        self._pending.append(record)
        self.flush()
        self.index += 1
        peak = max((each.reading.peak_requested for each in self._transitions if each.reading), default=0)
        self._keep_budget(end.time)
        self._validation, self.state = [], "between"
        self._plan(traced, peak)
        self._transitions = [Transition("between", time.perf_counter_ns(), self.device.mark(), _begins(end.reading))]
        self._owners_fresh = False

    def _keep_budget(self, now: int) -> None:
        """Phases in detail as long as they cost little of a step."""
        seen = self._detail and not self._tracing and self._step_time > 0
        cheap = seen and self.spent - self._step_spent < _BUDGET * (now - self._step_time)
        self._detail = cheap or self.index < 3 or self.index % 16 == 0
        self._step_time, self._step_spent = now, self.spent

    def _plan(self, traced: bool, peak: int) -> None:
        """What the next step is recorded with."""
        if traced:
            self._traced_peak = max(self._traced_peak, peak)
        worst = self.policy.worst and peak > self._peak * 1.005 and peak > self._traced_peak * 1.005
        self._peak = max(self._peak, peak)
        due = self.policy.every and self.index % self.policy.every == 0 or self.index in self.policy.also
        if self.device.kind == "cpu":  # there only a traced step is seen
            worst = self.policy.worst and (self.index in (2, 3) or self.index % 8 == 0)
        affordable = self.index < 4 or self._traced_cost + self.device.read_seconds < _TRACED_SHARE * (time.perf_counter() - self._since)
        trace = not self.leaks.busy and bool(due or worst and affordable)
        sample = trace or self.index in self.policy.sampled or self.index % _SAMPLE_EVERY == 0
        if self.modules is not None and (sample or self.modules.sampling or self.index == 1):
            self.modules.attach(sample)
        if trace:
            began = time.perf_counter()
            self._start_trace(_MOST_WAIT if due else 0)
            self._traced_cost += time.perf_counter() - began

    def _start_trace(self, wait: float = 0) -> None:
        self._tracing = self.device.start_history(wait)
        if self._tracing:
            self._owners_before = self._owners if self._owners_fresh else self._find_owners()
            self._phases = [(time.time_ns(), "data")]
            self._step_began = time.time_ns()

    def _context(self) -> StepContext:
        marks = []
        if self.modules is not None:
            marks = self.modules.marks + [(when, module) for module, when, _ in self.modules.backward]
            marks += [(when, -1) for when, phase in self._phases if phase == "optimizer"]
            marks.sort(key=lambda mark: mark[0])
        return StepContext(self.index, self._step_began, time.time_ns(), self._phases, marks, self._owners_before, self._owners,
                           {**self.batch, **self._inputs})

    def _find_owners(self) -> dict[int, tuple[str, int, str]]:
        self._owners = owners_of([self.model()], [each() for each in self.optimizers.values()], self.device.kind)
        self._owned = {}
        for category, size, _ in self._owners.values():
            self._owned[category] = self._owned.get(category, 0) + size
        self._owners_fresh = True
        return self._owners

    def _refresh_owners(self, now: float, must: bool) -> None:
        if must or now >= self._owners_due:
            self._find_owners()
            cost = time.perf_counter() - now
            self._owners_due = now + 500 * cost

    def flush(self, wait: float = 0) -> None:
        """Hands on what the device has completed."""
        late = time.monotonic() + wait
        while self._pending:
            event = self._pending[0].transitions[-1].event
            if event is not None and not event.query():
                if time.monotonic() >= late:
                    return
                time.sleep(0.001)
                continue
            record = self._pending.popleft()
            loss = record.loss()
            record.loss = lambda: loss
            self._write(record)

    # -- the end --------------------------------------------------------------------------------------------------------

    def out_of_memory(self, device: int, requested: int) -> None:
        """PyTorch is about to raise."""
        if not self.active or self.device is None or device != self.device.index:
            return
        try:
            self._begin_without_steps()
            from .writing import say_out_of_memory
            say_out_of_memory(self, requested)
        except Exception as error:
            self.problem = self.problem or one_line(error)

    def _begin_without_steps(self) -> None:
        if not self.began:
            self.began = True
            self._begun(self)

    def give_up(self, error: Exception) -> None:
        """The script goes on as if it was not watched."""
        self.problem = f"watching ended in step {self.index}: {one_line(error)}"
        self.stop()
        self._send({"event": "warning", "message": self.problem})

    def stop(self, wait: float = 0) -> None:
        """Takes everything off that was put into PyTorch."""
        if not self.active:
            return
        try:
            if self.device is not None and self.pid == os.getpid():
                self.leaks.end(self.device, self.index)
                self.flush(wait)
                if self.device.counts:
                    self._begin_without_steps()
                    self.writing.rest(self.device.read(), self.device.used(), self.ledger(), self.index)
        except Exception as error:
            self.problem = self.problem or one_line(error)
        self.active = False
        self._resident.close()
        try:
            if self.modules is not None:
                self.modules.detach()
            if self.device is not None:
                self.device.uninstall()
        except Exception as error:
            self.problem = self.problem or one_line(error)

    def line(self) -> str:
        """The script's line that is being executed; where autograd's own thread asks, that of the script's thread."""
        place = where()
        if place == "autograd" and threading.get_ident() != self.thread:
            frame = sys._current_frames().get(self.thread)
            place = where(frame) if frame is not None else place
        return place

    def ledger(self) -> dict[str, int]:
        """Parameters, gradients and optimizer state as they were found last."""
        return {**empty_ledger(), **self._owned}


def _begins(end: Optional[Reading]) -> Optional[Reading]:
    """The reading where a step begins, from that of the one before: since then only the watch has run."""
    if end is None:
        return None
    return replace(end, peak_requested=end.requested, peak_allocated=end.allocated, peak_reserved=end.reserved)


def _learning_rate(optimizer: torch.optim.Optimizer) -> Optional[float]:
    rate = optimizer.param_groups[0].get("lr") if optimizer.param_groups else None
    if isinstance(rate, torch.Tensor):
        rate = rate.item() if rate.device.type == "cpu" and rate.numel() == 1 else None
    return float(rate) if isinstance(rate, (int, float)) and math.isfinite(rate) else None
