"""Published networks: what is written has their parameters, computes the same and keeps the same for backward."""

from __future__ import annotations

import warnings

import pytest
import torch

import highwatermark
import networks
from comparing import compare, convert
from highwatermark import Unsupported

warnings.simplefilter("ignore")
ALL, ABSENT = networks.available()


def test_all_packages_are_there():
    if ABSENT:
        pytest.skip("; ".join(ABSENT))


@pytest.mark.parametrize("network", ALL, ids=lambda network: f"{network.source} {network.name}")
def test_a_published_network_is_taken(network):
    torch.manual_seed(0)
    model = network.build()
    with networks.same_draws(network):
        compared = compare(model, network.input)
    used = {name for layer in compared.network.parameters for name in layer.values()}
    assert compared.parameters == sum(p.numel() for name, p in model.named_parameters() if name in used)
    assert compared.difference < network.tolerance and compared.gradient < network.tolerance
    assert compared.kept_by_stack == compared.kept


@pytest.mark.parametrize("network", ALL, ids=lambda network: f"{network.source} {network.name}")
def test_the_program_counts_the_same_parameters(network):
    model = network.build()
    used = {name for layer in convert(model, network.input).parameters for name in layer.values()}
    predicted = highwatermark.predict(model, network.input, gpu="rtx4090")
    assert sum(layer["parameters"] for layer in predicted.layers if layer["type"] != "block") == \
        sum(p.numel() for name, p in model.named_parameters() if name in used)
