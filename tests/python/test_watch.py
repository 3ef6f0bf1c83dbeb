"""highwatermark.watch: what it records, and that the script is what it was without it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import weakref

import pytest
import torch
from torch import nn

import highwatermark
from highwatermark import program
from watching import HERE, events, only_run, pretended, python, runs, shown

SCRIPT = HERE / "watched.py"
STEPS = 20


@pytest.fixture(scope="module")
def alone():
    """The weights of the training that nobody watches."""
    done = python(SCRIPT, "-", "cpu", "plain")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    store = tmp_path_factory.mktemp("watched") / "store"
    return store, python(SCRIPT, store, "cpu", "plain")


@pytest.fixture(scope="module")
def on_gpu(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpu")
    environment = pretended("rtx3060", folder)
    done = python(SCRIPT, folder / "store", "cuda", "plain", **environment)
    assert done.returncode == 0, done.stderr
    return folder / "store"


def test_weights_are_equal_to_the_bit(alone, watched):
    assert watched[1].stdout == alone and len(alone) == 65
    assert watched[1].returncode == 0 and watched[1].stderr == ""


def test_the_run_is_one_of_highwaters(watched):
    run = shown(watched[0])
    assert (run["status"], run["name"], run["number"], run["batch_size"]) == ("done", "the way plain", 1, 0)
    result = run["result"]
    assert len(result["losses"]) == STEPS and 0 < result["loss_last"] < 2
    assert result["peak_by_category"]["parameters"] == 4 * (27 * 8 + 8 + 8 + 8 + 24 + 3)
    assert result["peak_by_category"]["optimizer_state"] == pytest.approx(2 * result["peak_by_category"]["parameters"], abs=64)
    assert result["peak_by_category"]["activations"] >= 2 * 2 * 8 * 12 ** 3 * 4
    assert result["step_ms"]["n"] >= 10 and result["phases_ms"]["forward"] > 0 and result["phases_ms"]["backward"] > 0
    listed = subprocess.run([program.find(), "report", "1", "--store", str(watched[0]), "--out", str(watched[0] / "report.html")],
                            capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr


def test_layers_are_the_modules(watched):
    layers = shown(watched[0])["result"]["layers"]
    assert [layer["name"] for layer in layers] == ["encoder.0", "encoder.1", "encoder.2", "head"]
    assert [layer["parameters"] for layer in layers] == [224, 16, 0, 27]
    assert layers[0]["output_shape"] == [2, 8, 12, 12, 12] and layers[0]["activation_bytes"] == 2 * 8 * 12 ** 3 * 4
    assert all(layer["forward_ms"] > 0 for layer in layers) and layers[0]["backward_ms"] >= 0


def test_steps_have_phases_and_validation_is_apart(watched):
    steps = events(only_run(watched[0]), "step")
    assert [step["index"] for step in steps] == list(range(STEPS))
    assert [step["index"] for step in steps if "validation" in step] == [8, 16]
    assert all(step["validation"]["batches"] == 1 for step in steps if "validation" in step)
    assert all(step["learning_rate"] == 1e-2 for step in steps)
    assert all(step["phases_ms"]["data"] > 0 for step in steps[1:])
    assert all(step["host_memory"]["process"] > 1 << 20 for step in steps)


def test_traced_steps_have_every_allocation(watched):
    folder = only_run(watched[0])
    told = json.loads((folder / "watch.json").read_text())
    assert {0, 5, 10, 15} <= set(told["traced_steps"])
    traced = [step for step in events(folder, "step") if step.get("traced")]
    assert all(step["timeline"] and max(sum(row[1:]) for row in step["timeline"]) == sum(step["peak"]["bytes"].values())
               for step in traced)
    assert any(line["line"].startswith("watched.py:") for line in told["peak_lines"])
    database = sqlite3.connect(folder / "trace.db")
    assert database.execute("SELECT step FROM steps ORDER BY number").fetchall() == [(step,) for step in told["traced_steps"]]
    labels = [name for (name,) in database.execute("SELECT name FROM labels")]
    assert any(label.endswith(" forward") and label.startswith("watched.py:") for label in labels)


def test_lines_are_the_scripts_at_each_moment():
    from highwatermark.watching.lines import Lines
    held, moments = [], []

    def inner():
        held.append(weakref.ref(value := nn.Linear(2, 2)))
        moments.append(time.time_ns())
        return value is None

    def outer(lines):
        kept = nn.Linear(2, 2)
        held.append(weakref.ref(kept))
        assert lines.start(sys._getframe())

    lines = Lines()
    outer(lines)
    inner()
    moments.append(time.time_ns())
    assert not Lines().start(sys._getframe())  # a script's own trace function stays
    find = lines.stop()
    assert sys.gettrace() is None and sys._getframe().f_trace is None
    first = inner.__code__.co_firstlineno
    here = sys._getframe().f_code
    assert [find(when) for when in moments] == [f"test_watch.py:{first + 2} inner", f"test_watch.py:{first + 13} {here.co_name}"]
    assert [reference() for reference in held] == [None, None]


@pytest.mark.parametrize("way, layers", [
    ("whole", [("OptimizedModule", "compiled Sequential")]), ("later", [("OptimizedModule", "compiled Sequential")]), ("part", [("body", "compiled Sequential"), ("head", "Linear")]),
    ("place", [("body", "Sequential"), ("head", "Linear")])])
def test_compiled_code_is_one_module(tmp_path, way, layers):
    script = tmp_path / "compiled.py"
    script.write_text("""
