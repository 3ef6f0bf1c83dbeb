"""highwatermark.watch: a script's own training loop as a run of Highwater, live."""

from __future__ import annotations

import atexit
import functools
import os
import sys
from pathlib import Path
from typing import Any, Callable, Optional, Union

import torch
from torch import nn

from .. import script_parts
from . import collector, lines
from ..errors import HighwaterError
from .growth import Growth
from .modules import model_of
from .outlet import Outlet
from .plan import Plan
from .policy import TracePolicy
from .recorder import Recorder
from .run_folder import RunFolder, default_store
from .writing import Writing, failed

_END_SECONDS, _EXIT_SECONDS = 30, 5
_current: Optional["Watch"] = None


class Watch:
    """A run that is being recorded, until `close`, the end of a `with` block, or the script's end.

    It changes no result of the script and raises nothing into it. Where nothing can be recorded, `folder` is None and `problem`
    says why.
    """

    def __init__(self, model: Optional[nn.Module], optimizer: Optional[torch.optim.Optimizer], *, name: Optional[str] = None,
                 loss: Any = None, trace: str = "first,worst", store: Union[str, os.PathLike, None] = None,
                 command: Optional[list[str]] = None, plan: Optional[Plan] = None, policy: Optional[TracePolicy] = None,
                 folder: Optional[Callable[[], RunFolder]] = None):
        if model is not None and not isinstance(model, nn.Module):
            raise HighwaterError(f"watch: the model is a {type(model).__name__}, not a torch.nn.Module")
        if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
            raise HighwaterError(f"watch: the optimizer is a {type(optimizer).__name__}, not a torch.optim.Optimizer")
        try:
            policy = policy or TracePolicy.parse(trace)
        except (ValueError, AttributeError) as error:
            raise HighwaterError(str(error)) from None
        global _current
        if _current is not None:
            _current.close()
        self.problem = ""
        self.folder: Optional[Path] = None
        self._outlet: Optional[Outlet] = None
        self._error: Optional[BaseException] = None
        self._closed, self._pid = False, os.getpid()
        self._status = "failed"  # until something else is recorded
        try:
            self._open(folder() if folder is not None else _new_folder(name, store, command or _command()), policy, loss, plan or Plan())
        except Exception as error:
            self.problem = script_parts.one_line(error)
            self._closed = True
            _say(f"this run is not recorded: {self.problem}")
            return
        _current = self
        _install()
        self.attach(model, optimizer)
        if model is None:
            torch.cuda._lazy_call(self._recorder.cuda_begins)

    def _open(self, folder: RunFolder, policy: TracePolicy, loss: Any, plan: Plan) -> None:
        self.folder, self.number = folder.path, folder.number
        self._outlet, self._growth = Outlet(folder), Growth()
        self._writing = Writing(self._outlet, self._growth, plan)
        self._recorder = Recorder(policy, loss, self._writing.step, self._send, self._writing.begun, self._growth, plan)
        self._recorder.writing = self._writing

    def attach(self, model: Optional[nn.Module], optimizer: Optional[torch.optim.Optimizer] = None) -> None:
        """Says what is trained, where that was not known when the watch began."""
        if not self._closed:
            self._recorder.attach(model, optimizer)

    def _send(self, what: Any) -> None:
        if callable(what):
            self._outlet.call(what)
        else:
            self._writing.event(what)

    @property
    def steps(self) -> int:
        """How many have ended."""
        return self._recorder.index if self.folder is not None else 0

    def close(self, error: Optional[BaseException] = None) -> None:
        """Ends the recording; with an exception, the run is one that failed. May be called twice."""
        self._close(error or self._error, _END_SECONDS)

    def end(self, error: Optional[BaseException]) -> str:
        """The same; returns the status that was recorded."""
        self.close(error)
        return self._status

    def _close(self, error: Optional[BaseException], seconds: float, code: int = 0) -> None:
        global _current
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        if _current is self:
            _current = None
        try:
            recorder = self._recorder
            recorder.stop(wait=1)
            status = "done"
            if isinstance(error, KeyboardInterrupt):
                status = "cancelled"
            elif error is not None and not (isinstance(error, SystemExit) and not error.code):
                event = failed(error, recorder.index)
                status = event["status"]
                if self._writing.summary.failure is None or status != "out_of_memory":
                    self._writing.event(event)
            elif code:
                status = "failed"
                self._writing.event({**failed(SystemExit(), recorder.index), "why": f"the script ended with exit code {code}"})
            extra = {"own_ms": recorder.spent / 1e6, **({"problem": recorder.problem} if recorder.problem else {})}
            self._status = status
            if not self._outlet.end(lambda: self._writing.finish(status, extra), seconds):
                self.problem = "not all was written in time"
            self.problem = self.problem or recorder.problem or self._outlet.problem
        except Exception as problem:
            self.problem = script_parts.one_line(problem)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], _: Any) -> None:
        self.close(error)

    def __repr__(self) -> str:
        where = f"run {self.number}, {self.folder}" if self.folder is not None else f"not recorded: {self.problem}"
        return f"<highwatermark.Watch: {where}, {self.steps} steps>"

    def _repr_html_(self) -> str:
        from .display import html
        return html(self)


