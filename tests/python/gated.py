"""Tests with the mark, which test_gates.py runs: python -m pytest -p highwatermark.pytest_plugin gated.py."""

import pytest
import torch


@pytest.fixture
def image():
    return torch.zeros(1, 1, 64, 64, 64, device="cuda")


def step(image, channels):
    model = torch.nn.Conv3d(1, channels, 3, padding=1).cuda()
    model(image).sum().backward()


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
def test_small(image):
    step(image, 8)


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
@pytest.mark.parametrize("channels", [1024])
def test_large(image, channels):
    step(image, channels)


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
def test_out_of_memory(image):
    step(image, 32768)


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
def test_wrong(image):
    assert image.sum() == 1, "the sum is wrong"


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
def test_skipped():
    pytest.skip("not today")


@pytest.mark.peak_memory("1GiB", gpu="rtx3060")
def test_without_gpu():
    torch.zeros(3)


@pytest.mark.peak_memory("much", gpu="rtx3060")
def test_no_size():
    pass


@pytest.mark.peak_memory("1GiB")
def test_real():
    torch.zeros(3, device="cuda")


def test_unmarked():
    pass
