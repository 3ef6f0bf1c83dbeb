"""Each kind of layer, and each way in which layers are put together: what is written, and that it computes the same."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

import highwatermark
from comparing import Network, compare, convert
from highwatermark import HighwaterError, Unsupported
from interpreter import flat

VOLUME = (2, 3, 8, 9, 10)


class Calls(nn.Module):
    """A module whose forward is a function of it and x."""

    def __init__(self, forward, **modules):
        super().__init__()
        for name, module in modules.items():
            self.add_module(name, module)
        self._forward = forward

    def forward(self, x):
        return self._forward(self, x)


def same(module: nn.Module, shape=VOLUME, *, more: int = 0, output=None) -> Network:
    """Converts it and compares; `more`: by how many bytes more the stack may keep."""
    compared = compare(module, shape, output)
    used = {name for layer in compared.network.parameters for name in layer.values()}
    assert compared.difference < 1e-5 and compared.gradient < 1e-5
    assert compared.parameters == sum(p.numel() for name, p in module.named_parameters() if name in used)
    assert compared.kept_by_stack == compared.kept + more
    return compared.network


def layers_of(network: Network) -> list[dict]:
    return list(flat(network.stack))


def only(module: nn.Module, shape=VOLUME) -> dict:
    """Behind a convolution, so that something is learned, the one layer that `module` becomes."""
    first = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[len(shape) - 3](shape[1], shape[1], 1)
    network = same(nn.Sequential(first, module), shape)
    assert len(layers_of(network)) == 2
    return layers_of(network)[1]


ONE_LAYER = [
    (nn.Conv3d(3, 6, 3, stride=(1, 2, 2), padding=1, bias=False),
     {"type": "conv", "out_channels": 6, "kernel_size": 3, "stride": [1, 2, 2], "padding": 1, "bias": False}),
    (nn.Conv3d(3, 6, (1, 3, 5), dilation=(1, 2, 1), groups=3),
     {"type": "conv", "out_channels": 6, "kernel_size": [1, 3, 5], "dilation": [1, 2, 1], "groups": 3}),
    (nn.Conv3d(3, 4, (3, 4, 3), padding="same"),
     {"type": "conv", "out_channels": 4, "kernel_size": [3, 4, 3], "padding": "same"}),
    (nn.Conv3d(3, 4, 3, padding="valid"), {"type": "conv", "out_channels": 4, "kernel_size": 3}),
    (nn.Conv3d(3, 4, 3, padding=(1, 2, 1), padding_mode="reflect"),
     {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": [1, 2, 1], "padding_mode": "reflect"}),
    (nn.Conv3d(3, 4, 3, padding=1, padding_mode="replicate"),
     {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1, "padding_mode": "replicate"}),
    (nn.Conv3d(3, 4, 4, padding="same", padding_mode="circular"),
     {"type": "conv", "out_channels": 4, "kernel_size": 4, "padding": "same", "padding_mode": "circular"}),
    (nn.ConvTranspose3d(3, 6, 3, stride=2, padding=1, output_padding=(1, 0, 1), groups=3, bias=False),
     {"type": "conv_transpose", "out_channels": 6, "kernel_size": 3, "stride": 2, "padding": 1, "output_padding": [1, 0, 1],
      "groups": 3, "bias": False}),
    (nn.ConvTranspose3d(3, 4, 2, stride=2, dilation=2),
     {"type": "conv_transpose", "out_channels": 4, "kernel_size": 2, "stride": 2, "dilation": 2}),
    (nn.BatchNorm3d(3, eps=1e-3), {"type": "batch_norm", "eps": 1e-3}),
    (nn.BatchNorm3d(3, affine=False), {"type": "batch_norm", "affine": False}),
    (nn.InstanceNorm3d(3, affine=True), {"type": "instance_norm", "affine": True}),
    (nn.InstanceNorm3d(3), {"type": "instance_norm"}),
    (nn.GroupNorm(3, 3, eps=1e-6), {"type": "group_norm", "num_groups": 3, "eps": 1e-6}),
    (nn.LayerNorm((3, 8, 9, 10)), {"type": "layer_norm", "normalized_shape": [3, 8, 9, 10]}),
    (nn.LocalResponseNorm(3, alpha=0.1, k=2), {"type": "local_response_norm", "size": 3, "alpha": 0.1, "beta": 0.75, "k": 2}),
    (nn.ReLU(), {"type": "relu"}), (nn.ReLU(inplace=True), {"type": "relu", "inplace": True}),
    (nn.LeakyReLU(0.2, inplace=True), {"type": "leaky_relu", "negative_slope": 0.2, "inplace": True}),
    (nn.ELU(inplace=True), {"type": "elu", "inplace": True}), (nn.GELU(), {"type": "gelu"}),
    (nn.SiLU(), {"type": "silu"}), (nn.SiLU(inplace=True), {"type": "silu", "inplace": True}),
    (nn.Sigmoid(), {"type": "sigmoid"}), (nn.Tanh(), {"type": "tanh"}), (nn.Softmax(1), {"type": "softmax", "dim": 1}),
    (nn.Softmax(-4), {"type": "softmax", "dim": 1}),
    (nn.ReLU6(), {"type": "relu6"}), (nn.ReLU6(inplace=True), {"type": "relu6", "inplace": True}),
    (nn.Hardswish(), {"type": "hardswish"}), (nn.Hardswish(inplace=True), {"type": "hardswish", "inplace": True}),
    (nn.Hardsigmoid(inplace=True), {"type": "hardsigmoid", "inplace": True}),
    (nn.Mish(inplace=True), {"type": "mish", "inplace": True}), (nn.Mish(), {"type": "mish"}),
    (nn.PReLU(), {"type": "prelu"}), (nn.PReLU(3), {"type": "prelu", "num_parameters": 3}),
    (nn.MaxPool3d(2), {"type": "max_pool", "kernel_size": 2}),
    (nn.MaxPool3d(3, stride=(2, 1, 2), padding=1),
     {"type": "max_pool", "kernel_size": 3, "stride": [2, 1, 2], "padding": 1}),
    (nn.MaxPool3d((2, 3, 2), ceil_mode=True), {"type": "max_pool", "kernel_size": [2, 3, 2]}),  # it divides 8, 9, 10
    (nn.MaxPool3d(4, ceil_mode=True), {"type": "max_pool", "kernel_size": 4, "ceil_mode": True}),
    (nn.AvgPool3d((1, 3, 3), stride=2), {"type": "avg_pool", "kernel_size": [1, 3, 3], "stride": 2}),
    (nn.AdaptiveAvgPool3d(1), {"type": "adaptive_avg_pool", "output_size": 1}),
    (nn.AdaptiveAvgPool3d((4, None, 2)), {"type": "adaptive_avg_pool", "output_size": [4, 9, 2]}),
    (Calls(lambda m, x: x.mean([2, 3, 4], keepdim=True)), {"type": "adaptive_avg_pool", "output_size": 1}),
    (nn.AdaptiveMaxPool3d(3), {"type": "adaptive_max_pool", "output_size": 3}),
    (nn.Upsample(scale_factor=2), {"type": "upsample"}),
    (nn.Upsample(scale_factor=(1, 2, 1.5), mode="trilinear", align_corners=True),
     {"type": "upsample", "scale_factor": [1, 2, 1.5], "mode": "trilinear", "align_corners": True}),
    (nn.Upsample(size=(9, 9, 9), mode="trilinear"), {"type": "upsample", "size": 9, "mode": "trilinear"}),
    (nn.Dropout(0.1), {"type": "dropout", "p": 0.1}), (nn.Dropout(0), {"type": "dropout", "p": 0}),
    (nn.Dropout3d(), {"type": "dropout", "feature": True}),
    (nn.ConstantPad3d((1, 0, 2, 0, 0, 0), 1.5), {"type": "pad", "padding": [1, 0, 2, 0, 0, 0], "value": 1.5}),
    (nn.ReplicationPad3d(1), {"type": "pad", "padding": [1] * 6, "mode": "replicate"}),
    (Calls(lambda m, x: F.pad(x, [0] * 6, "replicate")), {"type": "pad", "padding": [0] * 6, "mode": "replicate"}),
    (Calls(lambda m, x: x[:, :, 1:-1, 2:, :4]), {"type": "crop", "start": [1, 2, 0], "size": [6, 7, 4]}),
    (Calls(lambda m, x: x * 0.5), {"type": "scale", "value": 0.5}),
    (Calls(lambda m, x: x / 4), {"type": "scale", "value": 0.25}),
    (Calls(lambda m, x: -x), {"type": "scale", "value": -1}),
    (Calls(lambda m, x: x.flatten(1)), {"type": "flatten"}), (Calls(lambda m, x: x.view(2, -1)), {"type": "flatten"}),
]


@pytest.mark.parametrize("module, layer", ONE_LAYER, ids=lambda value: value["type"] if isinstance(value, dict) else "")
def test_a_module_becomes_a_layer_with_its_options(module, layer):
    assert only(module) == layer


@pytest.mark.parametrize("module, shape, kind", [
    (nn.Conv1d(3, 4, 3), (2, 3, 20), "conv"), (nn.Conv2d(3, 4, 3), (2, 3, 9, 9), "conv"),
    (nn.ConvTranspose2d(3, 4, 2, stride=2), (2, 3, 9, 9), "conv_transpose"), (nn.BatchNorm1d(3), (2, 3, 9), "batch_norm"),
    (nn.MaxPool2d(3, 2), (2, 3, 9, 9), "max_pool"), (nn.AvgPool1d(2), (2, 3, 9), "avg_pool"),
    (nn.AdaptiveMaxPool2d(2), (2, 3, 9, 9), "adaptive_max_pool"), (nn.Dropout2d(0.3), (2, 3, 9, 9), "dropout"),
    (nn.Upsample(scale_factor=2, mode="bilinear"), (2, 3, 9, 9), "upsample"),
    (nn.Upsample(scale_factor=2, mode="linear"), (2, 3, 9), "upsample"),
])
def test_one_and_two_axes(module, shape, kind):
    assert only(module, shape)["type"] == kind


def test_linear_behind_a_flatten():
    network = same(nn.Sequential(nn.Conv3d(3, 4, 3), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(4, 5),
                                 nn.Linear(5, 2, bias=False)))
    assert layers_of(network)[2:] == [{"type": "flatten"}, {"type": "linear", "out_features": 5},
                                      {"type": "linear", "out_features": 2, "bias": False}]


def test_a_mean_without_its_axes():
    network = same(nn.Sequential(nn.Conv3d(3, 4, 3), Calls(lambda m, x: x.mean([2, 3, 4])), nn.Linear(4, 5)))
    assert [layer["type"] for layer in network.stack] == ["conv", "adaptive_avg_pool", "flatten", "linear"]


@pytest.mark.parametrize("forward", [
    lambda m, x: torch.cat(m.a(x).chunk(4, 1)[2:], 1), lambda m, x: torch.add(*m.a(x).split([2, 2], 1)),
    lambda m, x: torch.stack([m.a(x), F.relu(m.a(x))], 2).flatten(1, 2), lambda m, x: m.a(x).mean([3, 4], keepdim=True),
    lambda m, x: m.a(x).flatten(2).transpose(1, 2).mean(1), lambda m, x: m.a(x).permute(0, 2, 3, 4, 1).mean([1, 2, 3]),
    lambda m, x: m.a(x).flatten(1).mean(1, keepdim=True),
])
def test_parts_and_means_of_other_axes(forward):
    same(Calls(forward, a=nn.Conv3d(3, 4, 1)))


def test_a_parameter_that_is_one_number():
    class Gained(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.gain = nn.Conv3d(3, 4, 1), nn.Parameter(torch.ones(()))

        def forward(self, x):
            return self.a(x) * self.gain

    assert layers_of(same(Gained()))[-1] == {"type": "layer_scale", "shape": [1]}


def test_a_parameter_in_another_shape():
    class Gained(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.gain, self.shift = nn.Conv3d(3, 4, 1), nn.Parameter(torch.rand(4)), nn.Parameter(torch.rand(4, 80))

        def forward(self, x):
            return self.a(x) * self.gain.view(1, -1, 1, 1, 1) + self.shift.unflatten(1, (8, 1, 10)).unsqueeze(0)

    assert layers_of(same(Gained()))[1:] == [{"type": "layer_scale", "shape": [1, 4, 1, 1, 1]},
                                             {"type": "position_embedding", "shape": [1, 4, 8, 1, 10]}]


def test_a_buffer_counts_like_one_number():
    class Shifted(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Conv3d(3, 4, 1)
            self.register_buffer("mask", torch.ones(1, 4, 1, 1, 10))

        def forward(self, x):
            return self.a(x) * self.mask + self.mask

    made = compare(Shifted(), (2, 3, 8, 9, 10))
    assert [layer["type"] for layer in made.network.stack] == ["conv", "scale", "offset"]
    assert made.parameters == 16 and any("the values of the constant, 40 numbers" in note for note in made.network.notes)


def test_a_residual_adds_what_went_into_it():
    network = same(Calls(lambda m, x: residual(m, m.first(x)), first=nn.Conv3d(3, 4, 1), a=nn.Conv3d(4, 4, 1)))
    assert layers_of(network)[0]["id"] == "first" and layers_of(network)[-1] == {"type": "add", "with": "first"}


def residual(m, x):
    return m.a(x) + x


def test_the_input_has_a_name_where_it_is_brought_back():
    network = same(Calls(lambda m, x: m.a(x) * x, a=nn.Conv3d(3, 3, 1)))
    assert [layer["type"] for layer in layers_of(network)] == ["dropout", "conv", "mul"]
    assert network.stack[0] == {"type": "dropout", "p": 0, "id": "input"} and network.stack[-1]["with"] == "input"


def test_a_difference_begins_with_the_first():
    network = same(Calls(lambda m, x: m.a(x) - m.b(x), a=nn.Conv3d(3, 3, 1), b=nn.Conv3d(3, 3, 1)))
    assert [layer["type"] for layer in layers_of(network)] == ["dropout", "conv", "branch", "conv", "branch", "sub"]
    assert layers_of(network)[-2:] == [{"type": "branch", "with": "a"}, {"type": "sub", "with": "b"}]


def test_concat_keeps_the_order_of_its_tensors():
    network = same(Calls(lambda m, x: torch.cat([x, m.a(x), x, m.b(x)], 1), a=nn.Conv3d(3, 2, 1), b=nn.Conv3d(3, 1, 1)))
    assert layers_of(network)[-2:] == [{"type": "branch", "with": "input"}, {"type": "concat", "with": ["a", "input", "b"]}]


def test_a_gate_is_broadcast():
    def forward(m, x):
        x = m.conv(x)
        return x * torch.sigmoid(m.gate(F.adaptive_avg_pool3d(x, 1)))
    network = same(Calls(forward, conv=nn.Conv3d(3, 4, 1), gate=nn.Conv3d(4, 4, 1)))
    assert layers_of(network)[-1] == {"type": "mul", "with": "conv"}


def test_a_tensor_added_to_itself():
    assert layers_of(same(Calls(lambda m, x: twice(m.a(x)), a=nn.Conv3d(3, 3, 1))))[-1] == {"type": "add", "with": "a"}


def twice(x):
    return x + x


def test_upsample_to_the_size_of_another():
    network = same(Calls(lambda m, x: F.interpolate(m.a(x), x.shape[2:]), a=nn.Conv3d(3, 2, 3, stride=2)))
    assert layers_of(network)[-1] == {"type": "upsample", "size": [8, 9, 10]}


def test_repeat_of_the_data_is_a_concat():
    network = same(Calls(lambda m, x: x.repeat(1, 3, 1, 1, 1) + m.a(x), a=nn.Conv3d(3, 9, 1)))
    assert {"type": "concat", "with": ["input", "input"], "id": "concat"} in layers_of(network)


# --- in place

def test_who_reads_an_old_name_gets_what_was_written_in_place():
    def forward(m, x):
        y = m.conv(x)
        m.relu(y)
        return m.norm(y) + y
    network = same(Calls(forward, conv=nn.Conv3d(3, 3, 1), relu=nn.ReLU(inplace=True), norm=nn.BatchNorm3d(3)))
    assert layers_of(network)[1] == {"type": "relu", "inplace": True, "id": "relu"}
    assert layers_of(network)[-1] == {"type": "add", "with": "relu"}


def test_in_place_over_a_view():
    def forward(m, x):
        y = m.conv(x).flatten(1)
        y.relu_()
        return m.linear(y)
    network = same(Calls(forward, conv=nn.Conv3d(3, 1, 8), linear=nn.Linear(6, 2)))
    assert [layer["type"] for layer in layers_of(network)] == ["conv", "flatten", "relu", "linear"]


def test_what_was_overwritten_through_a_view_is_not_read():
    def forward(m, x):
        y = m.conv(x)
        y.flatten(1).relu_()
        return y
    with pytest.raises(Unsupported, match="overwritten through a view"):
        convert(Calls(forward, conv=nn.Conv3d(3, 1, 8)), torch.zeros(VOLUME))


def test_in_place_over_the_data_is_written_out_of_place():
    network = same(nn.Sequential(nn.ReLU(inplace=True), nn.Conv3d(3, 3, 1)))
    assert network.stack[0] == {"type": "relu"}
    assert network.notes == ["relu works in place, but Highwater's engine cannot do so here; it is written out of place "
                             "(once, in 0)"]


def test_in_place_over_a_view_of_the_data_is_written_out_of_place():
    network = same(nn.Sequential(nn.Flatten(), nn.ReLU(inplace=True), nn.Linear(3 * 8 * 9 * 10, 2)))
    assert network.stack[:2] == [{"type": "flatten"}, {"type": "relu"}]
    assert len(network.notes) == 1


def test_in_place_over_a_slice_is_written_out_of_place():
    class Cut(nn.Module):
        def forward(self, x):
            return F.relu_(x[:, :, 1:])
    network = convert(nn.Sequential(nn.Conv3d(3, 3, 1), Cut()), torch.zeros(VOLUME))
    assert [layer["type"] for layer in layers_of(network)] == ["conv", "crop", "relu"]
    assert layers_of(network)[-1] == {"type": "relu"} and len(network.notes) == 1


def test_in_place_over_what_is_brought_back_is_written_out_of_place():
    def forward(m, x):
        x = m.conv(x)
        y = F.max_pool3d(torch.cat([x, x], 1), 1)
        return torch.cat([x.relu_(), y], 1)
    network = convert(Calls(forward, conv=nn.Conv3d(3, 3, 1)), torch.zeros(VOLUME))
    assert all("inplace" not in layer for layer in layers_of(network)) and len(network.notes) == 1


def test_sums_in_place():
    def forward(m, x):
        x = m.a(x)
        y = m.b(x)
        y += x
        return F.relu_(y)
    network = same(Calls(forward, a=nn.Conv3d(3, 3, 1), b=nn.Conv3d(3, 3, 1)))
    assert layers_of(network)[-2:] == [{"type": "add", "inplace": True, "with": "a"}, {"type": "relu", "inplace": True}]
    assert network.notes == []


# --- modules, parameters, outputs

def test_blocks_have_the_names_of_modules():
    inner = nn.Sequential(nn.Conv3d(3, 3, 1), nn.ReLU())
    network = same(nn.Sequential(inner, nn.Sequential(nn.Sequential(nn.Conv3d(3, 3, 1), nn.ReLU())), nn.Conv3d(3, 1, 1)))
    assert [layer.get("name", layer["type"]) for layer in network.stack] == ["0", "1.0", "conv"]


def test_a_module_that_is_used_twice():
    conv = nn.Conv3d(3, 3, 1)
    network = same(nn.Sequential(conv, nn.ReLU(), conv, nn.ReLU(), conv))
    assert network.stack[::2] == [{"type": "conv", "out_channels": 3, "kernel_size": 1, "id": "0"},
                                  {"type": "shared", "with": "0"}, {"type": "shared", "with": "0"}]


def test_tied_parameters_are_shared():
    first, second = nn.Conv3d(3, 3, 1), nn.Conv3d(3, 3, 1)
    second.weight, second.bias = first.weight, first.bias
    assert same(nn.Sequential(first, second)).stack[1] == {"type": "shared", "with": "0"}


def test_parameters_of_another_kind_of_layer_are_refused():
    first, second = nn.Conv3d(3, 3, 3), nn.Conv3d(3, 3, 3, stride=2)
    second.weight, second.bias = first.weight, first.bias
    with pytest.raises(Unsupported, match="conv with parameters of a layer that differs"):
        convert(nn.Sequential(first, second), torch.zeros(VOLUME))


def test_what_no_output_needs_is_dropped():
    network = same(Calls(lambda m, x: [m.a(x), m.b(x).exp()][0], a=nn.Conv3d(3, 3, 1), b=nn.Conv3d(3, 3, 1)),
                   more=-4 * 2 * 3 * 8 * 9 * 10)
    assert [layer["type"] for layer in network.stack] == ["conv"]
    assert network.notes == ["12 parameters have no part in the output and are left out, so predictions are bounds from below"]


def test_frozen_parameters_are_told():
    module = nn.Sequential(nn.Conv3d(3, 3, 1), nn.Conv3d(3, 3, 1))
    module[0].requires_grad_(False)
    assert convert(module, torch.zeros(VOLUME)).notes == ["12 parameters need no gradient; in the file they train like the "
                                                          "others"]


def test_side_outputs_become_heads():
    def forward(m, x):
        low = m.down(x)
        high = m.up(low)
        return [m.high(high), m.low(low)]
    network = same(Calls(forward, down=nn.Conv3d(3, 4, 2, stride=2), up=nn.ConvTranspose3d(4, 4, 2, stride=2),
                         high=nn.Conv3d(4, 2, 1), low=nn.Conv3d(4, 2, 1, bias=False)))
    assert [layer["type"] for layer in network.stack] == ["conv", "head", "conv_transpose", "conv"]
    assert network.stack[1] == {"type": "head", "weight": 0.5, "out_channels": 2, "bias": False}


def test_a_side_output_of_the_data_itself_is_a_head():
    network = same(Calls(lambda m, x: (m.b(m.a(x)), m.side(x[:, :, ::1])), a=nn.Conv3d(3, 4, 1), b=nn.Conv3d(4, 2, 1),
                         side=nn.Conv3d(3, 2, 1)))
    assert [layer["type"] for layer in network.stack] == ["head", "conv", "conv"]


def test_an_output_is_chosen_by_its_key():
    module = Calls(lambda m, x: {"out": m.a(x), "aux": m.a(x).exp()}, a=nn.Conv3d(3, 2, 1))
    with pytest.raises(Unsupported, match="exp"):
        convert(module, torch.zeros(VOLUME))
    assert len(convert(module, torch.zeros(VOLUME), "out").stack) == 1
    with pytest.raises(HighwaterError, match='no output "main"; it has out, aux'):
        convert(module, torch.zeros(VOLUME), "main")


def test_an_output_that_is_no_head_is_refused():
    module = Calls(lambda m, x: (m.a(x), F.relu(m.b(x))), a=nn.Conv3d(3, 2, 1), b=nn.Conv3d(3, 2, 1))
    with pytest.raises(HighwaterError, match="output 1 comes from relu"):
        convert(module, torch.zeros(VOLUME))


# --- several inputs

class Conditioned(nn.Module):
    """An image and a map of conditions, which meet behind a convolution each."""

    def __init__(self, image: int, condition: int):
        super().__init__()
        self.image, self.condition = nn.Conv3d(image, 4, 3, padding=1), nn.Conv3d(condition, 4, 1)
        self.end = nn.Conv3d(4 + condition, 2, 1)

    def forward(self, image, condition):
        return self.end(torch.cat([self.image(image) * self.condition(condition), condition], 1))


@pytest.mark.parametrize("batch", [1, 2])
def test_inputs_of_one_size_are_parts_of_the_experiments(batch):
    shapes = (batch, 1, 8, 9, 10), (batch, 3, 8, 9, 10)
    network = same(Conditioned(1, 3), shapes)
    assert network.json["input"] == {"synthetic": [4, 8, 9, 10]}
    assert network.notes[0].startswith("the experiment's input is image of 1 channel, condition of 3 channels, side by side")


class Timed(nn.Module):
    """An image at a time, which is embedded as in models of diffusion."""

    def __init__(self):
        super().__init__()
        self.image, self.time, self.end = nn.Conv3d(1, 8, 3, padding=1), nn.Linear(6, 8), nn.Conv3d(8, 1, 1)

    def forward(self, image, time):
        angles = time[:, None].float() * torch.arange(1, 4)[None]
        embedded = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        return self.end(self.image(image) + embedded[:, :, None, None, None])


def test_what_is_computed_from_another_input_is_unknown():
    inputs = [(2, 1, 8, 8, 8), torch.zeros(2, dtype=torch.int64)]
    network = convert(Timed(), inputs)
    assert any(note.startswith("no layer implements to with the input time (once") for note in network.notes)
    assert [layer["type"] for layer in layers_of(network) if layer["type"] in ("conv", "linear")] == ["linear", "conv", "conv"]
    assert sum(len(each) for each in network.parameters) == 6
    predicted = highwatermark.predict(Timed(), inputs, gpu="rtx4090")
    assert "to with the input time" in predicted.unknown and predicted.fits == "uncertain"


# --- what cannot be taken

@pytest.mark.parametrize("forward, said", [
    (lambda m, x: m.a(x).permute(1, 0, 2, 3, 4).relu(), "permute of the batch (once, in the network itself)"),
    (lambda m, x: m.a(x).exp().exp(), "exp (2 times, first in the network itself)"),
    (lambda m, x: m.a(x) * m.a.weight.sum(), "mul with a parameter"),
    (lambda m, x: m.a(x) * torch.rand(2, 1, 1, 1, 1), "mul with random numbers"),
    (lambda m, x: 1 - m.a(x), "rsub"),
    (lambda m, x: m.a(x)[:1].relu(), "a slice of the batch"),
    (lambda m, x: m.a(x).flip(2), "flip"),
    (lambda m, x: m.a(x).mean(), "mean over all axes"),
    (lambda m, x: m.a(x).view(-1).relu(), "a view with fewer than two axes"),
    (lambda m, x: m.a(x).detach(), "detach"),
    (lambda m, x: torch.cat([m.a(x), m.a(x)], 0).view(2, 6, 8, 9, 10), "cat along the batch"),
    (lambda m, x: m.a(F.conv3d(x, m.a.weight * 2)), "conv3d with computed weights"),
    (lambda m, x: F.batch_norm(m.a(x), torch.zeros(3), torch.ones(3)), "batch_norm that is not training"),
    (lambda m, x: m.a(x).clamp(0, 1), "clamp with an upper bound or in place"),
    (lambda m, x: F.interpolate(m.a(x), scale_factor=2, mode="nearest-exact"), "_upsample_nearest_exact3d"),
])
def test_what_no_layer_stands_for_is_named(forward, said):
    """In a note, where a bound from below can be given without it, else in the refusal."""
    try:
        network = convert(Calls(forward, a=nn.Conv3d(3, 3, 1)), torch.zeros(VOLUME))
        lines = network.notes
        assert any(layer["type"] == "unknown" for layer in flat(network.stack))
    except Unsupported as error:
        lines = error.lines
    assert any(line.startswith(f"no layer implements {said}") for line in lines), lines


def test_what_is_computed_from_parameters_alone_is_no_number():
    class Placed(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.one, self.other = nn.Conv3d(3, 4, 1), nn.Parameter(torch.rand(1, 4, 8, 1, 1)), nn.Parameter(torch.rand(1, 4, 1, 9, 10))

        def forward(self, x):
            return self.a(x) + (self.one + self.other) * 2

    network = convert(Placed(), torch.zeros(VOLUME))
    assert any(note.startswith("no layer implements add with a parameter (once") for note in network.notes)


def test_an_unknown_operator_gives_a_bound_from_below():
    unknown = Calls(lambda m, x: m.b(m.a(x).cumsum(2).relu()), a=nn.Conv3d(3, 8, 1), b=nn.Conv3d(8, 2, 1))
    known = Calls(lambda m, x: m.b(m.a(x).tanh().relu()), a=nn.Conv3d(3, 8, 1), b=nn.Conv3d(8, 2, 1))
    bound, whole = (highwatermark.predict(module, torch.zeros(VOLUME), gpu="rtx4090") for module in (unknown, known))
    assert bound.unknown == ["cumsum"] and not whole.unknown
    assert bound.fits == "uncertain" and whole.fits == "yes"
    assert bound.peak_allocated.expected <= whole.peak_allocated.expected
    assert "at least" in str(bound) and "at least" not in str(whole)


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.reentrant = reentrant
        self.first, self.second, self.end = nn.Conv3d(3, 8, 3, padding=1), nn.Conv3d(8, 8, 3, padding=1), nn.Conv3d(8, 2, 1)

    def part(self, x):
        return torch.relu(self.second(torch.tanh(x)))

    def forward(self, x):
        return self.end(checkpoint(self.part, self.first(x), use_reentrant=self.reentrant))


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints_become_checkpointed_blocks(reentrant):
    network = convert(Checkpointed(reentrant), torch.zeros(VOLUME))
    blocks = [layer for layer in network.stack if layer["type"] == "block"]
    assert [block.get("checkpoint") for block in blocks] == [True]
    assert [layer["type"] for layer in blocks[0]["layers"]] == ["tanh", "conv", "relu"]
    assert not network.notes
    whole = highwatermark.predict(Checkpointed(reentrant), torch.zeros(VOLUME), gpu="rtx4090")
    assert whole.bound is None


def test_what_is_left_out_makes_a_bound():
    two = Calls(lambda m, x: {"a": m.a(x), "b": m.b(x.tanh())}, a=nn.Conv3d(3, 2, 1), b=nn.Conv3d(3, 2, 3, padding=1))
    bound = highwatermark.predict(two, torch.zeros(VOLUME), gpu="rtx4090", output="a")
    assert bound.bound == "at_least" and bound.fits == "uncertain" and "at least" in str(bound)
    assert any("one output is left out" in note for note in bound.notes)


@pytest.mark.parametrize("forward", [lambda m, x: (m.a(x), m.b(x.relu())), lambda m, x: (m.a(x.relu()), m.b(x))])
def test_either_of_two_outputs_may_come_first(forward):
    module = Calls(lambda m, x: forward(m, m.e(x)), e=nn.Conv3d(3, 4, 3, padding=1), a=nn.Conv3d(4, 2, 1), b=nn.Conv3d(4, 2, 1))
    stack = convert(module, torch.zeros(VOLUME)).stack
    assert [layer["type"] for layer in stack].count("head") == 1
    assert stack[-1]["type"] == "conv"


def test_a_network_that_looks_at_its_numbers_is_refused_in_one_line():
    with pytest.raises(HighwaterError) as error:
        convert(Calls(lambda m, x: x if x.sum() > 0 else m.a(x), a=nn.Conv3d(3, 3, 1)), torch.zeros(VOLUME))
    assert str(error.value).startswith("torch.export cannot read the network: ") and "\n" not in str(error.value)


def test_the_model_is_left_as_it_was():
    module = nn.Sequential(nn.Conv3d(3, 3, 1), nn.BatchNorm3d(3)).eval()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    convert(module, torch.rand(VOLUME))
    assert not module.training and not module[1].training
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
