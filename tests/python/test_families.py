"""Operators that whole families of published networks use: the layers they become, and that these compute and keep the same."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import highwatermark
from test_layers import Calls, layers_of, only, same

SHAPE = (2, 3, 8, 9)


def after_a_conv(forward):
    return Calls(lambda m, x: forward(m.a(x)), a=nn.Conv2d(3, 4, 1))


@pytest.mark.parametrize("module, layer", [
    (nn.SELU(), {"type": "selu"}), (nn.SELU(inplace=True), {"type": "selu", "inplace": True}),
    (nn.Softplus(), {"type": "softplus"}),
    (nn.Hardtanh(), {"type": "hardtanh"}), (nn.Hardtanh(-2, 0.5, inplace=True),
                                            {"type": "hardtanh", "min_val": -2, "max_val": 0.5, "inplace": True}),
    (Calls(lambda m, x: x.clamp_min(0.1)), {"type": "clamp_min", "min": 0.1}),
    (Calls(lambda m, x: x.clamp(min=-1)), {"type": "clamp_min", "min": -1}),
    (Calls(lambda m, x: x.sum(-1, keepdim=True)), {"type": "sum", "dim": [4]}),
    (Calls(lambda m, x: x.sum((1, 3))), {"type": "sum", "dim": [1, 3], "keepdim": False}),
    (Calls(lambda m, x: x.var((2, 3), unbiased=False, keepdim=True)), {"type": "var", "dim": [2, 3], "correction": 0}),
    (Calls(lambda m, x: x.var(1)), {"type": "var", "dim": [1], "keepdim": False}),
    (Calls(lambda m, x: x.amax(2)), {"type": "amax", "dim": [2], "keepdim": False}),
    (Calls(lambda m, x: torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True)), {"type": "vector_norm", "dim": [1, 2]}),
    (Calls(lambda m, x: x.mean((1, 2, 3, 4), keepdim=True)), {"type": "mean", "dim": [1, 2, 3, 4]}),
], ids=lambda value: value["type"] if isinstance(value, dict) else "")
def test_a_call_becomes_one_layer(module, layer):
    assert only(module) == layer


def test_a_mean_over_axes_in_another_order():
    network = same(after_a_conv(lambda x: x.permute(0, 2, 3, 1).mean(1, keepdim=True)), SHAPE)
    assert layers_of(network)[1:] == [{"type": "permute", "dims": [0, 2, 3, 1]}, {"type": "mean", "dim": [1]}]


def test_roots():
    assert layers_of(same(after_a_conv(lambda x: (x * x).sqrt()), SHAPE))[-1] == {"type": "sqrt"}


def test_a_gate_that_is_expanded():
    network = same(after_a_conv(lambda x: x * x.mean((2, 3), keepdim=True).sigmoid().expand_as(x)), SHAPE)
    assert [layer["shape"] for layer in layers_of(network) if layer["type"] == "expand"] == [[-1, 4, 8, 9]]


@pytest.mark.parametrize("forward", [
    lambda x: x / x.sigmoid(), lambda x: x / x.mean((2, 3), keepdim=True).sigmoid(),
    lambda x: F.normalize(x, dim=1), lambda x: F.normalize(x.flatten(2), dim=-1),
])
def test_quotients(forward):
    assert "div" in [layer["type"] for layer in layers_of(same(after_a_conv(forward), SHAPE))]


class Response(nn.Module):
    """The response norm of ConvNeXt V2, as timm writes it."""

    def __init__(self, channels):
        super().__init__()
        self.a, self.weight, self.bias = nn.Conv2d(3, channels, 1), nn.Parameter(torch.rand(channels)), nn.Parameter(torch.rand(channels))

    def forward(self, x):
        x = self.a(x)
        norm = x.norm(p=2, dim=(2, 3), keepdim=True)
        norm = norm / (norm.mean(dim=1, keepdim=True) + 1e-6)
        return x + torch.addcmul(self.bias.view(1, -1, 1, 1), self.weight.view(1, -1, 1, 1), x * norm)


def test_a_global_response_norm():
    types = [layer["type"] for layer in layers_of(same(Response(4), SHAPE))]
    assert types[1] == "vector_norm" and types[-2:] == ["affine", "add"]


class Standardized(nn.Conv2d):
    """timm's StdConv2d and ScaledStdConv2d."""

    def __init__(self, *sizes, scaled, **options):
        super().__init__(*sizes, **options)
        self.gain = nn.Parameter(torch.rand(self.out_channels, 1, 1, 1)) if scaled else None

    def forward(self, x):
        gain = (self.gain * self.weight[0].numel() ** -0.5).view(-1) if self.gain is not None else None
        weight = F.batch_norm(self.weight.reshape(1, self.out_channels, -1), None, None, weight=gain, training=True,
                              momentum=0.0, eps=1e-6).reshape_as(self.weight)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_convolutions_with_standardized_weights(scaled, bias):
    network = same(Standardized(3, 6, 3, padding=1, bias=bias, scaled=scaled), SHAPE)
    without = {} if bias else {"bias": False}
    assert layers_of(network) == [{"type": "conv", "out_channels": 6, "kernel_size": 3, "padding": 1, **without,
                                   "standardize": "scaled" if scaled else "weights"}]


class Tokens(nn.Module):
    """A class token and registers before the places, as in DINOv2."""

    def __init__(self):
        super().__init__()
        self.a, self.end = nn.Conv2d(3, 8, 2, stride=2), nn.Linear(8, 8)
        self.token, self.registers = nn.Parameter(torch.rand(1, 1, 8)), nn.Parameter(torch.rand(1, 4, 8))

    def forward(self, x):
        x = self.a(x).flatten(2).transpose(1, 2)
        return self.end(torch.cat([self.token.expand(x.shape[0], -1, -1), self.registers.expand(x.shape[0], -1, -1), x], 1))


def test_several_learned_tokens():
    assert {"type": "class_token", "shape": [1, 5, 8], "tokens": [1, 4]} in layers_of(same(Tokens(), SHAPE))


class Masked(nn.Module):
    """Attention whose mask is computed from the samples, for each or for all heads."""

    def __init__(self, axes):
        super().__init__()
        self.a, self.b, self.axes = nn.Conv2d(3, 8, 1), nn.Conv2d(3, 1, 1), axes

    def forward(self, x):
        queries = self.a(x).flatten(2).unflatten(1, (2, 4)).transpose(2, 3)
        places = self.b(x).flatten(2).transpose(1, 2)
        mask = places @ places.transpose(1, 2)
        return F.scaled_dot_product_attention(queries, queries, queries, mask if self.axes == 3 else mask.unsqueeze(1))


def test_attention_with_a_mask():
    network = same(Masked(4), SHAPE)
    found = [layer for layer in layers_of(network) if layer["type"] == "scaled_dot_product_attention"]
    assert len(found) == 1 and len(found[0]["with"]) == 3
    predicted = highwatermark.predict(Masked(4), torch.zeros(SHAPE), gpu="rtx4090")
    assert predicted.bound is None
