"""Runs of watched scripts, as they are left in a store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import pytest

from highwatermark import program

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "packaging/python/src"


def python(*arguments: Any, cwd: Optional[Path] = None, **environment: str) -> subprocess.CompletedProcess:
    """Python with the package, which is alone in the world of ranks."""
    alone = {name: value for name, value in os.environ.items() if name not in ("WORLD_SIZE", "RANK")}
    return subprocess.run([sys.executable, "-B", *map(str, arguments)], capture_output=True, text=True, timeout=600, cwd=cwd,
                          env={**alone, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", **environment})


def pretended(gpu: str, folder: Path) -> dict[str, str]:
    """The environment in which PyTorch finds a GPU that is not there; skips where that cannot be."""
    import torch
    library = Path(program.find()).parent / "pretend/libhighwater_pretend.so"
    if torch.version.cuda is None:
        pytest.skip("this torch is built without CUDA")
    if not library.is_file():
        pytest.skip(f"{library} is not there")
    return {"LD_PRELOAD": str(library), "HIGHWATER_PRETEND_GPU": gpu, "HIGHWATER_PRETEND_ZEROS": "1",
            "HIGHWATER_PRETEND_CONTEXT": "300000000", "HIGHWATER_PRETEND_OTHERS": "0", "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
            "TRITON_LIBCUDA_PATH": str(library.parent)}


def runs(store: Path) -> list[Path]:
    return sorted((store / "runs").glob("[!.]*"))


def only_run(store: Path) -> Path:
    (folder,) = runs(store)
    return folder


def events(folder: Path, kind: str = "") -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    return [event for event in lines if not kind or event["event"] == kind]


def shown(store: Path, run: str = "1") -> dict[str, Any]:
    """What highwater-cli makes of the run's folder."""
    said = subprocess.run([program.find(), "runs", "show", run, "--store", str(store), "--json"], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)
