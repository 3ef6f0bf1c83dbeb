"""Files, the command line and predictions."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

import highwatermark
from highwatermark import __main__ as command
from highwatermark import program

SHAPE = (2, 1, 8, 8, 8)


def small(channels: int = 2) -> nn.Module:
    return nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.ReLU(inplace=True), nn.Conv3d(4, channels, 1))


def saved(tmp_path: Path, model: nn.Module = None, shape=SHAPE, **options) -> dict:
    highwatermark.save(model or small(), shape, tmp_path / "net.json", **options)
    return json.loads((tmp_path / "net.json").read_text())


def test_a_file_has_what_a_loop_in_pytorch_does(tmp_path):
    made = saved(tmp_path)
    assert made["schema"] == "highwater.experiment/1" and made["name"] == "Sequential"
    assert made["input"] == {"synthetic": [1, 8, 8, 8]} and made["target"] == {"classes": 2}
    assert made["loss"] == "cross_entropy" and made["optimizer"] == {"type": "adam", "foreach": True}
    assert made["step"] == {"batch_size": 2, "precision": "fp32", "keep_output": True}
    assert made["backend"] == {"tf32": True}


def test_tf32_is_as_this_pytorch_has_it(tmp_path, monkeypatch):
    assert "backend" not in saved(tmp_path, precision="fp32")
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    made = saved(tmp_path)
    assert made["step"]["precision"] == "fp32" and "backend" not in made


def test_the_usual_loss_follows_from_the_output(tmp_path):
    assert saved(tmp_path, small(1))["loss"] == "mse"
    made = saved(tmp_path, nn.Sequential(small(), nn.AdaptiveAvgPool3d(1), nn.Flatten()))
    assert made["loss"] == "mean" and "target" not in made


def test_the_same_network_gives_the_same_bytes(tmp_path):
    highwatermark.save(small(), SHAPE, tmp_path / "a.json")
    highwatermark.save(small(), torch.rand(SHAPE), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_options_are_those_of_the_file(tmp_path):
    made = saved(tmp_path, loss="dice", classes=2, precision="bf16", name="mine ä", optimizer={"type": "sgd", "momentum": 0.9},
                 settings={"step": {"micro_batches": 2}, "backend": {"benchmark": True}})
    assert (made["loss"], made["name"], made["step"]["precision"]) == ("dice", "mine ä", "bf16")
    assert made["optimizer"] == {"type": "sgd", "momentum": 0.9, "foreach": True}
    assert made["step"]["micro_batches"] == 2 and made["backend"] == {"benchmark": True}


def test_an_optimizer_of_torch(tmp_path):
    model = small()
    made = saved(tmp_path, model, optimizer=torch.optim.AdamW(model.parameters(), lr=0.1, foreach=False))
    assert made["optimizer"] == {"type": "adamw", "lr": 0.1, "weight_decay": 0.01, "betas": [0.9, 0.999], "eps": 1e-8,
                                 "amsgrad": False, "foreach": False}


def test_a_scan_with_labels(tmp_path):
    made = saved(tmp_path, scan="head.nii.gz", labels="seg.nii.gz")
    assert made["input"] == {"scan": "head.nii.gz", "patch": [8, 8, 8]} and made["target"] == {"labels": "seg.nii.gz"}


def test_parameters_of_two_bytes(tmp_path):
    assert saved(tmp_path, small().bfloat16())["step"]["precision"] == "bf16_true"


@pytest.mark.parametrize("options, said", [
    ({"loss": "l1"}, 'loss "l1" is unknown; there are mse, '), ({"precision": "int8"}, 'precision "int8" is unknown'),
    ({"optimizer": "lion"}, 'optimizer "lion" is unknown; there are sgd, adam, adamw'),
    ({"classes": 5}, "classes: 5 classes do not fit the network's output of 2 channels"),
    ({"labels": "seg.nii.gz"}, "labels: a labels file needs a scan"), ({"scan": ["a", "b"]}, "scan: 2 scans do not fit"),
])
def test_a_wrong_option_is_one_line_and_leaves_no_file(tmp_path, options, said):
    with pytest.raises(highwatermark.HighwaterError) as error:
        highwatermark.save(small(), SHAPE, tmp_path / "net.json", **options)
    assert str(error.value).startswith(said) and "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_network_leaves_the_old_file(tmp_path):
    (tmp_path / "net.json").write_text("old")
    with pytest.raises(highwatermark.Unsupported):
        highwatermark.save(nn.Sequential(small(), nn.BatchNorm3d(2).eval()), SHAPE, tmp_path / "net.json")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("net.json", "old")]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(highwatermark.HighwaterError, match="net.json: cannot be written: No such file or directory"):
        highwatermark.save(small(), SHAPE, tmp_path / "none" / "net.json")


def test_what_the_file_cannot_say_is_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="relu works in place"):
        highwatermark.save(nn.Sequential(nn.ReLU(inplace=True), small()), SHAPE, tmp_path / "net.json")


# --- the command line

MODULE = """
from torch import nn
net = nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ReLU(inplace=True), nn.Conv3d(4, 2, 1))
class Deep: build = staticmethod(lambda: net)
def build(): return net
def fails(): raise ValueError("no weights")
def number(): return 3
def odd(): return nn.Sequential(net, nn.Flatten(0), nn.ReLU())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_network.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_network", raising=False)
    return tmp_path


