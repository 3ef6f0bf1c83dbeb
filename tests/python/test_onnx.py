"""What highwater-cli makes of an .onnx file is what it makes of the same network's .pt2 archive."""

from __future__ import annotations

import json
import logging
import subprocess
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import networks
from highwatermark import HighwaterError, program, reading

warnings.simplefilter("ignore")
logging.getLogger("torch.onnx").setLevel(logging.ERROR)
ALL, ABSENT = networks.available()
EXPORTERS = ["older", "newer"]

# What an exporter itself refuses, or computes another way than PyTorch's program says.
REFUSED_BY_EXPORTER = {
    ("older", "SegResNet"): "feature_dropout",  # Dropout3d
    ("older", "VNet"): "feature_dropout",
    ("older", "vgg16_bn"): "adaptive",  # pooling to sizes that are no factor of the input's
}
COMPUTED_ANOTHER_WAY = {
    ("older", "BasicUNetPlusPlus"): "equal concatenations are computed once",
    ("newer", "vgg16_bn"): "adaptive pooling to sizes that are no factor of the input's is written as indexing",
}
# What the reader of .onnx files does not see as the program's layers yet.
NOT_YET = {
    ("newer", "DenseNet 121"): "the pooling before the classifier",
    ("newer", "SEResNet 50"): "the pooling before the classifier",
    ("newer", "densenet121"): "a concatenation of a single tensor",
    ("older", "RegUNet"): "a stack of a single tensor is a concatenation along the batch",
    ("newer", "RegUNet"): "a stack of a single tensor is a concatenation along the batch",
    ("older", "UNETR"): "Gather takes the places of an axis",
    ("newer", "UNETR"): "Gather takes the places of an axis, Einsum multiplies matrices",
    ("older", "UNETR, flash attention"): "Gather takes the places of an axis",
    ("newer", "UNETR, flash attention"): "Gather takes the places of an axis",
    ("older", "vit_b_16"): "a parameter is concatenated, Gather takes the places of an axis",
    ("newer", "vit_b_16"): "a parameter is concatenated",
    ("older", "SwinUNETR"): "Gather takes the places of an axis",
    ("newer", "SwinUNETR"): "Gather takes the places of an axis, the mask is a constant",
    ("older", "convnext_tiny"): "samples are dropped by other operators",
    ("newer", "convnext_tiny"): "Gather takes sizes",
}


def called(network: networks.Network) -> str:
    return f"{network.source} {network.name}"


def cli(kind: str, path: Path, *options: str) -> subprocess.CompletedProcess:
    try:
        tool = program.find()
    except HighwaterError as error:
        pytest.skip(str(error))
    done = subprocess.run([tool, "import", kind, path, *options], capture_output=True, text=True)
    if f'unknown subcommand "{kind}"' in done.stderr:
        pytest.skip("this highwater-cli does not read .onnx files")
    return done


def export(model: nn.Module, shape, path: Path, exporter: str, **options) -> None:
    """With the command of docs/own-networks.md."""
    options = {"training": torch.onnx.TrainingMode.TRAINING, "dynamo": exporter == "newer", **options}
    if exporter == "newer":
        pytest.importorskip("onnxscript", reason="PyTorch's newer exporter needs onnxscript")
        options = {"optimize": False, "verbose": False, **options}
    else:
        pytest.importorskip("onnx", reason="PyTorch's older exporter needs onnx")
    torch.onnx.export(model.train(), examples(shape), str(path), **options)


def examples(shape) -> tuple[torch.Tensor, ...]:
    """Of a shape, or of several."""
    return tuple(torch.zeros(each) for each in (shape if isinstance(shape[0], tuple) else (shape,)))


def archive(model: nn.Module, shape, path: Path) -> None:
    with reading.training(model):
        torch.export.save(reading.export(model, examples(shape)), path)


def flat(stack: list) -> list[dict]:
    return [inner for layer in stack for inner in (flat(layer["layers"]) if layer["type"] == "block" else [layer])]


