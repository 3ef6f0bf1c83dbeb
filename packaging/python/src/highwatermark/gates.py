"""highwatermark.assert_peak: an assertion about the GPU memory that a network or a function needs."""

from __future__ import annotations

import importlib
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Union

from . import program
from .errors import HighwaterError
from .program import format_bytes

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


@dataclass(frozen=True)
class Peak:
    """The memory needed on a device. `bytes` is compared with the limit: the memory reserved by PyTorch's allocator and, unless it is a
    prediction, the CUDA context, as for `predict --budget` and `script --budget`. `how`: "predicted", "pretended" or "measured". `line`:
    the line of the script that holds most at the peak, if known."""

    bytes: int
    allocated: int
    reserved: int
    device: str
    how: str
    line: str = ""

    def __str__(self) -> str:
        most = f"; most is held by {self.line}" if self.line else ""
        return f"{format_bytes(self.bytes)} of {self.device}, {self.how} ({format_bytes(self.allocated)} allocated, " \
               f"{format_bytes(self.reserved)} reserved{most})"


def size_of(text: Union[int, str]) -> int:
    """Parses 11GiB, "512 MiB" or a number of bytes."""
    found = re.fullmatch(r"\s*([\d.]+)\s*([KMG]?i?B)?\s*", str(text), re.IGNORECASE)
    try:
        return round(float(found[1]) * _UNITS[(found[2] or "B").upper()]) if found else int(text)
    except ValueError:
        raise HighwaterError(f'"{text}" is no size; give one such as 11GiB or 512MiB') from None


def assert_peak(fn_or_model: Any, example_input: Any = None, *, under: Union[int, str], gpu: Optional[str] = None, **options: Any) -> Peak:
    """Raises AssertionError, with one line, if more GPU memory than `under` ("11GiB") is needed; otherwise returns the peak.

    For a torch.nn.Module with `example_input` (a tensor or a shape), a training step on `gpu` is predicted; `options` are those of
    predict(). A function without arguments is called: with `gpu`, in a separate process on that GPU, pretended, which requires that
    the function can be imported; without, on the GPU of this machine.
    """
    limit = size_of(under)
    if _is_module(fn_or_model):
        peak = _predicted(fn_or_model, example_input, limit, gpu, options)
    elif not callable(fn_or_model):
        raise HighwaterError(f"assert_peak: a {type(fn_or_model).__name__} is neither a torch.nn.Module nor a function")
    elif gpu is None:
        peak = measure(fn_or_model)
    else:
        peak = pretend(gpu, ["-m", "highwatermark.gates", *_place(fn_or_model)])
    if peak.bytes > limit:
        raise AssertionError(f"{_name(fn_or_model)} needs {peak}: more than {format_bytes(limit)}")
    return peak


def measure(function: Callable[[], Any]) -> Peak:
    """Calls the function on the current GPU."""
    begin_measuring()
    function()
    return end_measuring()


def begin_measuring() -> None:
    import torch
    if not torch.cuda.is_available():
        raise HighwaterError('there is no GPU here; name one to pretend, such as gpu="rtx3060"')
    torch.cuda.init()
    torch.cuda.reset_peak_memory_stats()


def end_measuring() -> Peak:
    import torch
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    beside = max(0, total - free - torch.cuda.memory_reserved())
    reserved = torch.cuda.max_memory_reserved()
    return Peak(reserved + beside, torch.cuda.max_memory_allocated(), reserved, torch.cuda.get_device_name(), "measured")


def pretend(gpu: str, command: list[str], environment: Optional[dict[str, str]] = None) -> Peak:
    """Runs a Python command on a pretended GPU. Raises AssertionError if it runs out of memory, and HighwaterError if it fails."""
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        own = Path(__file__).resolve().parents[1]
        path = os.pathsep.join(filter(None, (*sys.path, str(own))))
        done = subprocess.run([program.find(), "script", "--pretend", gpu, "--steps", "0", "--python", sys.executable, "--json", *command],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": path, "XDG_DATA_HOME": folder, **(environment or {})})
    try:
        said = json.loads(done.stdout)
    except ValueError:
        raise HighwaterError(program.complaint(done)) from None
    if said["status"] == "out_of_memory":
        raise AssertionError(f"out of memory on {gpu}, pretended: {said['failure']}")
    if said["status"] != "done":
        raise HighwaterError(f"on {gpu}, pretended: {said['failure'] or 'it failed'}")
    if "memory" not in said:
        raise HighwaterError(f"nothing was put on the GPU, so there is no peak: .cuda() and torch.device(\"cuda\") are {gpu} here")
    memory = said["memory"]
    line = next((f"{each['name']} ({format_bytes(each['bytes'])})" for each in memory["lines"] if each["name"]), "")
    return Peak(memory["device_bytes"], memory["allocated_bytes"], memory["reserved_bytes"], gpu, "pretended", line)


def _predicted(model: Any, example_input: Any, limit: int, gpu: Optional[str], options: dict[str, Any]) -> Peak:
    from .api import predict
    if example_input is None or gpu is None:
        raise HighwaterError("assert_peak: a network needs example_input, a tensor or a shape, and gpu, such as \"rtx3060\"")
    made = predict(model, example_input, gpu, **options)
    reserved = made.peak_reserved or made.peak_allocated
    if made.fits == "no" and reserved.high <= limit:
        raise AssertionError(f"{_name(model)} does not fit {made.device}: it reserves {format_bytes(reserved.expected)}")
    return Peak(round(reserved.high), round(made.peak_allocated.expected), round(reserved.high), made.device, "predicted")


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _name(value: Any) -> str:
    return getattr(value, "__qualname__", type(value).__name__)


def _place(function: Any) -> list[str]:
    """How another process can find the function: the name of a module or the file of a script, and its name there."""
    name = getattr(function, "__qualname__", "")
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    if not name or "<" in name or module is None:
        raise HighwaterError(f"assert_peak: {name or function} cannot be imported, which pretending a GPU needs; define it at the top of "
                             f"a module, or use the pytest mark")
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__":
        if not file:
            raise HighwaterError("assert_peak: what is defined in a notebook or a console cannot be imported; put it into a file")
        return [os.path.abspath(file), name]
    return [module.__name__, name]


def _call(place: str, name: str) -> None:
    found: Any = runpy.run_path(place, run_name="__highwatermark__") if place.endswith(".py") else importlib.import_module(place)
    for part in name.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    found()


if __name__ == "__main__":
    _call(*sys.argv[1:3])
