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
