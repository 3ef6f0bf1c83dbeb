"""Runs the small program that predicts, and reads its answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from .errors import HighwaterError, Unsupported

NAME = "highwater-cli"


def find() -> str:
    """Looks for the package's own program, then $HIGHWATER_CLI, then the absolute folders of PATH."""
    own = Path(__file__).parent / "bin" / NAME
    given = os.environ.get("HIGHWATER_CLI")
    if own.is_file():
        return str(own)
    if given:
        if not os.access(given, os.X_OK):
            raise HighwaterError(f"HIGHWATER_CLI: {given} is no program that can be run")
        return given
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if found := shutil.which(NAME, path=os.pathsep.join(filter(os.path.isabs, folders))):
        return found
    raise HighwaterError(f"there is no {NAME}; install Highwater, or set HIGHWATER_CLI to where the program is")


def predict(experiment: Path, target: str, libtorch: Optional[str], cudnn: Optional[str]) -> dict[str, Any]:
    arguments = ["predict", str(experiment), "--target", target, "--json"]
    for option, value in (("--libtorch", libtorch), ("--cudnn", cudnn)):
        arguments += [option, value] if value else []
    return json_of(arguments, experiment)


def environment() -> dict[str, str]:
    """The program asks the cuDNN of the python3 on PATH; here that is this one, also in a virtual environment that is not activated."""
    own = os.path.dirname(os.path.abspath(sys.executable))
    return {**os.environ, "PATH": os.pathsep.join((own, os.environ.get("PATH", os.defpath)))}


def json_of(arguments: list[str], file: Path) -> dict[str, Any]:
    """Returns the program's output. If it fails, raises its message without the name of `file`, which is temporary."""
    program = find()
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, env=environment())
    except OSError as error:
        raise HighwaterError(f"{program} cannot be started: {error.strerror}") from error
    if done.returncode == 0:
        return json.loads(done.stdout)
    said = complaint(done).replace(f"{file}: ", "")
    raise Unsupported(said.split("; ")) if said.startswith("no layer implements ") else HighwaterError(said)


def complaint(done: subprocess.CompletedProcess) -> str:
    """Why the program failed: its last line, without its name, which is that of the package in the package's own program."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return re.sub(f"^({NAME}|highwatermark): ", "", lines[-1]) if lines else f"{NAME} failed with exit {done.returncode}"


@dataclass(frozen=True)
class Range:
    """An estimate; where it is exact, the three are equal."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True)
class Prediction:
    """A prediction in bytes and milliseconds. `json`: the program's whole answer. `notes`: what an experiment cannot express of this
    network. As text it is a table."""

    name: str
    json: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def device(self) -> str:
        """The device's full name."""
        return self.json.get("device_name", self.json["target"])

    @property
    def peak_allocated(self) -> Range:
        """The highest sum of what tensors and workspaces request during a step."""
        return Range(**self.json["peak_allocated_bytes"])

    @property
    def max_memory_allocated(self) -> Optional[Range]:
        """The value of torch.cuda.max_memory_allocated(); None on a CPU."""
        given = self.json.get("max_memory_allocated_bytes")
        return Range(**given) if given else None

    @property
    def peak_reserved(self) -> Optional[Range]:
        """What PyTorch's allocator holds of the device at most; None on a CPU, where nothing is reserved."""
        given = self.json.get("peak_reserved_bytes")
        return Range(**given) if given else None

    @property
    def step_ms(self) -> Range:
        """The time of a training step."""
        return Range(**self.json["step_ms"])

    @property
    def fits(self) -> str:
        """Whether a step fits the device: "yes", "no" or "uncertain"."""
        return self.json["fits"]

    @property
    def by_category(self) -> dict[str, int]:
        """The bytes at the peak: of input, parameters, gradients, activations and so on."""
        return self.json["peak_by_category"]

    @property
    def unknown(self) -> list[str]:
        """Operators without a corresponding layer, and parts that were left out. Their memory and time are not counted: see `bound`."""
        return self.json.get("unknown", [])

    @property
    def bound(self) -> Optional[str]:
        """"at_least" if not everything is counted (the low ends hold), "at_most" if checkpoints were ignored, "neither"
        if both; otherwise None."""
        return self.json.get("bound")

    @property
    def layers(self) -> list[dict[str, Any]]:
        """For each layer its name, type, output's shape, parameters and bytes."""
        return self.json["layers"]

    def __str__(self) -> str:
        return "\n".join([_plain(f"{self.name} on {self.device}"), *_rows(self._figures()), "", *_rows(self._largest()),
                          *(_plain(f"note: {note}") for note in self.notes)])

    def _figures(self) -> list[tuple[str, ...]]:
        rows = [("fits", {"yes": "yes", "no": "no"}.get(self.fits, "uncertain"), ""),
                ("peak", self._need(self.peak_allocated), _between(self.peak_allocated))]
        rows += [(f"  {key}", format_bytes(value), "") for key, value in self.by_category.items() if value]
        if self.max_memory_allocated:
            rows.append(("in whole blocks", self._need(self.max_memory_allocated),
                         _between(self.max_memory_allocated)))
        if self.peak_reserved:
            rows.append(("reserved", self._need(self.peak_reserved), _between(self.peak_reserved)))
        return rows + [("step", f"{self.step_ms.expected:.3g} ms", f"{self.step_ms.low:.3g} to {self.step_ms.high:.3g} ms")]

    def _need(self, sizes: Range) -> str:
        bounds = {"at_least": ("at least ", sizes.low), "at_most": ("at most ", sizes.high), "neither": ("roughly ", sizes.expected)}
        words, size = bounds.get(self.bound or "", ("", sizes.expected))
        return words + format_bytes(size)

    def _largest(self) -> list[tuple[str, ...]]:
        layers = [layer for layer in self.layers if layer["type"] != "block" and layer["at_peak_bytes"] > 0]
        layers.sort(key=lambda layer: -layer["at_peak_bytes"])
        return [("largest at the peak", "output", "bytes")] + [
            (layer["name"], " x ".join(map(str, layer["output_shape"])), format_bytes(layer["at_peak_bytes"])) for layer in layers[:8]]


def _between(sizes: Range) -> str:
    return "" if sizes.low == sizes.high else f"{format_bytes(sizes.low)} to {format_bytes(sizes.high)}"


def format_bytes(count: float) -> str:
    units = ["B", "KiB", "MiB", "GiB"]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop(0)
    digits = f"{count:.0f}" if units[0] == "B" or count >= 1000 else f"{count:.3g}"
    return f"{digits} {units[0]}"


def _plain(text: str) -> str:
    """Replaces control characters, which a module's name may contain."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _rows(cells: list[tuple[str, ...]]) -> list[str]:
    cells = [tuple(map(_plain, row)) for row in cells]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
