"""Attention, in one call, as a module and in networks made of it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from comparing import compare, convert
from highwatermark import HighwaterError
from interpreter import flat
from test_exported import losses, written_back
from test_layers import Calls, same
from test_programs import expect_same, saved  # noqa: F401: a fixture

IMAGE = (2, 3, 8, 8)


@pytest.mark.parametrize("options", [{}, {"scale": 0.3}, {"is_causal": True}, {"dropout_p": 0.2}], ids=str)
def test_attention_stays_the_one_call_that_it_is(options):
    def forward(m, x):
        q, k, v = m.qkv(x.flatten(2).transpose(1, 2)).unflatten(2, (3, 2, 6)).permute(2, 0, 3, 1, 4).unbind(0)
        return m.out(F.scaled_dot_product_attention(q, k, v, **options).transpose(1, 2).flatten(2))

    compared = compare(Calls(forward, qkv=nn.Linear(3, 36), out=nn.Linear(12, 3)), (2, 3, 8, 8))
    assert compared.difference < 1e-5 and compared.gradient < 1e-5
    assert compared.kept_by_stack == compared.kept
    calls = [layer for layer in compared.network.stack if layer["type"] == "scaled_dot_product_attention"]
    assert [{key: layer[key] for key in layer if key not in ("type", "id", "with")} for layer in calls] == [options]


class Attended(nn.Module):
    """The places of an image, which attend to each other."""

    def __init__(self, weights: bool, places_first: bool = False, **options):
        super().__init__()
        self.begin, self.end = nn.Conv2d(3, 16, 1), nn.Conv1d(16, 2, 1)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=not places_first, **options)
        self.weights, self.order = weights, (2, 0, 1) if places_first else (0, 2, 1)
        self.back = (1, 2, 0) if places_first else (0, 2, 1)

    def forward(self, x):
        x = self.begin(x).flatten(2).permute(self.order)
        made, _ = self.attention(x, x, x, need_weights=self.weights)
        return self.end(made.permute(self.back))


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("options", [{}, {"dropout": 0.2}, {"bias": False}, {"places_first": True}], ids=str)
def test_a_module_of_attention_keeps_what_pytorch_keeps(options, batch):
    network = same(Attended(True, **options), (batch, 3, 8, 8))
    assert [layer["name"] for layer in network.stack if layer["type"] == "block"] == ["attention"]
    assert sum("that MultiheadAttention puts places before samples" in note for note in network.notes) == (batch > 1)


@pytest.mark.parametrize("dropout", [0, 0.2])
def test_a_module_of_attention_in_one_kernel(dropout):
    compared = compare(Attended(False, dropout=dropout), IMAGE)
    assert compared.difference < 1e-5 and compared.gradient < 1e-5
    # Of two samples the layers copy what comes out, as PyTorch does where the memory-efficient kernel made it.
    assert compared.kept_by_stack - compared.kept == (0 if dropout else 2 * 64 * 16 * 4)


@pytest.mark.parametrize("call", [
    lambda m, x: m(x, x, x, attn_mask=torch.zeros(64, 64), need_weights=False)[0],
    lambda m, x: m(x, x, x.relu())[0],
    lambda m, x: m(x, x, x)[0] * m(x, x, x)[1].mean(),
], ids=["a mask", "other values", "its weights are used"])
def test_other_calls_of_the_module_are_named_and_never_taken_for_it(call):
    module = Calls(lambda m, x: call(m.attention, m.begin(x).flatten(2).transpose(1, 2)), begin=nn.Conv2d(3, 16, 1),
                   attention=nn.MultiheadAttention(16, 4, batch_first=True))
    try:
        network = convert(module, IMAGE)
        assert any(layer["type"] == "unknown" for layer in flat(network.stack))
    except HighwaterError as error:
        assert "no layer implements" in str(error)


def transformer() -> nn.Module:
    """torchvision's VisionTransformer in small, with a classifier that does not begin with zeros."""
    models = pytest.importorskip("torchvision.models")
    torch.manual_seed(0)
    model = models.VisionTransformer(image_size=16, patch_size=8, num_layers=2, num_heads=2, hidden_dim=8, mlp_dim=16, num_classes=3)
    nn.init.normal_(model.heads.head.weight)
    return model


def test_a_vision_transformer_is_taken_whole():
    model = transformer()
    compared = compare(model, (2, 3, 16, 16))
    assert compared.difference < 1e-5 and compared.gradient < 1e-4
    assert compared.parameters == sum(p.numel() for p in model.parameters())
    layers = list(flat(compared.network.stack))
    assert [layer["shape"] for layer in layers if layer["type"] == "class_token"] == [[1, 1, 8]]
    assert not any(layer["type"] == "unknown" for layer in layers)


def test_the_archive_of_a_vision_transformer_gives_the_same(saved):  # noqa: F811
    model = transformer()
    expect_same(saved(model, (2, 3, 16, 16)), model, (2, 3, 16, 16))


def test_a_vision_transformer_written_back_trains_the_same(tmp_path):
    model = transformer().train()
    back = written_back(model, (2, 3, 16, 16), tmp_path)
    batches = [torch.rand(2, 3, 16, 16) for _ in range(3)]
    assert losses(back, batches) == pytest.approx(losses(model, batches), rel=1e-5)


def test_a_token_that_is_copied_for_each_sample_is_no_class_token():
    module = Calls(lambda m, x: m.end(torch.cat([m.token.weight[None].repeat(2, 1, 1), m.begin(x).flatten(2).transpose(1, 2)], 1)),
                   begin=nn.Conv2d(3, 8, 1), token=nn.Embedding(1, 8), end=nn.Linear(8, 2))
    network = convert(module, IMAGE)
    assert any(note.startswith("no layer implements cat with a parameter") for note in network.notes)


def test_of_several_outputs_the_line_says_which_to_choose():
    """As in MONAI's ViT, which returns its hidden states too."""
    def forward(m, x):
        hidden = [m.a(x), m.b(m.a(x))]
        return hidden[1].relu(), hidden

    module = Calls(forward, a=nn.Conv2d(3, 8, 3, padding=1), b=nn.Conv2d(8, 8, 3, padding=1))
    with pytest.raises(HighwaterError, match=r"output 1\.0 comes from conv in a, .* choose one output to leave the others out, "
                                             r"such as 0 \(--output 0\)$"):
        convert(module, IMAGE)
    assert len(convert(module, IMAGE, output="0").parameters) == 3
