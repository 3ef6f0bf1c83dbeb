"""The operators of a step, as core/script/step_operators.py records them."""

from __future__ import annotations

import json

import pytest

from watching import HERE, pretended, python

RECORDER = HERE.parents[1] / "core/script"
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from torch import nn
from step_operators import Recorder
model = nn.Sequential(nn.Conv3d(1, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU(), nn.Conv3d(8, 8, 2, 2, groups=2),
                      nn.ConvTranspose3d(8, 4, 2, 2), nn.MaxPool3d(2), nn.Flatten(), nn.Linear(4 * 8 ** 3, 5)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
x, y = torch.randn(2, 1, 16, 16, 16), torch.zeros(2, dtype=torch.long)
def step():
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=sys.argv[3] == "bf16"):
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
step()
recorder = Recorder()
with recorder:
    step()
recorder.write(sys.argv[2])
"""


@pytest.fixture(scope="module", params=["f32", "bf16"])
def recorded(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("operators")
    script = folder / "step.py"
    script.write_text(SCRIPT)
    done = python(script, RECORDER, folder / "step.json", request.param, **pretended("rtx3060", folder))
    assert done.returncode == 0, done.stderr
    return request.param, json.loads((folder / "step.json").read_text())


def of(recorded, family):
    return [each for each in recorded[1]["operators"] if each["family"] == family]


def test_convolutions_are_the_predictors_keys(recorded):
    end = "/bf16" if recorded[0] == "bf16" else ""
    assert {each["convolution"] for each in of(recorded, "convolution")} == {
        f"conv3d/f/n2/c1,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b{end}",
        f"conv3d/b/n2/c1,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gw{end}",
        f"conv3d/f/n2/c8,8/i16,16,16/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g2/b{end}",
        f"conv3d/b/n2/c8,8/i16,16,16/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g2/b/gi/gw{end}",
        f"conv_transpose3d/f/n2/c8,4/i8,8,8/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g1/o0,0,0/b{end}",
        f"conv_transpose3d/b/n2/c8,4/i8,8,8/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g1/o0,0,0/b/gi/gw{end}"}
    assert {each["type"] for each in of(recorded, "convolution")} == {"bf16" if end else "tf32"}


def test_products_are_counted(recorded):
    forward_and_two_gradients = 3 * 2 * 2 * 4 * 8 ** 3 * 5
    assert sum(each["operations"] * each["count"] for each in of(recorded, "product")) == forward_and_two_gradients


def test_what_moves_memory_has_its_bytes(recorded):
    (pool,) = of(recorded, "pool")
    size = 2 if recorded[0] == "bf16" else 4
    values, kept = 2 * 4 * 16 ** 3, 2 * 4 * 8 ** 3
    assert pool["bytes"] == size * (values + kept) + 8 * kept  # with the indices
    assert len(of(recorded, "pool_backward")) == 1 and sum(each["count"] for each in of(recorded, "norm")) == 2
    assert (sum(each["count"] for each in of(recorded, "copy")) > 5) == (size == 2)  # autocast's


def test_views_and_transfers_are_calls_without_a_kernel(recorded):
    kernels = sum(each["count"] for each in recorded[1]["operators"])
    assert 0 < kernels < recorded[1]["dispatches"] and recorded[1]["reads"] == recorded[1]["kernels"] == 0