def watch(model: Optional[nn.Module] = None, optimizer: Optional[torch.optim.Optimizer] = None, *, name: Optional[str] = None,
          loss: Any = None, trace: str = "first,worst", store: Union[str, os.PathLike, None] = None) -> Watch:
    """Records the training loop that follows as a run of Highwater: call it once before the loop, or use it in a `with` statement.

    `model`, `optimizer`: what is trained; where they are left out, the first optimizer that is made from here on, and its model.
    `name`: the run's, otherwise the script's. `loss`: a loss module, or a function that returns the newest loss as a number;
    otherwise the loss is what the backward pass begins with. `trace`: which steps are recorded with every allocation: "first",
    "worst" (a step with the highest peak so far), N (every Nth step), several of them with commas, or "none".
    `store`: a folder, otherwise Highwater's own.

    Raises HighwaterError where an argument is none of these. Nothing else is ever raised, and no result of the script changes.
    """
    return Watch(model, optimizer, name=name, loss=loss, trace=trace, store=store)


def current() -> Optional[Watch]:
    """The watch that is recording."""
    return _current


def _new_folder(name: Optional[str], store: Union[str, os.PathLike, None], command: list[str]) -> RunFolder:
    source = {"format": "highwater.script/1", "command": command, "python": sys.executable, "folder": os.getcwd(),
              "pretended_gpu": os.environ.get("HIGHWATER_PRETEND_GPU", ""), "watched": True, "steps": 0, "others_bytes": 0}
    return RunFolder(Path(store) if store is not None else default_store(), source, "cpu", _labels(name))


def _command() -> list[str]:
    script = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c") else "python"
    return [os.path.abspath(script) if os.path.exists(script) else script, *sys.argv[1:]]


