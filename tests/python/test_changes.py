"""Changes to a script (core/script/changes.py): what they do to its results, on the CPU, and that the file that is kept needs what
was pretended."""

from __future__ import annotations

import copy
import functools
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from highwatermark import program

spec = importlib.util.spec_from_file_location("changes", Path(__file__).resolve().parents[2] / "core/script/changes.py")
changes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(changes)


class Block(nn.Module):
    def __init__(self, channels: int, norm: type[nn.Module], dropout: float):
        super().__init__()
        self.convolution, self.norm = nn.Conv3d(channels, channels, 3, padding=1), norm(channels)
        self.activation, self.dropout = nn.LeakyReLU(inplace=True), nn.Dropout(dropout)

    def forward(self, x, scale=1.0):
        return x + scale * self.dropout(self.activation(self.norm(self.convolution(x))))


class Network(nn.Module):
    def __init__(self, norm: type[nn.Module] = nn.BatchNorm3d, dropout: float = 0.2):
        super().__init__()
        self.first, self.last = nn.Conv3d(1, 8, 3, padding=1), nn.Conv3d(8, 2, 1)
        self.blocks = nn.ModuleList(Block(8, norm, dropout) for _ in range(3))

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x, scale=0.5)
        return self.last(x), x.mean((1, 2, 3, 4))


@pytest.fixture(autouse=True)
def _restored(monkeypatch):
    """A change applies to the whole process."""
    monkeypatch.setattr(nn.Module, "__call__", nn.Module.__call__)
    for owner in (torch.optim.Optimizer, nn.Module):
        monkeypatch.setattr(owner, "zero_grad", owner.zero_grad)
    monkeypatch.setattr(torch.utils.data.DataLoader, "__init__", torch.utils.data.DataLoader.__init__)
    optimizer = sys.modules["torch.optim.optimizer"]
    monkeypatch.setattr(optimizer, "_global_optimizer_pre_hooks", optimizer._global_optimizer_pre_hooks.copy())


def trained(change=None, set_to_none: bool = True, optimizer: str = "AdamW", **network) -> dict[str, torch.Tensor]:
    """Weights, running statistics and momentum after five steps, and an evaluation between them."""
    torch.manual_seed(1)
    model = Network(**network)
    if change is not None:
        changes.when_called("Network", change)
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), 1e-2)
    for step in range(5):
        optimizer.zero_grad(set_to_none=set_to_none)
        output, mean = model(torch.randn(4, 1, 6, 6, 6))
        (output.square().mean() + mean.sum()).backward()
        optimizer.step()
        if step == 2:
            with torch.no_grad():
                model.eval()(torch.randn(4, 1, 6, 6, 6))
            model.train()
    state = {f"{key}.{name}": value for key, values in optimizer.state_dict()["state"].items() for name, value in values.items()}
    return {**model.state_dict(), **state}