import hashlib, sys, torch
from torch import nn
torch.manual_seed(0)
body = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.compile(body, backend="aot_eager") if sys.argv[2] != "place" else body
        self.head = nn.Linear(16, 1)
        if sys.argv[2] == "place":
            body.compile(backend="aot_eager")
    def forward(self, x):
        return self.head(self.body(x))
model = {"whole": lambda: torch.compile(body, backend="aot_eager"), "later": lambda: body}.get(sys.argv[2], Model)()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
if sys.argv[1] != "-":
    import highwatermark
    highwatermark.watch(model, optimizer, store=sys.argv[1], trace="first,2")
if sys.argv[2] == "later":  # once the watch has begun
    model = torch.compile(body, backend="aot_eager")
for step in range(7):
    model(torch.ones(8, 16)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
from torch._dynamo.utils import counters
print(hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest(), counters["stats"]["unique_graphs"],
      dict(counters["graph_break"]))
""")
    bare, done = python(script, "-", way), python(script, tmp_path / "store", way)
    assert (bare.returncode, done.stdout) == (0, bare.stdout), done.stderr
    run = shown(tmp_path / "store")
    assert run["status"] == "done" and len(run["result"]["losses"]) == 7
    assert [(layer["name"], layer["type"]) for layer in run["result"]["layers"]] == layers
    assert (run["result"]["layers"][0]["activation_bytes"] >= 8 * 32 * 4) == (way != "place")
    told = json.loads((only_run(tmp_path / "store") / "watch.json").read_text())
    assert {0, 2, 4} <= set(told["traced_steps"]) and "problem" not in told


def test_other_viewers_open_the_trace(watched, tmp_path):
    assert shown(watched[0])["trace"]["complete"] is False
    for name in ("run.pickle", "run.csv"):
        said = subprocess.run([program.find(), "runs", "capture", "1", "--store", str(watched[0]), "--out", str(tmp_path / name)],
                              capture_output=True, text=True)
        assert said.returncode == 0, said.stderr


def test_files_are_those_of_the_schemas(watched, on_gpu):
    validators = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    from referencing import Registry, Resource
    files = (HERE.parents[1] / "resources/schema").glob("*.json")
    registry = Registry().with_resources([(file.name, Resource.from_contents(json.loads(file.read_text()))) for file in files])
    event, result = (validators.Draft202012Validator({"$ref": name}, registry=registry) for name in ("event.json", "result.json"))
    for store in (watched[0], on_gpu):
        for line in events(only_run(store)):
            event.validate(line)
        result.validate(json.loads((only_run(store) / "result.json").read_text()))


@pytest.mark.parametrize("way, code, status, why", [
    ("raises", 1, "failed", "watched.py:47: ValueError: in the middle"), ("leaves", 7, "failed", "the script ended with exit code 7"),
    ("killed", -signal.SIGKILL, "failed", "the run's program ended without a result"),
    ("interrupted", -signal.SIGINT, "cancelled", "")])
def test_a_script_that_ends_early_leaves_what_was_recorded(tmp_path, way, code, status, why):
    bare = python(SCRIPT, "-", "cpu", way)
    done = python(SCRIPT, tmp_path / "store", "cpu", way)
    assert done.returncode == bare.returncode == code
    assert done.stderr.splitlines()[-1:] == bare.stderr.splitlines()[-1:] and done.stdout == bare.stdout
    run = shown(tmp_path / "store")
    assert (run["status"], run.get("message", "")) == (status, why)
    assert len(events(only_run(tmp_path / "store"), "step")) >= STEPS // 2


@pytest.mark.parametrize("way", ["full", "gone", "forks", "profiles"])
def test_nothing_that_happens_to_the_record_reaches_the_script(tmp_path, alone, way):
    done = python(SCRIPT, tmp_path / "store", "cpu", way)
    assert (done.returncode, done.stdout) == (0, python(SCRIPT, "-", "cpu", way).stdout), done.stderr
    if way != "gone":
        run = shown(tmp_path / "store")
        assert (run["status"], len(runs(tmp_path / "store"))) == ("done", 1) or way == "full"
        assert len(events(only_run(tmp_path / "store"), "step")) >= STEPS // 2


def test_a_store_that_cannot_be_is_one_line(tmp_path, alone):
    (tmp_path / "file").touch()
    done = python(SCRIPT, tmp_path / "file", "cpu", "plain")
    assert (done.returncode, done.stdout) == (0, alone)
    (line,) = done.stderr.splitlines()
    assert line.startswith("highwatermark: this run is not recorded: ")


def test_ranks_are_runs_of_one_study(tmp_path):
    if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
        pytest.skip("this torch has no gloo")
    script = tmp_path / "ddp.py"
    script.write_text("""
import sys, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(6):
    optimizer.zero_grad()
    model(torch.ones(4, 64) * (1 + dist.get_rank())).square().mean().backward()
    optimizer.step()
total = sum(value.double().sum().item() for value in model.parameters())
sys.stdout.write(f"{dist.get_rank()} {total}\\n")  # whole, or it is mixed with the other rank's
dist.destroy_process_group()
""")
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
    bare = python(*torchrun, script)
    done = python(*torchrun, "-m", "highwatermark", "run", "--store", tmp_path / "store", script)
    assert done.returncode == bare.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n")) == sorted(bare.stdout.split("\n"))
    both = [shown(tmp_path / "store", run) for run in "12"]
    assert sorted(run["name"] for run in both) == ["ddp.py, rank 0", "ddp.py, rank 1"]
    assert both[0]["study"] == both[1]["study"] and all(len(run["result"]["losses"]) == 6 for run in both)


def test_run_watches_a_script_without_a_line_changed(tmp_path, alone):
    done = python("-m", "highwatermark", "run", "--store", tmp_path / "store", "--name", "mine", SCRIPT, "-", "cpu", "plain")
    assert (done.returncode, done.stdout) == (0, alone)
    (line,) = done.stderr.splitlines()
    assert line.startswith("highwatermark: run 1, 20 steps, ")
    run = shown(tmp_path / "store")
    assert (run["status"], run["name"], run["script"][1:]) == ("done", "mine", ["-", "cpu", "plain"])
    assert [layer["name"] for layer in run["result"]["layers"]] == ["encoder.0", "encoder.1", "encoder.2", "head"]


def test_run_ends_as_the_script_does(tmp_path):
    for way, code in (("raises", 1), ("leaves", 7), ("interrupted", -signal.SIGINT)):
        done = python("-m", "highwatermark", "run", "--store", tmp_path / way, SCRIPT, "-", "cpu", way)
        assert done.returncode == code, done.stderr
        assert "highwatermark/watching" not in done.stderr


@pytest.mark.parametrize("arguments, said", [
    ((), "no script is given; write it, and its arguments, after the options"), (("none.py",), "run: there is no script none.py"),
    (("--trace", "all", SCRIPT), 'run: --trace: "all" is none of first, worst, none, or a number of steps such as 100')])
def test_wrong_arguments_of_run(arguments, said):
    done = python("-m", "highwatermark", "run", *arguments)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith(said)


def test_wrong_arguments_of_watch(tmp_path):
    model = nn.Linear(2, 2)
    for given, said in (({"model": 3}, "the model is a int"), ({"model": model, "optimizer": 3}, "the optimizer is a int"),
                        ({"model": model, "trace": "often"}, '"often" is none of')):
        with pytest.raises(highwatermark.HighwaterError, match=said):
            highwatermark.watch(**given, store=tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_block_is_a_run_and_the_next_watch_another(tmp_path):
    for name in ("one", "two"):
        model = nn.Linear(8, 8)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with highwatermark.watch(model, optimizer, name=name, loss=lambda: 0.5, store=tmp_path / "store") as watch:
            for _ in range(3):
                model(torch.zeros(4, 8)).sum().backward()
                optimizer.step()
        assert (watch.steps, watch.problem) == (3, "")
    assert [shown(tmp_path / "store", run)["name"] for run in "12"] == ["one", "two"]
    assert shown(tmp_path / "store")["result"]["losses"] == [0.5] * 3
    assert not model._forward_hooks and not model._forward_pre_hooks


def test_an_error_of_the_watch_itself_ends_the_watch_only(tmp_path, monkeypatch):
    from highwatermark.watching import recorder
    monkeypatch.setattr(recorder, "_learning_rate", lambda optimizer: 1 / 0)
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watch = highwatermark.watch(model, optimizer, store=tmp_path / "store")
    for _ in range(3):
        model(torch.zeros(4, 8)).sum().backward()
        optimizer.step()
    watch.close()
    assert watch.problem == "watching ended in step 0: ZeroDivisionError: division by zero"
    assert not model._forward_hooks


# --- on a GPU that is not there


def test_a_gpus_figures_are_its_allocators(on_gpu):
    result = shown(on_gpu)["result"]
    assert result["device"] == "pretended rtx3060" and result["layers"][0]["activation_bytes"] == 2 * 8 * 12 ** 3 * 4
    steps = events(only_run(on_gpu), "step")
    assert all(step["allocated_bytes"] >= sum(step["peak"]["bytes"].values()) for step in steps)
    assert all(step["total_ms"] is None and step["loss"] is None for step in steps)  # nothing was executed
    assert result["peak_reserved_bytes"] >= 2 << 20 and result["peak_by_category"]["parameters"] == 4 * (27 * 8 + 8 + 8 + 8 + 24 + 3)


def test_traced_and_counted_peaks_are_equal(on_gpu):
    for step in events(only_run(on_gpu), "step"):
        if step.get("traced"):
            held = step["device_memory"]
            assert held["tensors"] == sum(step["peak"]["bytes"].values())


def test_the_script_sees_its_own_counters(tmp_path):
    script = tmp_path / "counters.py"
    script.write_text(f"""
import sys, torch
from torch import nn
model = nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
if sys.argv[1] != "-":
    import highwatermark
    highwatermark.watch(model, optimizer, store=sys.argv[1])
for step in range(6):
    x = torch.zeros(4096 if step == 2 else 64, 64, device="cuda")
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), torch.cuda.memory_stats()["requested_bytes.all.peak"])
    if step == 3:
        torch.cuda.reset_peak_memory_stats()