@pytest.mark.parametrize("name", ["build", "net", "Deep.build"])
def test_the_command_writes_a_file(folder, name):
    options = ["--input", "2,1,8,8,8", "--out", "net.json", "--optimizer", "sgd", "--momentum", "0.9", "--precision", "fp16",
               "--set", "step.micro_batches=2", "--set", "backend.alloc_conf=expandable_segments:True"]
    assert command.main([f"my_network:{name}", *options]) == 0
    made = json.loads((folder / "net.json").read_text())
    assert made["optimizer"] == {"type": "sgd", "momentum": 0.9, "foreach": True}
    assert made["step"] == {"batch_size": 2, "precision": "fp16", "keep_output": True, "micro_batches": 2}
    assert made["backend"] == {"alloc_conf": "expandable_segments:True"}


def test_the_command_hands_over_to_the_program(folder):
    assert command.main(["my_network:net", "--input", "2,1,8,8,8", "--out", "net.json"]) == 0
    words = ["predict", "net.json", "--target", "rtx3060", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(highwatermark.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-m", "highwatermark", *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == program.json_of(words, Path("net.json"))
    for name in command._COMMANDS:
        assert subprocess.run([program.find(), name, "--help"], capture_output=True).returncode == 0, name


def test_the_command_takes_an_input_for_each_tensor(folder):
    (folder / "my_pair.py").write_text("from torch import nn\n"
                                       "class Pair(nn.Conv3d):\n"
                                       "    def __init__(self): super().__init__(1, 2, 1)\n"
                                       "    def forward(self, image, mask): return super().forward(image) * mask\n")
    assert command.main(["my_pair:Pair", "--input", "2,1,8,8,8", "--input", "2,2,8,8,8", "--out", "net.json"]) == 0
    assert json.loads((folder / "net.json").read_text())["input"] == {"synthetic": [3, 8, 8, 8]}


@pytest.mark.parametrize("arguments, said", [
    (["my_network"], "\"my_network\" is not a network; give MODULE:NAME"), (["no_such:net"], "no_such cannot be imported: "),
    (["my_network:absent"], "my_network:absent: there is no absent in my_network"),
    (["my_network:fails"], "my_network:fails() failed: ValueError: no weights"),
    (["my_network:number"], "my_network:number() returned a int, not a torch.nn.Module"),
    (["my_network:odd"], "no layer implements a view with fewer than two axes (once, in "),
    (["my_network:net", "--set", "step"], "--set: \"step\" is no KEY=VALUE"),
])
def test_wrong_input_is_one_line(folder, capsys, arguments, said):
    assert command.main([*arguments, "--input", "2,1,8,8,8", "--out", "net.json"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"highwatermark: {said}") and err.count("\n") == 1
    assert not (folder / "net.json").exists()


def test_a_refused_network_can_be_pretended(folder, capsys):
    assert command.main(["my_network:odd", "--input", "2,1,8,8,8", "--out", "net.json"]) == 2
    assert capsys.readouterr().err.endswith("; or run the script that trains it on a pretended GPU: "
                                            "python -m highwatermark run --pretend GPU train.py\n")


@pytest.mark.parametrize("arguments", [["predikt", "net.json"], ["my_network"]])
def test_an_unknown_command_is_one_line(capsys, arguments):
    assert command.main(arguments) == 2
    assert capsys.readouterr().err == (f'highwatermark: "{arguments[0]}" is not a network; give MODULE:NAME, such as my_module:build, or a '
                                       "command: run, predict, plan, script, import\n")


def test_without_pytorch_a_network_is_one_line(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert command.main(["my_network:net", "--input", "2,1,8,8,8", "--gpu", "rtx3060"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("highwatermark: PyTorch cannot be imported (") and err.endswith(": pip install torch\n") and err.count("\n") == 1


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["--help"])
    out = capsys.readouterr().out
    assert end.value.code == 0 and "highwatermark run " in out and f"highwatermark {{{','.join(command._COMMANDS)}}}" in out


@pytest.mark.parametrize("shape", ["2,1", "2,1,a", "2,1,0,8", "1,1,1,1,1,1"])
def test_a_wrong_shape(folder, capsys, shape):
    with pytest.raises(SystemExit) as end:
        command.main(["my_network:net", "--input", shape, "--out", "net.json"])
    assert end.value.code == 2 and f"\"{shape}\" is no shape" in capsys.readouterr().err


def test_sizes_that_do_not_meet_are_one_line(folder):
    (folder / "my_sum.py").write_text("import torch\nfrom torch import nn\n"
                                      "class Sum(nn.Conv1d):\n"
                                      "    def __init__(self): super().__init__(1, 1, 2, stride=2)\n"
                                      "    def forward(self, x): return torch.cat([super().forward(x), x], 1)\n")
    source = Path(highwatermark.__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", "highwatermark", "my_sum:Sum", "--input", "2,1,8", "--out", "net.json"],
                          env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("highwatermark: torch.export cannot read the network: RuntimeError: ")


def test_as_a_program(folder):
    source = Path(highwatermark.__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", "highwatermark", "my_network:build", "--input", "2,1,8,8,8", "--out", "net.json"],
                          env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- predictions

SAID = {
    "target": "rtx4090", "device_name": "a GPU", "peak_allocated_bytes": {"low": 1, "expected": 3 << 30, "high": 4 << 30},
    "max_memory_allocated_bytes": {"low": 1, "expected": 4 << 30, "high": 5 << 30},
    "peak_reserved_bytes": {"low": 1, "expected": 5 << 30, "high": 6 << 30}, "step_ms": {"low": 1, "expected": 2.5, "high": 4},
    "peak_by_category": {"input": 0, "activations": 1000 << 20}, "fits": "yes",
    "layers": [{"name": "1 conv", "type": "conv", "output_shape": [2, 4, 8, 8, 8], "at_peak_bytes": 4096}],
}


def fake(folder: Path, script: str) -> Path:
    path = folder / "highwater-cli"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    monkeypatch.delenv("HIGHWATER_CLI", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(program, "__file__", str(tmp_path / "package" / "program.py"))


def test_a_prediction_is_a_table(nowhere, monkeypatch, tmp_path):
    (tmp_path / "said.json").write_text(json.dumps(SAID))
    (tmp_path / "made.json").write_text('{"name": "Sequential", "notes": [], "parameter_names": []}')
    path = fake(tmp_path, f'if [ $1 = import ]; then cat {tmp_path}/made.json; exit; fi\n'
                          f'echo "$@" >{tmp_path}/arguments; cat {tmp_path}/said.json')
    monkeypatch.setenv("HIGHWATER_CLI", str(path))
    predicted = highwatermark.predict(small(), SHAPE, gpu="rtx4090", cudnn="9.10", libtorch="2.8")
    arguments = (tmp_path / "arguments").read_text().split()
    assert arguments[0] == "predict"
    assert arguments[2:] == ["--target", "rtx4090", "--json", "--libtorch", "2.8", "--cudnn", "9.10"]
    assert not Path(arguments[1]).exists()
    assert (predicted.fits, predicted.peak_allocated.expected, predicted.step_ms.high) == ("yes", 3 << 30, 4)
    assert str(predicted).splitlines() == [
        "Sequential on a GPU", "fits             yes", "peak             3 GiB     1 B to 4 GiB", "  activations    1000 MiB",
        "in whole blocks  4 GiB     1 B to 5 GiB", "reserved         5 GiB     1 B to 6 GiB",
        "step             2.5 ms    1 to 4 ms", "",
        "largest at the peak  output             bytes", "1 conv               2 x 4 x 8 x 8 x 8  4 KiB"]


def test_where_the_program_is_looked_for(nowhere, monkeypatch, tmp_path):
    with pytest.raises(highwatermark.HighwaterError, match="there is no highwater-cli; install Highwater, or set HIGHWATER_CLI"):
        program.find()
    (tmp_path / "path").mkdir()
    on_path = fake(tmp_path / "path", "")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert program.find() == str(on_path)
    monkeypatch.setenv("HIGHWATER_CLI", str(tmp_path / "none"))
    with pytest.raises(highwatermark.HighwaterError, match="HIGHWATER_CLI: .*none is no program that can be run"):
        program.find()
    (tmp_path / "package/bin").mkdir(parents=True)
    own = fake(tmp_path / "package/bin", "")
    assert program.find() == str(own)


@pytest.mark.parametrize("path", ["", ":/usr/bin", ".", "path:/usr/bin"])
def test_the_current_folder_brings_no_program(nowhere, monkeypatch, tmp_path, path):
    (tmp_path / "path").mkdir()
    fake(tmp_path, "")
    fake(tmp_path / "path", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    with pytest.raises(highwatermark.HighwaterError, match="there is no highwater-cli"):
        program.find()


def test_the_program_finds_this_python_first(nowhere, monkeypatch, tmp_path):
    path = fake(tmp_path, 'echo "{\\"python\\": \\"$(command -v python3)\\"}"')
    monkeypatch.setenv("HIGHWATER_CLI", str(path))
    (tmp_path / "venv").mkdir()
    own = tmp_path / "venv/python3"
    own.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(own))
    assert program.json_of(["predict"], tmp_path) == {"python": str(own)}
    done = subprocess.run([sys.executable, "-c", "import sys; from highwatermark import __main__; sys.executable = sys.argv.pop(1)\n"
                           "__main__.main(['plan'])", str(own)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(Path(highwatermark.__file__).parents[1])})
    assert json.loads(done.stdout) == {"python": str(own)}, done.stderr


def test_names_do_not_control_the_terminal():
    said = SAID | {"device_name": "a\x1b[31m GPU\n\u202e"}
    said["layers"] = [layer | {"name": f"\x1b]0;x\x07\x9b{layer['name']}\r\n"} for layer in SAID["layers"]]
    text = str(program.Prediction("net\x1b[2J", said, ("a\x7f note",)))
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert len(text.splitlines()) == len(str(program.Prediction("net", SAID, ("a note",))).splitlines())


@pytest.mark.parametrize("name", ["highwater-cli", "highwatermark"])  # the latter in the package's own program
def test_what_the_program_refuses_is_its_own_line(nowhere, monkeypatch, tmp_path, name):
    monkeypatch.setenv("HIGHWATER_CLI", str(fake(tmp_path, f'echo "{name}: --target: no such GPU" >&2; exit 2')))
    with pytest.raises(highwatermark.HighwaterError, match="^--target: no such GPU$"):
        highwatermark.predict(small(), SHAPE, gpu="rtx1")


# --- with the real program

def test_the_program_counts_the_same_parameters():
    model = small()
    predicted = highwatermark.predict(model, SHAPE, gpu="rtx4090")
    assert sum(layer["parameters"] for layer in predicted.layers if layer["type"] != "block") == \
        sum(p.numel() for p in model.parameters())
    assert "NVIDIA GeForce RTX 4090" in str(predicted)
