"""An archive of torch.export.save gives the file that the package writes of the same module."""

from __future__ import annotations

import json
import subprocess
import warnings
import zipfile
from pathlib import Path

import pytest
import torch
from torch import nn

import networks
from comparing import convert
from highwatermark import Unsupported, program, reading
from test_layers import ONE_LAYER, VOLUME

warnings.simplefilter("ignore")
ALL, ABSENT = networks.available()


def called(network: networks.Network) -> str:
    return f"{network.source} {network.name}"


@pytest.fixture
def saved(tmp_path):
    """Writes the module's program, as torch.export has it in training mode."""
    def save(model: nn.Module, shape) -> Path:
        path = tmp_path / "net.pt2"
        with reading.training(model):
            torch.export.save(reading.export(model, (torch.zeros(shape),)), path)
        return path
    return save


def imported(path: Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([program.find(), "import", "pytorch", path, *options], capture_output=True, text=True)


def says_what_is_tied(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("_weights_config.json") for name in archive.namelist())


def expect_same(path: Path, model: nn.Module, shape) -> None:
    network = convert(model, shape)
    done = imported(path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == network.json
    if says_what_is_tied(path):
        assert [line.removeprefix("note: ") for line in done.stderr.splitlines()] == network.notes


@pytest.mark.parametrize("network", ALL, ids=called)
def test_a_published_network_is_the_same(network, saved):
    model = network.build()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    expect_same(saved(model, network.input), model, network.input)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items() if "running" not in name)


class Missing(nn.Module):
    """An output of numbers that are no floats, and a slice of the batch."""

    def forward(self, x):
        return x[:1].relu().long()


def test_what_is_missing_is_the_same(saved):
    model = Missing()
    path = saved(model, VOLUME)
    with pytest.raises(Unsupported) as error:
        convert(model, VOLUME)
    done = imported(path)
    assert done.returncode == 2 and done.stderr == f"highwater-cli: {path}: {'; '.join(error.value.lines)}\n"


@pytest.mark.parametrize("module, layer", ONE_LAYER, ids=lambda value: value["type"] if isinstance(value, dict) else "")
def test_a_layer_is_the_same(module, layer, saved):
    model = nn.Sequential(nn.Conv3d(3, 3, 1), module)
    expect_same(saved(model, VOLUME), model, VOLUME)


def test_other_files_of_torch_are_named(tmp_path):
    model = nn.Conv3d(1, 2, 3)
    torch.save(model.state_dict(), tmp_path / "a.pt2")
    assert "is a checkpoint of torch.save" in imported(tmp_path / "a.pt2").stderr
    torch.save(model.state_dict(), tmp_path / "a.pt2", _use_new_zipfile_serialization=False)
    assert "is a pickle, as an old torch.save" in imported(tmp_path / "a.pt2").stderr
    torch.jit.save(torch.jit.script(model), tmp_path / "a.pt2")
    assert "is a TorchScript archive" in imported(tmp_path / "a.pt2").stderr


def test_symbolic_sizes_are_one_line(tmp_path):
    model = nn.Sequential(nn.Conv3d(1, 2, 3), nn.ReLU())
    batch = torch.export.Dim("batch", min=2, max=64)
    exported = torch.export.export(model, (torch.zeros(2, 1, 8, 8, 8),), dynamic_shapes=({0: batch},))
    torch.export.save(exported, tmp_path / "net.pt2")
    done = imported(tmp_path / "net.pt2")
    assert done.returncode == 2 and "are symbolic; export without dynamic_shapes" in done.stderr
    assert done.stderr.count("\n") == 1
