"""`highwater-cli run --python`: an experiment through this Python's own PyTorch is a run like the engine's."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import pytest
import torch

from highwatermark import program
from watching import events, only_run, shown

SMALL = {
    "schema": "highwater.experiment/1", "name": "small", "input": {"synthetic": [1, 12, 12, 12]}, "target": {"threshold": 1.0},
    "loss": "cross_entropy", "optimizer": {"type": "adam"},
    "stack": [{"type": "block", "name": "enc", "layers": [{"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1},
                                                          {"type": "instance_norm"}, {"type": "relu", "inplace": True, "id": "skip"}]},
              {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1}, {"type": "concat", "with": "skip"},
              {"type": "conv", "out_channels": 2, "kernel_size": 1}],
    "step": {"batch_size": 4, "seed": 7}, "backend": {"threads": 1}}


def write(tmp_path: Path, **change: Any) -> Path:
    file = tmp_path / "experiment.json"
    file.write_text(json.dumps({key: value for key, value in {**SMALL, **change}.items() if value is not None}))
    return file


def arguments(file: Path, store: Path, *options: str) -> list[str]:
    return [program.find(), "run", str(file), "--python", sys.executable, "--store", str(store), *options]


def run(tmp_path: Path, *options: str, exit: int = 0, **change: Any) -> tuple[dict[str, Any], str]:
    done = subprocess.run(arguments(write(tmp_path, **change), tmp_path / "store", *options), capture_output=True, text=True, timeout=600)
    assert done.returncode == exit, done.stdout + done.stderr
    return shown(tmp_path / "store"), done.stderr


def losses(tmp_path: Path, steps: int) -> list[float]:
    """What the exported program prints when it is started by itself."""
    file = tmp_path / "model.py"
    assert subprocess.run([program.find(), "export", "pytorch", str(tmp_path / "experiment.json"), "--out", str(file)]).returncode == 0
    said = subprocess.run([sys.executable, str(file), "--steps", str(steps), "--device", "cpu"], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return [float(line) for line in said.stdout.split()]


@pytest.mark.parametrize("step", [{}, {"micro_batches": 2}], ids=["whole", "micro-batches"])
def test_it_trains_as_the_exported_program_does(tmp_path, step):
    told, _ = run(tmp_path, "--steps", "4", "--warmup", "2", step={**SMALL["step"], **step})
    assert told["result"]["losses"] == pytest.approx(losses(tmp_path, 6), rel=1e-6)
    assert told["status"] == "done" and told["torch"] == torch.__version__ == told["python"]["torch"]
    assert told["device"] == "cpu" and not told["pretended"] and told["experiment"]["name"] == "small"
    steps = events(only_run(tmp_path / "store"), "step")
    assert [each["warmup"] for each in steps] == [True] * 2 + [False] * 4
    started = events(only_run(tmp_path / "store"), "started")[0]
    assert (started["steps"], started["warmup"]) == (4, 2)


def test_the_layers_are_the_experiments(tmp_path):
    told, _ = run(tmp_path, "--steps", "3")
    layers = told["result"]["layers"]
    assert [layer["type"] for layer in layers] == ["block", "conv", "instance_norm", "relu", "conv", "concat", "conv"]
    voxels = 4 * 12**3
    by_name = dict(enumerate(layers))
    assert by_name[1]["activation_bytes"] >= 8 * 4 * voxels and by_name[1]["output_shape"] == [4, 8, 12, 12, 12]
    assert by_name[3]["activation_bytes"] == 0  # it works in place
    assert by_name[0]["activation_bytes"] == sum(by_name[index]["activation_bytes"] for index in (1, 2, 3))
    assert by_name[4]["forward_ms"] > 0 and by_name[4]["backward_ms"] > 0
    assert told["result"]["step_ms"]["n"] == 3


def test_the_peak_is_the_predicted_one(tmp_path):
    # Without a convolution, whose temporaries would have to be measured first.
    told, _ = run(tmp_path, "--steps", "2", loss="mse", target=None, optimizer={"type": "adamw"},
                  stack=[{"type": "batch_norm"}, {"type": "local_response_norm", "size": 3}, {"type": "block", "checkpoint": True, "layers": [
                      {"type": "gelu"}, {"type": "dropout"}, {"type": "scale", "value": 0.5}]}, {"type": "layer_scale", "shape": [12]}])
    predicted = told["result"]["predicted"]
    assert told["result"]["peak_allocated_bytes"] == predicted["peak_allocated_bytes"]["expected"]
    assert told["trace"]["complete"] is False and told["trace"]["events"] > 0


def test_it_says_what_python_takes(tmp_path):
    told, _ = run(tmp_path, "--steps", "3")
    share = told["python"]["share"]
    assert 0 < share["python_ms"] < share["step_ms"] and share["call_us"] > 0


def test_no_trace_is_kept_where_none_is_wanted(tmp_path):
    told, _ = run(tmp_path, "--steps", "1", "--no-trace")
    assert "trace" not in told and told["result"]["peak_allocated_bytes"] > 0


def test_a_budget_ends_it(tmp_path):
    told, said = run(tmp_path, "--steps", "3", "--budget", "1MiB", exit=3)
    assert told["status"] == "out_of_memory"
    assert "more than the budget of 1.0 MiB" in said and said.count("\n") <= 2
    assert told["result"]["losses"]


def test_an_interrupt_ends_it(tmp_path):
    file = write(tmp_path)
    with subprocess.Popen(arguments(file, tmp_path / "store", "--steps", "100000", "--events"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if json.loads(line)["event"] == "step":
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130 and "was interrupted" in said
    told = shown(tmp_path / "store")
    assert told["status"] == "cancelled" and told["result"]["losses"]


def pretends() -> Optional[str]:
    if torch.version.cuda is None:
        return "this torch is built without CUDA"
    library = Path(program.find()).parent / "pretend/libhighwater_pretend.so"
    return None if library.is_file() else f"{library} is not there"


@pytest.mark.skipif(pretends() is not None, reason=str(pretends()))
def test_a_pretended_gpu(tmp_path):
    told, _ = run(tmp_path, "--steps", "3", "--pretend", "rtx3060")
    assert told["device"] == "pretended rtx3060" and told["pretended"] and told["python"]["pretended_gpu"] == "rtx3060"
    assert told["result"]["peak_allocated_bytes"] == told["result"]["predicted"]["peak_allocated_bytes"]["expected"]
    assert told["result"]["step_ms"]["n"] == 0 and "share" not in told["python"]
    assert told["result"]["peak_reserved_bytes"] > 0


@pytest.mark.skipif(pretends() is not None, reason=str(pretends()))
def test_out_of_memory_on_a_pretended_gpu(tmp_path):
    told, said = run(tmp_path, "--steps", "3", "--pretend", "rtx3060", exit=3, input={"synthetic": [1, 640, 640, 640]})
    assert told["status"] == "out_of_memory" and "CUDA out of memory" in said
    assert told["result"]["failure"]["requested_bytes"] > 0
