"""Runs a stack with torch's functions, as the experiment file means it: the reference for what is converted.

It knows nothing of how a stack was made. Besides the output it counts the parameters, by the layers' options and the
shapes alone.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor

Layer = dict[str, Any]
Weights = dict[str, Tensor]


def flat(layers: list[Layer]) -> Iterator[Layer]:
    """The layers in the order of execution, without the blocks around them."""
    for layer in layers:
        if layer["type"] == "block":
            yield from flat(layer["layers"])
        else:
            yield layer


class Runner:
    """`weights`: for each layer, blocks not counted, its tensors by role."""

    def __init__(self, stack: list[Layer], weights: list[Weights]):
        self.layers = list(flat(stack))
        self.weights = weights
        assert len(self.layers) == len(weights)
        self.parameters = 0
        self.heads: list[Tensor] = []
        self.shapes: list[tuple[int, ...]] = []  # of each layer's output

    def __call__(self, x: Tensor) -> Tensor:
        outputs: dict[str, Tensor] = {}
        uses: dict[str, tuple[Layer, Weights]] = {}  # by id, for `shared`
        for given, weights in zip(self.layers, self.weights):
            layer = given
            if given["type"] == "shared":
                layer, weights = uses[given["with"]]
            else:
                self.parameters += count(layer, x)
            others = [outputs[name] for name in named(layer)]
            result = apply(layer, x, weights, others)
            self.shapes.append(tuple(result.shape))
            if layer["type"] == "head":
                self.heads.append(result)
            else:
                x = result
            if "id" in given:
                assert given["id"] not in outputs, f"two layers have the id {given['id']}"
                outputs[given["id"]] = x
                uses[given["id"]] = (layer, weights)
        return x


def named(layer: Layer) -> list[str]:
    names = layer.get("with", [])
    return names if isinstance(names, list) else [names]


def count(layer: Layer, x: Tensor) -> int:
    channels = x.shape[1]
    kind, out = layer["type"], layer.get("out_channels", 0)
    bias = out if layer.get("bias", True) else 0
    if kind in ("conv", "conv_transpose"):
        kernel = math.prod(spread(layer.get("kernel_size", 3), x.dim() - 2))
        gain = out if layer.get("standardize") == "scaled" else 0
        return out * channels // layer.get("groups", 1) * kernel + bias + gain
    if kind == "head":
        return out * channels + bias
    if kind == "linear":
        features = layer["out_features"]
        return features * x.shape[-1] + (features if layer.get("bias", True) else 0)
    if kind in ("batch_norm", "group_norm", "instance_norm"):
        return 2 * channels if layer.get("affine", kind != "instance_norm") else 0
    if kind == "layer_norm":
        return 2 * math.prod(layer["normalized_shape"]) if layer.get("affine", True) else 0
    if kind == "affine":
        return 2 * math.prod(layer["shape"])
    if kind in ("layer_scale", "position_embedding", "class_token"):
        return math.prod(layer["shape"] if isinstance(layer["shape"], list) else [layer["shape"]])
    if kind == "relative_position_bias":
        return layer["num_heads"] * math.prod(2 * size - 1 for size in layer["window_size"])
    return layer.get("num_parameters", 1) if kind == "prelu" else 0


def spread(sizes: Any, dims: int) -> list[Any]:
    return list(sizes) if isinstance(sizes, list) else [sizes] * dims


def apply(layer: Layer, x: Tensor, weights: Weights, others: list[Tensor]) -> Tensor:
    kind, dims = layer["type"], x.dim() - 2
    known = {"type", "id", "with", *OPTIONS[kind]}
    assert layer.keys() <= known, f"{kind} has no {layer.keys() - known}"
    assert weights.keys() <= {"weight", "bias", "gain", *(f"weight_{part}" for part in range(2, len(layer.get("tokens", [])) + 1))}
    return FUNCTIONS[kind](layer, x, weights, others, dims)


def conv(layer, x, w, others, dims):
    padding = layer.get("padding", 0)
    options = {"stride": layer.get("stride", 1), "dilation": layer.get("dilation", 1), "groups": layer.get("groups", 1)}
    function = (F.conv1d, F.conv2d, F.conv3d)[dims - 1]
    assert w["weight"].shape[0] == layer["out_channels"] and ("bias" in w) == layer.get("bias", True)
    assert list(w["weight"].shape[2:]) == spread(layer["kernel_size"], dims)
    if "padding_mode" in layer:
        x = F.pad(x, around(layer, dims), layer["padding_mode"])
        padding = 0
    return function(x, standardized(layer, w), w.get("bias"), padding=padding, **options)


def standardized(layer, w):
    """The weights of a convolution, which each forward may standardize; the constant factor is not in the file."""
    weight = w["weight"]
    if "standardize" not in layer:
        return weight
    assert ("gain" in w) == (layer["standardize"] == "scaled")
    gain = (w["gain"] * weight[0].numel() ** -0.5).view(-1) if "gain" in w else None
    rows = F.batch_norm(weight.reshape(1, weight.shape[0], -1), None, None, gain, training=True, momentum=0.0, eps=1e-6)
    return rows.reshape(weight.shape)


def around(layer, dims):
    """What a padding_mode pads: torch.nn.functional.pad's numbers, the last axis first."""
    pairs = [(size, size) for size in spread(layer["padding"], dims)]
    if layer["padding"] == "same":
        reach = [d * (k - 1) for d, k in zip(spread(layer.get("dilation", 1), dims), spread(layer["kernel_size"], dims))]
        pairs = [(r // 2, r - r // 2) for r in reach]
    return [size for pair in reversed(pairs) for size in pair]


def conv_transpose(layer, x, w, others, dims):
    function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[dims - 1]
    options = {key: layer.get(key, default) for key, default in
               {"stride": 1, "padding": 0, "output_padding": 0, "dilation": 1, "groups": 1}.items()}
    assert w["weight"].shape[1] * options["groups"] == layer["out_channels"] and ("bias" in w) == layer.get("bias", True)
    return function(x, w["weight"], w.get("bias"), **options)


def batch_norm(layer, x, w, others, dims):
    return F.batch_norm(x, None, None, w.get("weight"), w.get("bias"), training=True, eps=layer.get("eps", 1e-5))


def instance_norm(layer, x, w, others, dims):
    assert layer.get("affine", False) == bool(w)
    return F.instance_norm(x, weight=w.get("weight"), bias=w.get("bias"), eps=layer.get("eps", 1e-5))


def pool(layer, x, w, others, dims):
    functions = {"max_pool": (F.max_pool1d, F.max_pool2d, F.max_pool3d), "avg_pool": (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)}
    return functions[layer["type"]][dims - 1](x, layer["kernel_size"], layer.get("stride"), layer.get("padding", 0),
                                               ceil_mode=layer.get("ceil_mode", False))


def adaptive_pool(layer, x, w, others, dims):
    average = layer["type"] == "adaptive_avg_pool"
    functions = (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d) if average else \
        (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)
    return functions[dims - 1](x, layer["output_size"])


def upsample(layer, x, w, others, dims):
    mode = layer.get("mode", "nearest")
    size = {"size": layer["size"]} if "size" in layer else {"scale_factor": layer.get("scale_factor", 2)}
    corners = {} if mode == "nearest" else {"align_corners": layer.get("align_corners", False)}
    return F.interpolate(x, mode=mode, **size, **corners)


def dropout(layer, x, w, others, dims):
    function = torch.feature_dropout if layer.get("feature") else torch.dropout
    return function(x, layer.get("p", 0.5), True)


def crop(layer, x, w, others, dims):
    for axis, (start, size) in enumerate(zip(layer["start"], layer["size"]), 2):
        x = x.narrow(axis, start, size)
    return x


def slice_of(layer, x, w, others, dims):
    places = [slice(None)] * x.dim()
    places[layer.get("dim", 1)] = slice(layer.get("start", 0), layer.get("end", 1), layer.get("step", 1))
    return x[tuple(places)]


def places_of(sizes):
    """The coordinates of each place of a volume, in the order of memory."""
    return torch.tensor(list(itertools.product(*(range(size) for size in sizes))))


def relative_position_bias(layer, x, w, others, dims):
    window = torch.tensor(layer["window_size"])
    places = places_of(layer["window_size"])[:layer.get("places") or None]
    assert w["weight"].shape == (torch.prod(2 * window - 1), layer["num_heads"])
    distances = places[:, None] - places[None, :] + window - 1
    strides = torch.tensor([int(torch.prod(2 * window[axis + 1:] - 1)) for axis in range(len(window))])
    return w["weight"][(distances * strides).sum(-1)].permute(2, 0, 1)[None]


def window_mask(layer, x, w, others, dims):
    size, window, shift = (torch.tensor(layer[key]) for key in ("size", "window_size", "shift_size"))
    corners = places_of((size // window).tolist()) * window
    at = corners[:, None] + places_of(window.tolist())[None, :]  # window, place, axis
    # Each axis has stretches that a shift brings together: all but the last window, and the last one's two parts.
    stretches = (at >= size - window).int() + ((at >= size - shift) & (shift > 0)).int()
    number = (stretches * torch.tensor([9, 3, 1])[:len(size)]).sum(-1)
    return torch.where(number[:, None] == number[:, :, None], 0.0, -100.0)[None, :, None]


def reduce(function):
    def run(layer, x, w, others, dims):
        more = {"correction": layer.get("correction", 1)} if layer["type"] == "var" else {}
        return function(x, dim=layer["dim"], keepdim=layer.get("keepdim", True), **more)
    return run


def class_token(layer, x, w, others, dims):
    tokens = [w[name] for name in sorted(w)]
    assert [token.shape[1] for token in tokens] == layer.get("tokens", layer["shape"][1:2])
    return torch.cat([*(token.expand(x.shape[0], -1, -1) for token in tokens), x], 1)


def learned(layer, w, role="weight"):
    """A parameter in the sizes that the layer uses it in, which are a view of its own."""
    return w[role].view(layer["shape"])


def stochastic_depth(layer, x, w, others, dims):
    """Draws as torchvision does; what MONAI draws from other numbers cannot be equal."""
    keep = 1 - layer.get("p", 0.5)
    noise = x.new_empty([x.shape[0] if layer.get("mode", "row") == "row" else 1] + [1] * (x.dim() - 1)).bernoulli_(keep)
    return x * (noise.div_(keep) if layer.get("scale_by_keep", True) and keep > 0 else noise)


def relu6(layer, x, w, others, dims):
    return F.hardtanh(x, 0, 6, inplace=layer.get("inplace", False))


def inplace(function, **defaults):
    def run(layer, x, w, others, dims):
        options = {key: layer.get(key, default) for key, default in defaults.items()}
        return function(x, inplace=layer.get("inplace", False), **options)
    return run


def head(layer, x, w, others, dims):
    return conv({**layer, "kernel_size": 1}, x, w, others, dims)


FUNCTIONS = {
    "conv": conv, "conv_transpose": conv_transpose, "head": head,
    "linear": lambda layer, x, w, others, dims: F.linear(x, w["weight"], w.get("bias")),
    "batch_norm": batch_norm, "instance_norm": instance_norm,
    "group_norm": lambda layer, x, w, others, dims: F.group_norm(x, layer["num_groups"], w.get("weight"), w.get("bias"),
                                                                 layer.get("eps", 1e-5)),
    "layer_norm": lambda layer, x, w, others, dims: F.layer_norm(x, layer["normalized_shape"], w.get("weight"), w.get("bias"),
                                                                 layer.get("eps", 1e-5)),
    "local_response_norm": lambda layer, x, w, others, dims: F.local_response_norm(
        x, layer["size"], layer["alpha"], layer["beta"], layer["k"]),
    "relu": inplace(F.relu), "leaky_relu": inplace(F.leaky_relu, negative_slope=0.01), "elu": inplace(F.elu),
    "silu": inplace(F.silu), "relu6": relu6, "hardswish": inplace(F.hardswish), "hardsigmoid": inplace(F.hardsigmoid),
    "mish": inplace(F.mish), "selu": inplace(F.selu), "hardtanh": inplace(F.hardtanh, min_val=-1.0, max_val=1.0),
    "softplus": lambda layer, x, w, others, dims: F.softplus(x),
    "clamp_min": lambda layer, x, w, others, dims: x.clamp_min(layer["min"]),
    "sqrt": lambda layer, x, w, others, dims: x.sqrt(),
    "gelu": lambda layer, x, w, others, dims: F.gelu(x),
    "sigmoid": lambda layer, x, w, others, dims: torch.sigmoid(x),
    "tanh": lambda layer, x, w, others, dims: torch.tanh(x),
    "softmax": lambda layer, x, w, others, dims: F.softmax(x, layer.get("dim", 1)),
    "prelu": lambda layer, x, w, others, dims: F.prelu(x, w["weight"]),
    "max_pool": pool, "avg_pool": pool, "adaptive_avg_pool": adaptive_pool, "adaptive_max_pool": adaptive_pool,
    "upsample": upsample, "dropout": dropout, "crop": crop,
    "pad": lambda layer, x, w, others, dims: F.pad(x, layer["padding"], layer.get("mode", "constant"), layer.get("value")),
    "flatten": lambda layer, x, w, others, dims: torch.flatten(x, 1),
    "scale": lambda layer, x, w, others, dims: x * layer["value"],
    "add": lambda layer, x, w, others, dims: x.add_(others[0]) if layer.get("inplace") else x + others[0],
    "sub": lambda layer, x, w, others, dims: x - others[0],
    "mul": lambda layer, x, w, others, dims: x * others[0],
    "div": lambda layer, x, w, others, dims: x / others[0],
    "matmul": lambda layer, x, w, others, dims: x @ others[0],
    "scaled_dot_product_attention": lambda layer, x, w, others, dims: F.scaled_dot_product_attention(
        x, *others[:2], attn_mask=others[2] if others[2:] else None, dropout_p=layer.get("dropout_p", 0.0), is_causal=layer.get("is_causal", False), scale=layer.get("scale")),
    "reshape": lambda layer, x, w, others, dims: x.reshape(layer["shape"]),
    "permute": lambda layer, x, w, others, dims: x.permute(layer["dims"]),
    "select": lambda layer, x, w, others, dims: x.select(layer.get("dim", 1), layer.get("index", 0)),
    "clone": lambda layer, x, w, others, dims: x.clone(),
    "contiguous": lambda layer, x, w, others, dims: x.contiguous(),
    "layer_scale": lambda layer, x, w, others, dims: x * learned(layer, w),
    "position_embedding": lambda layer, x, w, others, dims: x + learned(layer, w),
    "class_token": class_token,
    "affine": lambda layer, x, w, others, dims: torch.addcmul(learned(layer, w, "bias"), learned(layer, w), x),
    "expand": lambda layer, x, w, others, dims: x.expand(layer["shape"]),
    "sum": reduce(torch.sum), "mean": reduce(torch.mean), "var": reduce(torch.var), "amax": reduce(torch.amax),
    "vector_norm": reduce(torch.linalg.vector_norm),
    "stochastic_depth": stochastic_depth,
    "concat": lambda layer, x, w, others, dims: torch.cat([x, *others], layer.get("dim", 1)),
    "offset": lambda layer, x, w, others, dims: x + layer["value"],
    "slice": slice_of, "relative_position_bias": relative_position_bias, "window_mask": window_mask,
    "roll": lambda layer, x, w, others, dims: x.roll(layer["shifts"], layer["dims"]),
    "branch": lambda layer, x, w, others, dims: others[0],
}

_CONV = ("out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias")
_NORM = ("eps", "affine")
_POOL = ("kernel_size", "stride", "padding", "ceil_mode")
OPTIONS = {  # what each type has in the file
    "conv": (*_CONV, "padding_mode", "standardize"), "conv_transpose": (*_CONV, "output_padding"),
    "head": ("out_channels", "weight", "bias"), "linear": ("out_features", "bias"),
    "batch_norm": _NORM, "instance_norm": _NORM, "group_norm": (*_NORM, "num_groups"),
    "layer_norm": (*_NORM, "normalized_shape"), "local_response_norm": ("size", "alpha", "beta", "k"),
    "relu": ("inplace",), "leaky_relu": ("inplace", "negative_slope"), "elu": ("inplace",), "silu": ("inplace",),
    "relu6": ("inplace",), "hardswish": ("inplace",), "hardsigmoid": ("inplace",), "mish": ("inplace",), "gelu": (),
    "sigmoid": (), "tanh": (), "softmax": ("dim",), "prelu": ("num_parameters",),
    "max_pool": _POOL, "avg_pool": _POOL,
    "adaptive_avg_pool": ("output_size",), "adaptive_max_pool": ("output_size",),
    "upsample": ("scale_factor", "size", "mode", "align_corners"), "dropout": ("p", "feature"),
    "crop": ("start", "size"), "pad": ("padding", "mode", "value"), "flatten": (), "scale": ("value",),
    "add": ("inplace",), "sub": (), "mul": (), "div": (), "matmul": (), "scaled_dot_product_attention": ("is_causal", "scale", "dropout_p"),
    "concat": ("dim",), "branch": (), "offset": ("value",),
    "slice": ("dim", "start", "end", "step"), "roll": ("shifts", "dims"),
    "relative_position_bias": ("window_size", "num_heads", "places", "copy_index"),
    "window_mask": ("size", "window_size", "shift_size"),
    "reshape": ("shape",), "permute": ("dims",), "select": ("dim", "index"), "clone": (), "contiguous": (),
    "layer_scale": ("shape",), "position_embedding": ("shape",), "class_token": ("shape", "tokens"), "affine": ("shape",),
    "expand": ("shape",), "sum": ("dim", "keepdim"), "mean": ("dim", "keepdim"), "var": ("dim", "keepdim", "correction"),
    "amax": ("dim", "keepdim"), "vector_norm": ("dim", "keepdim"), "selu": ("inplace",), "softplus": (), "sqrt": (),
    "hardtanh": ("inplace", "min_val", "max_val"), "clamp_min": ("min",), "stochastic_depth": ("p", "mode", "scale_by_keep"),
}
