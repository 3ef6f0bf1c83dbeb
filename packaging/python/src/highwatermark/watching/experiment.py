"""Trains an experiment that Highwater exported (model.py in the run's folder) as its engine would, and records it in that folder.

    --run DIR --device DEVICE --steps N --warmup N [--budget BYTES] [--no-trace]

are the engine's own arguments. DIR/python.json (core/script/python_run) has the layers and the prediction; how long Python itself
takes of a step is added to it. Events go to standard output as well. The exit codes are the engine's.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from ..script_parts import OWN, give_signals_a_stack, no_code, one_line
from .plan import OverBudget, Plan
from .policy import TracePolicy

_OUT_OF_MEMORY, _FAILED, _INTERRUPTED = 3, 4, 128 + signal.SIGINT
_END_SECONDS = 30
_LONGEST_SHARE_MS = 2000  # of a step; in a longer one Python's share is nothing


class _Enough(BaseException):
    """Ends the program's loop."""


def main(arguments: Sequence[str]) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    give_signals_a_stack()
    options = _options(arguments)
    folder = Path(options.run)
    events = os.dup(1)
    with open(os.devnull, "w") as nowhere:  # the program prints its losses
        os.dup2(nowhere.fileno(), 1)
    facts = json.loads((folder / "python.json").read_text(encoding="utf-8"))
    program = _load(folder / "model.py")  # before PyTorch is imported: it sets variables that PyTorch reads
    from .run_folder import RunFolder
    from .watch import Watch
    OWN.add(os.path.abspath(__file__))
    plan = Plan(options.steps, options.warmup, facts["layers"], facts.get("predicted"), not options.no_trace)
    # The second step is the first with the optimizer's state, so that its peak is that of all later ones.
    policy = TracePolicy(first=True, worst=False, also=frozenset({1}), sampled=(2,))
    watch = Watch(None, None, policy=policy, plan=plan, folder=lambda: RunFolder.continued(folder, events))
    if watch.folder is None:
        return _FAILED
    loop = _Loop(watch, program.train_step, options, folder)
    program.train_step = loop.step
    error: Optional[BaseException] = None
    try:
        import torch
        # One step more than is recorded: what Python takes of a step is measured in it.
        program.run(options.warmup + options.steps + 1, torch.device(options.device))
    except _Enough:
        error = loop.error
    except BaseException as caught:  # whatever PyTorch raises, and an interrupt
        error = _with_hint(caught)
    if error is None and watch._recorder.problem:
        error = RuntimeError(watch._recorder.problem)
    status = watch.end(error)
    if error is not None and status == "failed":
        print(one_line(error), file=sys.stderr)
    return {"done": 0, "out_of_memory": _OUT_OF_MEMORY, "cancelled": _INTERRUPTED}.get(status, _FAILED)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run_experiment", allow_abbrev=False)
    parser.add_argument("--run", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--warmup", type=int, required=True)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--no-trace", action="store_true")
    return parser.parse_args(arguments)


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _with_hint(error: BaseException) -> BaseException:
    hint = no_code(error)
    return RuntimeError(f"{one_line(error)}{hint}") if hint else error


class _Loop:
    """Stands in front of the program's step: ends the loop where the budget was exceeded, and after the last step."""

    def __init__(self, watch: Any, step: Callable[..., Any], options: argparse.Namespace, folder: Path):
        self._watch, self._step, self._options, self._folder = watch, step, options, folder
        self._most = options.warmup + options.steps
        self.error: Optional[BaseException] = None

    def step(self, *arguments: Any) -> Any:
        self._keep_budget()
        self._watch._recorder.know_batch(arguments)
        if self._watch.steps < self._most:
            return self._step(*arguments)
        self._watch._recorder.stop(wait=1)
        written = threading.Event()
        if self._watch._outlet.call(written.set):
            written.wait(_END_SECONDS)
        self._keep_budget()
        with contextlib.suppress(Exception):
            self._measure_share(*arguments)
        raise _Enough

    def _keep_budget(self) -> None:
        need = sum(self._watch._writing.summary.peak["bytes"].values())
        if self._options.budget is not None and need > self._options.budget:
            self.error = OverBudget(f"a step needs {need / 2**20:,.1f} MiB, more than the budget of {self._options.budget / 2**20:,.1f} MiB")
            raise _Enough

    def _measure_share(self, *arguments: Any) -> None:
        """How much of a step no operator of PyTorch's was running: Python's own share."""
        import torch
        from .recorder import Recorder
        times = self._watch._writing.summary.times
        device = self._watch._recorder.device
        if not times or device.pretended or sorted(times)[len(times) // 2] > _LONGEST_SHARE_MS:
            return

        def done() -> None:
            if device.kind == "cuda":
                torch.cuda.synchronize()

        done()
        with torch.autograd.profiler.profile(use_cpu=True, use_kineto=True) as profile:
            began = time.perf_counter_ns()
            self._step(*arguments)
            done()
            whole = (time.perf_counter_ns() - began) / 1e6
        spans = sorted((event.start_time_ns, event.end_time_ns) for event in profile.kineto_results.experimental_event_tree())
        busy, reached = 0, 0
        for start, end in spans:
            busy += max(0, end - max(start, reached))
            reached = max(reached, end)
        share = {"step_ms": whole, "python_ms": max(0.0, whole - busy / 1e6), "call_us": _cost_of_call()}
        path = self._folder / "python.json"
        from .run_folder import write_atomically
        write_atomically(path, {**json.loads(path.read_text(encoding="utf-8")), "share": share})


def _cost_of_call() -> float:
    """Microseconds that a layer's forward takes in which nothing is computed."""
    import torch
    module, nothing, costs = torch.nn.Identity(), torch.zeros(1), []
    for _ in range(200):
        began = time.perf_counter_ns()
        module(nothing)
        costs.append(time.perf_counter_ns() - began)
    return sorted(costs)[len(costs) // 2] / 1e3