def equal(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> bool:
    assert found.keys() == expected.keys()
    return all(torch.equal(found[name], expected[name]) for name in expected)


def close(found, expected) -> bool:
    """Of SGD: Adam enlarges differences of gradients that are almost zero."""
    return all(torch.allclose(found[name].float(), expected[name].float(), rtol=1e-4, atol=1e-5) for name in expected)


def recompute_blocks(model):
    for module in model.modules():
        if isinstance(module, Block):
            changes.wrap(module, changes.recompute)


@pytest.mark.parametrize("norm", [nn.BatchNorm3d, nn.InstanceNorm3d, functools.partial(nn.BatchNorm3d, momentum=None),
                                  functools.partial(nn.InstanceNorm3d, track_running_stats=True)])
def test_recomputation_is_equal_to_the_bit_running_statistics_included(norm):
    assert equal(trained(recompute_blocks, norm=norm), trained(norm=norm))


def test_recomputation_frees_what_the_modules_keep():
    def kept(change) -> int:
        sizes = []
        model = Network()
        change(model)
        with torch.autograd.graph.saved_tensors_hooks(lambda x: sizes.append(x.numel()) or x, lambda x: x):
            model(torch.randn(2, 1, 6, 6, 6))
        return sum(sizes)
    assert kept(recompute_blocks) < kept(lambda model: None) / 2


def test_parts_are_equal_up_to_rounding():
    in_parts = lambda model: changes.wrap(model, functools.partial(changes.in_parts, 2))
    stable = {"norm": nn.InstanceNorm3d, "dropout": 0.0, "optimizer": "SGD"}
    plain = trained(**stable)
    assert close(trained(in_parts, **stable), plain)
    assert not close(trained(in_parts, dropout=0.0, optimizer="SGD"), trained(dropout=0.0, optimizer="SGD")), "a batch norm sees parts"


def test_a_last_part_may_be_smaller():
    model = Network(nn.InstanceNorm3d, 0.0)
    x = torch.randn(3, 1, 6, 6, 6)
    expected = model(x)
    changes.wrap(model, functools.partial(changes.in_parts, 2))
    for found, wanted in zip(model(x), expected, strict=True):
        torch.testing.assert_close(found, wanted)


def test_channels_last_is_equal_up_to_rounding():
    def change(model):
        for parameter in model.parameters():
            parameter.data = changes.channels_last(parameter.data)
        changes.wrap(model, changes.with_channels_last)
    formats = []
    assert close(trained(change, dropout=0.0, optimizer="SGD"), trained(dropout=0.0, optimizer="SGD"))
    model = Network()
    change(model)
    model.blocks[0].norm.register_forward_pre_hook(lambda module, inputs: formats.append(inputs[0].is_contiguous(memory_format=torch.channels_last_3d)))
    model(torch.randn(2, 1, 6, 6, 6))
    assert formats == [True]


def test_freed_gradients_and_optimizers_without_foreach_are_equal_to_the_bit():
    plain = trained(set_to_none=False)
    changes.free_gradients()
    assert equal(trained(set_to_none=False), plain)
    changes.before_steps(foreach=False)
    assert equal(trained(set_to_none=False), plain)


def test_fused_optimizers_are_equal_up_to_rounding():
    plain = trained(optimizer="SGD")
    changes.before_steps(foreach=False, fused=True)
    assert close(trained(optimizer="SGD"), plain)


def test_a_copy_of_a_changed_model_computes_with_its_own_weights():
    model = Network(dropout=0.0)
    recompute_blocks(model)
    changes.wrap(model, functools.partial(changes.in_parts, 2))
    twin = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.zero_()
    output, _ = twin(torch.randn(4, 1, 6, 6, 6))
    assert not output.any()


def test_halves_batches():
    data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    changes.halve_batches()
    for loader, size in ((torch.utils.data.DataLoader(data, 4), 2), (torch.utils.data.DataLoader(data, batch_size=3), 1),
                         (torch.utils.data.DataLoader(data), 1), (torch.utils.data.DataLoader(data, batch_size=None), None)):
        assert loader.batch_size == size


SCRIPT = """import sys
import torch
from torch import nn
def block():
    return nn.Sequential(nn.Conv3d(16, 16, 3, padding=1), nn.BatchNorm3d(16), nn.ReLU())
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.blocks = nn.Conv3d(1, 16, 1), nn.Sequential(*[block() for _ in range(6)])
    def forward(self, x):
        return self.blocks(self.first(x)).mean((2, 3, 4))
if __name__ == "__main__":
    model = Network().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(int(sys.argv[1]), 1, 64, 64, 64, device="cuda")).sum().backward()
        optimizer.step()
"""


@pytest.mark.skipif(torch.version.cuda is None, reason="needs a PyTorch with CUDA")
def test_the_kept_file_needs_what_was_pretended(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT)

    def script(*arguments: str) -> dict:
        done = subprocess.run([program.find(), "script", "--pretend", "rtx3060", "--context", "0", "--store", str(tmp_path / "store"), "--python",
                               sys.executable, "--json", *arguments], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    kept = tmp_path / "fits.py"
    tried = script("--budget", "1800MiB", "--try", "--keep", str(kept), "train.py", "8")
    plain, best = tried["as_it_is"], next(row for row in tried["rows"] if row["name"] == tried["fitting"][0])
    assert plain["device_bytes"] > 1800 << 20 >= best["device_bytes"]
    assert best["results"] == "equal"
    alone = script("fits.py", "8")["memory"]
    assert (alone["allocated_bytes"], alone["reserved_bytes"]) == (best["allocated_bytes"], best["reserved_bytes"])
    assert [row["name"] for row in tried["rows"] if row["status"] == "failed"] == []
