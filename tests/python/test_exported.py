"""Published networks exported back to PyTorch train as they did: the same losses, with the same weights and batches."""

from __future__ import annotations

import importlib.util
import subprocess

import pytest
import torch
from torch import nn

import highwatermark
import networks
from comparing import convert, tensors
from highwatermark import program

STEPS = 3
ALL = networks.available()[0]


def exported(file, folder) -> nn.Module:
    """The module of the program that Highwater writes."""
    target = folder / "exported.py"
    done = subprocess.run([program.find(), "export", "pytorch", str(file), "--out", str(target)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    spec = importlib.util.spec_from_file_location("exported", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Network()


def losses(model: nn.Module, batches: list[torch.Tensor]) -> list[float]:
    """Of the largest output."""
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    torch.manual_seed(3)
    found = []
    for batch in batches:
        optimizer.zero_grad()
        output = max(tensors(model(batch.clone())), key=torch.Tensor.numel)
        loss = output.square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def written_back(model: nn.Module, shape, folder) -> nn.Module:
    """The module that Highwater writes of the model, with its weights."""
    taken = convert(model, shape)
    file = folder / "net.json"
    highwatermark.save(model, shape, file, loss="mean")
    back = exported(file, folder)
    own = dict(model.named_parameters(remove_duplicate=False))
    registered = {name: rank for rank, name in enumerate(own)}
    names = list(dict.fromkeys(name for layer in taken.parameters for name in sorted(layer.values(), key=registered.get)))
    with torch.no_grad():
        for name, parameter in zip(names, back.parameters(), strict=True):
            assert parameter.shape == own[name].shape, name
            parameter.copy_(own[name])
    return back


@pytest.mark.parametrize("network", ALL, ids=lambda network: f"{network.source} {network.name}")
def test_an_exported_network_trains_the_same(network, tmp_path):
    torch.manual_seed(0)
    model = network.build().train()
    back = written_back(model, network.input, tmp_path)
    noise = torch.Generator().manual_seed(1)
    batches = [torch.rand(network.input, generator=noise) for _ in range(STEPS)]
    with networks.same_draws(network):
        expected, found = losses(model, batches), losses(back, batches)
    assert found == pytest.approx(expected, rel=network.tolerance)
