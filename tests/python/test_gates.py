"""Gates: assert_peak, the mark of pytest, and the exit codes that scripts in CI see."""

from __future__ import annotations

import re
import subprocess

import pytest
import torch
from torch import nn

import highwatermark
from highwatermark import HighwaterError, gates, program
from watching import HERE, pretended, python


def small_step():
    model = nn.Conv3d(1, 8, 3, padding=1).cuda()
    model(torch.zeros(1, 1, 32, 32, 32, device="cuda")).sum().backward()


def large_step():
    model = nn.Conv3d(1, 1024, 3, padding=1).cuda()
    model(torch.zeros(1, 1, 64, 64, 64, device="cuda")).sum().backward()


def failing_step():
    torch.zeros(1, device="cuda")
    raise ValueError("not now")


@pytest.mark.parametrize("text, size", [("11GiB", 11 << 30), ("1.5 MiB", 3 << 19), ("2GB", 2 * 10**9), (77, 77), ("77", 77), ("1 kib", 1024)])
def test_sizes(text, size):
    assert gates.size_of(text) == size


def test_what_is_no_size():
    for text in ("much", "", "-3GiB", "3 XiB"):
        with pytest.raises(HighwaterError, match="is no size; give one such as 11GiB"):
            gates.size_of(text)


def test_a_network_is_predicted():
    model, shape = nn.Sequential(nn.Conv3d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv3d(8, 2, 1)), (2, 1, 64, 64, 64)
    peak = highwatermark.assert_peak(model, shape, under="11GiB", gpu="rtx3060")
    assert peak.how == "predicted" and peak.reserved >= peak.allocated > 0
    with pytest.raises(AssertionError, match=r"^Sequential needs .* predicted \(.*\): more than 1 MiB$"):
        highwatermark.assert_peak(model, shape, under="1MiB", gpu="rtx3060")
    with pytest.raises(HighwaterError, match="a network needs example_input"):
        highwatermark.assert_peak(model, under="1GiB", gpu="rtx3060")


def test_a_function_is_pretended(tmp_path):
    pretended("rtx3060", tmp_path)
    peak = highwatermark.assert_peak(small_step, under="1GiB", gpu="rtx3060")
    assert peak.how == "pretended" and peak.bytes > peak.reserved >= peak.allocated >= 4 * 8 * 32 ** 3
    with pytest.raises(AssertionError, match=r"^large_step needs [\d.]+ GiB of rtx3060, pretended \(.*; most is held by test_gates.py:\d+ "):
        highwatermark.assert_peak(large_step, under="1GiB", gpu="rtx3060")
    with pytest.raises(HighwaterError, match=r"^on rtx3060, pretended: test_gates.py:\d+: ValueError: not now$"):
        highwatermark.assert_peak(failing_step, under="1GiB", gpu="rtx3060")


def test_what_cannot_be_asserted():
    with pytest.raises(HighwaterError, match="cannot be imported, which pretending a GPU needs"):
        highwatermark.assert_peak(lambda: None, under="1GiB", gpu="rtx3060")
    with pytest.raises(HighwaterError, match="a int is neither a torch.nn.Module nor a function"):
        highwatermark.assert_peak(3, under="1GiB", gpu="rtx3060")
    if not torch.cuda.is_available():
        with pytest.raises(HighwaterError, match="there is no GPU here; name one to pretend"):
            highwatermark.assert_peak(small_step, under="1GiB")


def test_on_the_gpu_that_is_there(tmp_path):
    done = python("-c", "import sys; sys.path.insert(0, sys.argv[1]); import test_gates, highwatermark\n"
                  "print(highwatermark.assert_peak(test_gates.small_step, under='1GiB'))\n"
                  "highwatermark.assert_peak(test_gates.large_step, under='1GiB')", HERE, **pretended("rtx3060", tmp_path))
    assert re.search(r"MiB of NVIDIA GeForce RTX 3060 .*, measured \(", done.stdout)
    assert done.stderr.splitlines()[-1].startswith("AssertionError: large_step needs ") and done.returncode == 1