def layers(stack: list) -> list[dict]:
    """In the order of execution; without what does nothing, which the newer exporter drops, and without what
    ONNX cannot say. What is brought back is named by its place instead of its id."""
    found, places = [], {}
    for layer in flat(stack):
        plain = {key: value for key, value in layer.items() if key not in ("id", "inplace")}
        if plain not in ({"type": "dropout", "p": 0}, {"type": "scale", "value": 1}):
            if "with" in plain:
                names = plain["with"] if isinstance(plain["with"], list) else [plain["with"]]
                plain["with"] = [places[name] for name in names]
            found.append(plain)
        if "id" in layer:
            places[layer["id"]] = len(found)
    return found


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("network", ALL, ids=called)
def test_a_published_network_is_the_same(network, exporter, tmp_path):
    model = network.build()
    what = (exporter, network.name)
    try:
        export(model, network.input, tmp_path / "net.onnx", exporter)
    except Exception as error:  # each exporter has its own
        if REFUSED_BY_EXPORTER.get(what, "\0") in str(error):
            pytest.skip(f"PyTorch's {exporter} exporter refuses it: {REFUSED_BY_EXPORTER[what]}")
        raise
    archive(model, network.input, tmp_path / "net.pt2")
    own, other = cli("pytorch", tmp_path / "net.pt2"), cli("onnx", tmp_path / "net.onnx")
    if what in COMPUTED_ANOTHER_WAY:
        pytest.skip(f"the {exporter} exporter changes it: {COMPUTED_ANOTHER_WAY[what]}")
    assert own.returncode == 0, own.stderr
    expected = json.loads(own.stdout)
    if what in NOT_YET:
        assert other.returncode != 0 or layers(json.loads(other.stdout)["stack"]) != layers(expected["stack"])
        pytest.skip(f"the .onnx file of the {exporter} exporter is read otherwise: {NOT_YET[what]}")
    assert other.returncode == 0, other.stderr
    found = json.loads(other.stdout)
    assert layers(found["stack"]) == layers(expected["stack"])
    assert {key: found[key] for key in found if key not in ("stack", "name")} == \
        {key: expected[key] for key in expected if key not in ("stack", "name")}


class Small(nn.Module):
    """Modules that exporters write as several operators."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.rest = nn.Sequential(nn.BatchNorm2d(8, affine=False), nn.SiLU(), nn.GroupNorm(2, 8), nn.Mish(), nn.GELU(),
                                  nn.InstanceNorm2d(8), nn.Hardswish(), nn.Hardsigmoid(), nn.ReLU6(), nn.PReLU(8),
                                  nn.LocalResponseNorm(5), nn.LayerNorm([16, 16]), nn.ELU(), nn.LeakyReLU(0.2),
                                  nn.Conv2d(8, 8, 3, padding=1, padding_mode="reflect"), nn.Dropout(0.3),
                                  nn.Upsample(scale_factor=2, mode="bilinear"), nn.AvgPool2d(3, 2, 1))
        self.last = nn.Linear(8, 5)

    def forward(self, x):
        x = self.rest(self.conv(x))[:, :, 1:9, 2:]
        return self.last(nn.functional.pad(x, (1, 2, 3, 4)).mean((2, 3)))


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_what_exporters_take_apart_comes_together(exporter, tmp_path):
    shape = (2, 3, 16, 16)
    export(Small(), shape, tmp_path / "net.onnx", exporter)
    archive(Small(), shape, tmp_path / "net.pt2")
    done = cli("onnx", tmp_path / "net.onnx")
    assert done.returncode == 0, done.stderr
    assert layers(json.loads(done.stdout)["stack"]) == \
        layers(json.loads(cli("pytorch", tmp_path / "net.pt2").stdout)["stack"])


class Masked(nn.Module):
    """An image and a mask."""

    def __init__(self):
        super().__init__()
        self.image, self.end = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(6, 2, 1)

    def forward(self, image, mask):
        return self.end(torch.cat([self.image(image).relu(), mask], 1))


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_several_inputs_are_those_of_the_archive(exporter, tmp_path):
    shapes = (2, 1, 16, 16), (2, 2, 16, 16)
    export(Masked(), shapes, tmp_path / "net.onnx", exporter)
    archive(Masked(), shapes, tmp_path / "net.pt2")
    done = cli("onnx", tmp_path / "net.onnx")
    assert done.returncode == 0, done.stderr
    made, expected = json.loads(done.stdout), json.loads(cli("pytorch", tmp_path / "net.pt2").stdout)
    assert layers(made["stack"]) == layers(expected["stack"])
    assert made["input"] == expected["input"] == {"synthetic": [3, 16, 16]}


def test_open_sizes_are_given_as_options(tmp_path):
    model, path = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(784, 2)), tmp_path / "net.onnx"
    export(model, (2, 3, 16, 16), path, "older", input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    assert "give them with --batch N" in cli("onnx", path).stderr
    assert json.loads(cli("onnx", path, "--batch", "5").stdout)["step"]["batch_size"] == 5
    assert json.loads(cli("onnx", path, "--input", "3,3,16,16").stdout)["step"]["batch_size"] == 3


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_what_an_export_for_inference_did_is_a_note(exporter, tmp_path):
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
    options = {"optimize": True} if exporter == "newer" else {"training": torch.onnx.TrainingMode.EVAL}
    export(model, (2, 3, 16, 16), tmp_path / "net.onnx", exporter, **options)
    assert "folded into" in cli("onnx", tmp_path / "net.onnx").stderr
