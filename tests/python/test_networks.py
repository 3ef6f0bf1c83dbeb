"""Published networks: what is written has their parameters, computes the same and keeps the same for backward."""

from __future__ import annotations

import warnings

import pytest
import torch

import highwater
import networks
from comparing import compare
from highwater import HighwaterError, Unsupported, program
from highwater.network import convert

warnings.simplefilter("ignore")
ALL, ABSENT = networks.available()
TAKEN = [network for network in ALL if network.name not in networks.MISSING]
REFUSED = [network for network in ALL if network.name in networks.MISSING]


def test_all_packages_are_there():
    if ABSENT:
        pytest.skip("; ".join(ABSENT))


@pytest.mark.parametrize("network", TAKEN, ids=lambda network: f"{network.source} {network.name}")
def test_a_published_network_is_taken(network):
    torch.manual_seed(0)
    model = network.build()
    compared = compare(model, network.input)
    used = {name for layer in compared.network.parameters for name in layer.values()}
    assert compared.parameters == sum(p.numel() for name, p in model.named_parameters() if name in used)
    assert compared.difference < 1e-5 and compared.gradient < 1e-5
    assert compared.kept_by_stack == compared.kept


@pytest.mark.parametrize("network", REFUSED, ids=lambda network: f"{network.source} {network.name}")
def test_what_a_published_network_lacks_is_named(network):
    with pytest.raises(Unsupported) as error:
        convert(network.build(), torch.zeros(network.input))
    assert [line.split(" (")[0] for line in error.value.lines] == \
        [f"no layer stands for {kind}" for kind in networks.MISSING[network.name]]


@pytest.mark.parametrize("network", TAKEN, ids=lambda network: f"{network.source} {network.name}")
def test_the_program_reads_it_and_counts_the_same_parameters(network):
    try:
        program.find()
    except HighwaterError as error:
        pytest.skip(str(error))
    model = network.build()
    converted = convert(model, torch.zeros(network.input))
    used = {name for layer in converted.parameters for name in layer.values()}
    try:
        predicted = highwater.predict(model, network.input, gpu="rtx4090")
    except HighwaterError as error:
        if any(word in str(error) for word in networks.OF_AN_OLDER_PROGRAM):
            pytest.skip(f"this highwater-cli is older than the file: {str(error).split(';')[0]}")
        raise
    assert sum(layer["parameters"] for layer in predicted.layers if layer["type"] != "block") == \
        sum(p.numel() for name, p in model.named_parameters() if name in used)