def test_the_plugin_may_be_installed_and_named(tmp_path):
    """Tests on a pretended GPU run in a process that names it, where it may be installed too."""
    project = (HERE.parents[1] / "packaging/python/pyproject.toml").read_text()
    (key,) = re.findall(r'^"?([\w.]+)"? = "highwatermark.pytest_plugin"$', project, re.MULTILINE)
    (tmp_path / "highwatermark-0.dist-info").mkdir()
    (tmp_path / "highwatermark-0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: highwatermark\nVersion: 0\n")
    (tmp_path / "highwatermark-0.dist-info/entry_points.txt").write_text(f"[pytest11]\n{key} = highwatermark.pytest_plugin\n")
    code = "import sys, pytest; sys.path.insert(0, sys.argv.pop(1)); sys.exit(pytest.main(sys.argv[1:]))"
    done = python("-c", code, tmp_path, "-p", "highwatermark.pytest_plugin", "-p", "no:cacheprovider", HERE / "gated.py", "-k", "unmarked")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_mark(tmp_path):
    pretended("rtx3060", tmp_path)
    done = python("-m", "pytest", "-p", "highwatermark.pytest_plugin", "-p", "no:cacheprovider", "-rA", HERE / "gated.py", COLUMNS="400")
    assert "5 failed, 2 passed, 2 skipped" in done.stdout or torch.cuda.is_available(), done.stdout
    said = done.stdout
    assert "PASSED gated.py::test_small" in said and "PASSED gated.py::test_unmarked" in said
    assert re.search(r"FAILED gated.py::test_large\[1024\] - test_large\[1024\] needs [\d.]+ GiB of rtx3060, pretended", said)
    assert "FAILED gated.py::test_out_of_memory - out of memory: gated.py:14: OutOfMemoryError: CUDA out of memory." in said
    assert "FAILED gated.py::test_wrong" in said and "the sum is wrong" in said
    assert "FAILED gated.py::test_without_gpu - nothing was put on the GPU" in said
    assert 'FAILED gated.py::test_no_size - "much" is no size' in said
    assert re.search(r"SKIPPED \[1\] .*: not today", said)
    if not torch.cuda.is_available():
        assert re.search(r"SKIPPED \[1\] .*there is no GPU here; name one to pretend", said)


def test_a_budget_ends_with_three(tmp_path):
    highwatermark.save(nn.Conv3d(1, 8, 3, padding=1), (2, 1, 64, 64, 64), tmp_path / "net.json")
    for budget, code in (("11GiB", 0), ("1KiB", 3)):
        said = subprocess.run([program.find(), "predict", str(tmp_path / "net.json"), "--target", "rtx3060", "--budget", budget],
                              capture_output=True, text=True)
        assert said.returncode == code


@pytest.mark.parametrize("heading, steps", [
    ("GitHub", lambda file: [step["run"] for step in file["jobs"]["memory"]["steps"] if "run" in step]),
    ("GitLab", lambda file: file["memory"]["script"])])
def test_the_workflows_of_the_manual(tmp_path, heading, steps):
    """Each command but pip's, on a project that has a training script and a test with the mark."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    pretended("rtx3060", tmp_path)
    page = (HERE.parents[1] / "docs/ci.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page[page.index(f"## {heading}"):], re.DOTALL)[:1]
    (tmp_path / "train.py").write_text("import torch, sys\nmodel = torch.nn.Linear(64, 64).cuda()\nbatch = int(sys.argv[1]) if sys.argv[1:] else 8\n"
                                       "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                                       "for _ in range(3):\n    model(torch.zeros(batch, 64, device='cuda')).sum().backward()\n"
                                       "    optimizer.step()\n")
    (tmp_path / "test_memory.py").write_text("import pytest, torch\n@pytest.mark.peak_memory('1GiB', gpu='rtx3060')\n"
                                             "def test_small():\n    torch.zeros(8, device='cuda')\n")
    commands = [command for command in steps(yaml.safe_load(text)) if not command.startswith("pip ")]
    assert len(commands) == 2
    for command in commands:
        assert command.startswith("python ")
        done = python(*command.split()[1:], cwd=tmp_path, PYTEST_ADDOPTS="-p highwatermark.pytest_plugin -p no:cacheprovider", XDG_DATA_HOME=str(tmp_path))
        assert done.returncode == 0, done.stdout + done.stderr
    closed = python(*commands[0].split()[1:], "40000000", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path))
    assert closed.returncode == 3, closed.stdout + closed.stderr