""")
    environment = pretended("rtx3060", tmp_path)
    assert python(script, "-", **environment).stdout == python(script, tmp_path / "store", **environment).stdout != ""


def test_out_of_memory_is_on_disk_before_the_exception(tmp_path):
    script = tmp_path / "full.py"
    script.write_text("""
import os, sys, torch
from torch import nn
import highwatermark
model = nn.Sequential(nn.Conv3d(1, 64, 3, padding=1), nn.Conv3d(64, 64, 3, padding=1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
highwatermark.watch(model, optimizer, store=sys.argv[1])
try:
    model(torch.zeros(8, 1, 160, 160, 160, device="cuda")).mean().backward()
except torch.cuda.OutOfMemoryError:
    os.kill(os.getpid(), 9)
""")
    done = python(script, tmp_path / "store", **pretended("rtx3060", tmp_path))
    assert done.returncode == -signal.SIGKILL
    run = shown(tmp_path / "store")
    assert run["status"] == "out_of_memory" and run["message"].startswith("full.py:9: CUDA out of memory: ")
    failure = run["result"]["failure"]
    assert failure["requested_bytes"] == 8 * 64 * 160 ** 3 * 4 and (failure["layer"], failure["phase"]) == ("1", "forward")
    assert failure["device_memory"]["tensors"] >= 8 * 64 * 160 ** 3 * 4
    assert (only_run(tmp_path / "store") / "out-of-memory.pickle").stat().st_size > 1000


def test_a_script_that_survives_out_of_memory_is_done(tmp_path):
    script = tmp_path / "retries.py"
    script.write_text("""
import sys, torch
from torch import nn
import highwatermark
model = nn.Conv3d(1, 64, 3, padding=1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
highwatermark.watch(model, optimizer, store=sys.argv[1])
for size in (64, 2, 2):
    try:
        model(torch.zeros(size, 1, 160, 160, 160, device="cuda")).mean().backward()
        optimizer.step()
    except torch.cuda.OutOfMemoryError:
        optimizer.zero_grad()
""")
    assert python(script, tmp_path / "store", **pretended("rtx3060", tmp_path)).returncode == 0
    run = shown(tmp_path / "store")
    assert run["status"] == "done" and "failure" not in run["result"] and len(run["result"]["losses"]) == 2