def _labels(name: Optional[str]) -> Optional[dict[str, Any]]:
    """The run's name; ranks of one training are a study."""
    world = os.environ.get("WORLD_SIZE", "1")
    if not world.isdecimal() or int(world) < 2:
        return {"name": _line(name)} if name else None
    rank = os.environ.get("RANK", "0")
    base = name or os.path.basename(_command()[0])
    job = "-".join(filter(None, (os.environ.get(key, "") for key in ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"))))
    return {"name": _line(f"{base}, rank {rank}"), "study": {"id": f"ranks-{job}-{os.getppid()}"[:200], "name": _line(base)}}


def _line(text: str) -> str:
    return " ".join(text.split())[:180]


def _say(text: str) -> None:
    try:
        print(f"highwatermark: {text}", file=sys.stderr)
    except (OSError, ValueError, AttributeError):
        pass


# -- what is put into PyTorch and Python, once ------------------------------------------------------------------------

_installed = False


def _install() -> None:
    global _installed
    if _installed:
        return
    _installed = True
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
    register_optimizer_step_pre_hook(lambda optimizer, *_: _tell("begin_optimizer", optimizer))
    register_optimizer_step_post_hook(lambda optimizer, *_: _tell("end_optimizer", optimizer))
    _wrap_backward()
    _wrap_data_loader()
    _wrap_grad_scaler()
    _wrap_optimizers()
    _wrap_compile()
    _wrap_ends()
    script_parts.OWN.update(map(str, Path(__file__).resolve().parents[1].rglob("*.py")))


def _tell(what: str, *arguments: Any) -> Any:
    return getattr(_current._recorder, what)(*arguments) if _current is not None and not _current._closed else None


def _wrap_backward() -> None:
    backward = torch.autograd.backward

    @functools.wraps(backward)
    def watched(tensors: Any, *arguments: Any, **keywords: Any) -> Any:
        if _current is None:
            return backward(tensors, *arguments, **keywords)
        before = _tell("begin_backward", tensors)
        try:
            return backward(tensors, *arguments, **keywords)
        finally:
            _tell("end_backward", before)

    torch.autograd.backward = watched


def _wrap_data_loader() -> None:
    from torch.utils.data.dataloader import _BaseDataLoaderIter
    following = _BaseDataLoaderIter.__next__

    @functools.wraps(following)
    def watched(self: Any) -> Any:
        if _current is None:
            return following(self)
        before = _tell("begin_data")
        try:
            return following(self)
        finally:
            _tell("end_data", before)

    _BaseDataLoaderIter.__next__ = watched


def _wrap_grad_scaler() -> None:
    kind = torch.amp.GradScaler
    scale = kind.scale

    @functools.wraps(scale)
    def watched(self: Any, outputs: Any) -> Any:
        scaled = scale(self, outputs)
        if _current is not None and not _current._closed:
            _current._recorder.losses.unscaled(outputs, scaled)
        return scaled

    kind.scale = watched


def _wrap_optimizers() -> None:
    """A watch without a model learns of it from the first optimizer."""
    begin = torch.optim.Optimizer.__init__

    @functools.wraps(begin)
    def watched(self: Any, *arguments: Any, **keywords: Any) -> None:
        begin(self, *arguments, **keywords)
        try:
            if _current is not None and not _current._closed and _current._recorder.modules is None:
                _current.attach(model_of(self), self)
        except Exception:  # what lives in this process may be anything
            pass

    torch.optim.Optimizer.__init__ = watched


def _wrap_compile() -> None:
    """torch.compile(model) is called instead of the model from then on."""
    compile_ = torch.compile

    @functools.wraps(compile_)
    def watched(*arguments: Any, **keywords: Any) -> Any:
        made = compile_(*arguments, **keywords)
        try:
            if _current is not None and not _current._closed and isinstance(made, nn.Module):
                _current._recorder.compiled(made)
        except Exception:
            pass
        return made

    torch.compile = watched


def _wrap_ends() -> None:
    """Every way in which a script ends."""
    atexit.register(lambda: _current.close() if _current is not None else None)
    hook = sys.excepthook

    @functools.wraps(hook)
    def watched(kind: Any, error: Any, trace: Any) -> None:
        if _current is not None:
            _current._error = error
        hook(kind, error, trace)

    sys.excepthook = watched
    leave = os._exit

    @functools.wraps(leave)
    def leaving(status: int) -> None:
        if _current is not None:
            _current._close(_current._error, _EXIT_SECONDS, status if isinstance(status, int) else 0)
        leave(status)

    os._exit = leaving
    os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    """A forked child is not what is watched."""
    global _current
    collector.forget()
    lines.forget()
    if _current is not None:
        _current._recorder.active = False
        if _current._outlet is not None:
            _current._outlet.abandon()
        _current = None

