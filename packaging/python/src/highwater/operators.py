"""What each operator of PyTorch is as a layer. `TABLE` has a function for each name; what it cannot say it raises."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from torch import fx

from .graph import Call, call_of, shape_of
from .values import Activation, Cell, Constant, Layer, Unknown, Values

Convert = Callable[[Values, Call], None]
TABLE: dict[str, Convert] = {}


def operator(*names: str) -> Callable[[Convert], Convert]:
    def register(function: Convert) -> Convert:
        for name in names:
            TABLE[name] = function
        return function
    return register


def one_or_list(sizes: Sequence[Any]) -> Any:
    """As the file has sizes: one number where all axes have the same."""
    plain = [number(size) for size in sizes]
    return plain[0] if len(set(plain)) == 1 else plain


def number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def put(layer: Layer, key: str, value: Any, default: Any) -> None:
    if value != default:
        layer[key] = number(value)


def put_sizes(layer: Layer, call: Call, key: str, default: int) -> None:
    put(layer, key, one_or_list(call[key]), default)


def dims_of(node: fx.Node) -> int:
    return len(shape_of(node)) - 2


def plain(values: Values, call: Call, layer: Layer, **rest: Any) -> None:
    """A layer of one tensor, `self` or `input`."""
    source = call.arguments.get("self", call.arguments.get("input"))
    trained = bool(rest.get("parameters")) or is_trained(values, source)
    values.add(call, layer, [values.read(source, call)], trained=trained, **rest)


def is_trained(values: Values, node: Any) -> bool:
    held = values.activation(node)
    return held is not None and held.cell.trained


# --- convolutions

def parameters(values: Values, call: Call, *roles: str) -> dict[str, str]:
    named = {role: values.parameter(call[role], call.name) for role in roles}
    return {role: name for role, name in named.items() if name}


@operator("conv1d", "conv2d", "conv3d")
def conv(values: Values, call: Call) -> None:
    padding, source, mode = call["padding"], call["input"], ""
    if padded := padding_of_conv(call):
        source, padding, mode = padded
    layer: Layer = {"type": "conv", "out_channels": shape_of(call["weight"])[0],
                    "kernel_size": one_or_list(shape_of(call["weight"])[2:])}
    put_sizes(layer, call, "stride", 1)
    if padding != "valid":
        put(layer, "padding", padding if padding == "same" else one_or_list(padding), 0)
    put(layer, "padding_mode", mode, "")
    put_sizes(layer, call, "dilation", 1)
    put(layer, "groups", call["groups"], 1)
    put(layer, "bias", call["bias"] is not None, True)
    values.add(call, layer, [values.read(source, call)], parameters=parameters(values, call, "weight", "bias"))


def padding_of_conv(call: Call) -> Optional[tuple[fx.Node, Any, str]]:
    """Where the module's padding_mode padded the input: what it padded, by how much, and the mode."""
    node = call["input"]
    if node.op != "call_function" or len(node.users) != 1 or call["padding"] == "same" or any(call["padding"]):
        return None
    before = call_of(node)
    if before.name != "pad" or before["mode"] == "constant" or before.scopes[-1:] != call.scopes[-1:]:
        return None
    if not call.scopes or not call.scopes[-1].kind.startswith("torch.nn.modules.conv."):
        return None
    pairs = axes_first(before["pad"])
    if all(low == high for low, high in pairs):
        return before["self"], [low for low, _ in pairs], before["mode"]
    reach = [dilation * (kernel - 1) for dilation, kernel in
             zip(spread(call["dilation"], len(pairs)), shape_of(call["weight"])[2:])]
    is_same = all((low, high) == (r // 2, r - r // 2) for (low, high), r in zip(pairs, reach))
    return (before["self"], "same", before["mode"]) if is_same else None


def axes_first(pad: Sequence[int]) -> list[tuple[int, int]]:
    """torch.nn.functional.pad's numbers as (before, after) of each axis, the first axis first."""
    return list(zip(pad[::2], pad[1::2]))[::-1]


def spread(sizes: Sequence[int], count: int) -> list[int]:
    return list(sizes) * count if len(sizes) == 1 else list(sizes)


@operator("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(values: Values, call: Call) -> None:
    weight = shape_of(call["weight"])
    layer: Layer = {"type": "conv_transpose", "out_channels": weight[1] * call["groups"],
                    "kernel_size": one_or_list(weight[2:])}
    put_sizes(layer, call, "stride", 1)
    put_sizes(layer, call, "padding", 0)
    put_sizes(layer, call, "output_padding", 0)
    put_sizes(layer, call, "dilation", 1)
    put(layer, "groups", call["groups"], 1)
    put(layer, "bias", call["bias"] is not None, True)
    plain(values, call, layer, parameters=parameters(values, call, "weight", "bias"))


@operator("linear")
def linear(values: Values, call: Call) -> None:
    if len(shape_of(call["input"])) != 2:
        raise Unknown("linear over more than two axes")
    layer: Layer = {"type": "linear", "out_features": shape_of(call["weight"])[0]}
    put(layer, "bias", call["bias"] is not None, True)
    plain(values, call, layer, parameters=parameters(values, call, "weight", "bias"))


# --- norms

@operator("batch_norm")
def batch_norm(values: Values, call: Call) -> None:
    if not call["training"]:
        raise Unknown("batch_norm that is not training")
    norm(values, call, {"type": "batch_norm"}, affine_default=True)


@operator("instance_norm")
def instance_norm(values: Values, call: Call) -> None:
    norm(values, call, {"type": "instance_norm"}, affine_default=False)


@operator("group_norm")
def group_norm(values: Values, call: Call) -> None:
    norm(values, call, {"type": "group_norm", "num_groups": call["num_groups"]}, affine_default=True)


@operator("layer_norm")
def layer_norm(values: Values, call: Call) -> None:
    layer: Layer = {"type": "layer_norm", "normalized_shape": list(call["normalized_shape"])}
    norm(values, call, layer, affine_default=True)


def norm(values: Values, call: Call, layer: Layer, *, affine_default: bool) -> None:
    put(layer, "eps", call["eps"], 1e-5)
    named = parameters(values, call, "weight", "bias")
    if len(named) == 1:
        raise Unknown(f"{call.name} with only a {next(iter(named))}")
    put(layer, "affine", bool(named), affine_default)
    plain(values, call, layer, parameters=named)


# --- activations: what they are called in PyTorch's operators, the layer, and whether that has an in-place form

ACTIVATIONS = {
    "relu": ("relu", True), "leaky_relu": ("leaky_relu", True), "elu": ("elu", True), "gelu": ("gelu", False),
    "silu": ("silu", True), "sigmoid": ("sigmoid", False), "tanh": ("tanh", False), "relu6": ("relu6", True),
    "hardtanh": ("relu6", True), "hardswish": ("hardswish", True), "hardsigmoid": ("hardsigmoid", True),
    "mish": ("mish", True),
}


@operator(*ACTIVATIONS, *(name + "_" for name in ACTIVATIONS))
def activation(values: Values, call: Call) -> None:
    inplace = call.name.endswith("_")
    kind, can_be_inplace = ACTIVATIONS[call.name.rstrip("_")]
    layer: Layer = {"type": kind}
    remark = ""
    if call.name.startswith("hardtanh") and (call["min_val"], call["max_val"]) != (0, 6):
        raise Unknown("hardtanh other than relu6")
    if kind == "leaky_relu":
        put(layer, "negative_slope", call["negative_slope"], 0.01)
    if kind == "elu" and (call["alpha"], call["scale"], call["input_scale"]) != (1, 1, 1):
        remark = "elu's alpha, which changes no memory"
    if kind == "gelu" and call["approximate"] != "none":
        remark = "gelu's approximation, which changes no memory"
    write(values, call, layer, inplace, can_be_inplace, remark)


def write(values: Values, call: Call, layer: Layer, inplace: bool, can_be_inplace: bool, remark: str = "",
          **rest: Any) -> None:
    """A layer of one tensor which may be written over it."""
    if not inplace:
        return plain(values, call, layer, remark=remark, **rest)
    inputs = [values.read(call["self"], call)]
    if can_be_inplace:
        layer["inplace"] = True
    else:
        remark = remark or out_of_place(call)
    values.overwrite(call, call["self"], layer, inputs, remark=remark, **rest)


def out_of_place(call: Call) -> str:
    return f"that {call.name} works in place"


@operator("prelu")
def prelu(values: Values, call: Call) -> None:
    layer: Layer = {"type": "prelu"}
    put(layer, "num_parameters", shape_of(call["weight"])[0], 1)
    plain(values, call, layer, parameters=parameters(values, call, "weight"))


@operator("softmax", "_softmax")
def softmax(values: Values, call: Call) -> None:
    plain(values, call, {"type": "softmax", "dim": call["dim"] % len(shape_of(call.node))})


# --- dropout

@operator("dropout", "dropout_", "feature_dropout", "feature_dropout_")
def dropout(values: Values, call: Call) -> None:
    source = call.arguments.get("input", call.arguments.get("self"))
    if not call["train"]:
        return values.set(call.node, values[source])
    layer: Layer = {"type": "dropout"}
    put(layer, "p", call["p"], 0.5)
    put(layer, "feature", call.name.startswith("feature"), False)
    if call.name.endswith("_"):
        inputs = [values.read(source, call)]
        values.overwrite(call, source, layer, inputs, remark=out_of_place(call))
    else:
        plain(values, call, layer)


# --- pooling and sizes

@operator("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d")
def pool(values: Values, call: Call) -> None:
    average = call.name.startswith("avg")
    dims = dims_of(call.node)
    kernel = spread(call["kernel_size"], dims)
    stride = spread(call["stride"] or kernel, dims)
    padding = spread(call["padding"], dims)
    if not average and set(call["dilation"]) != {1}:
        raise Unknown("max_pool with a dilation")
    sizes = zip(shape_of(call["self"])[2:], kernel, stride, padding)
    matters = [(n + 2 * p - k) // s + 1 for n, k, s, p in sizes] != list(shape_of(call.node)[2:])
    layer: Layer = {"type": call.name[:8], "kernel_size": one_or_list(kernel)}
    put(layer, "stride", one_or_list(stride), one_or_list(kernel))
    put(layer, "padding", one_or_list(padding), 0)
    put(layer, "ceil_mode", call["ceil_mode"] and matters, False)
    plain(values, call, layer, remark=what_pool_leaves_out(call, padding) if average else "")


def what_pool_leaves_out(call: Call, padding: Sequence[int]) -> str:
    if call.arguments.get("divisor_override") is not None:
        return "avg_pool's divisor_override, which changes no memory"
    if any(padding) and not call["count_include_pad"]:
        return "avg_pool's count_include_pad=False, which changes no memory"
    return ""


@operator(*(f"adaptive_{kind}_pool{dims}d" for kind in ("avg", "max") for dims in (1, 2, 3)))
def adaptive_pool(values: Values, call: Call) -> None:
    size = spread(call["output_size"], dims_of(call["self"]))
    layer: Layer = {"type": call.name[:-2], "output_size": one_or_list(size)}
    plain(values, call, layer)
    if call.name.startswith("adaptive_max"):  # also gives the indices
        held = values[call.node]
        values.set(call.node, [held, Constant("the indices of adaptive_max_pool")])


@operator("mean")
def mean(values: Values, call: Call) -> None:
    """Over all spatial axes it is what PyTorch makes of an adaptive_avg_pool to 1."""
    source, axes = call["self"], len(shape_of(call["self"]))
    over = sorted(axis % axes for axis in call.arguments.get("dim") or ())
    if axes < 3 or over != list(range(2, axes)) or call["dtype"] is not None:
        raise Unknown("mean over other axes than the spatial ones")
    step = values.append({"type": "adaptive_avg_pool", "output_size": 1}, [values.read(source, call)], call)
    cell = Cell(step.output, shape_of(source)[:2] + (1,) * (axes - 2), is_trained(values, source))
    values.set(call.node, Activation(cell, shape_of(call.node)))


UPSAMPLE = {"upsample_nearest1d": "nearest", "upsample_nearest2d": "nearest", "upsample_nearest3d": "nearest",
            "upsample_linear1d": "linear", "upsample_bilinear2d": "bilinear", "upsample_trilinear3d": "trilinear"}


@operator(*UPSAMPLE)
def upsample(values: Values, call: Call) -> None:
    layer: Layer = {"type": "upsample"}
    if call.arguments.get("scale_factors"):
        put(layer, "scale_factor", one_or_list(call["scale_factors"]), 2)
    else:
        layer["size"] = one_or_list(shape_of(call.node)[2:])
    put(layer, "mode", UPSAMPLE[call.name], "nearest")
    put(layer, "align_corners", bool(call.arguments.get("align_corners")), False)
    plain(values, call, layer)


@operator("pad", "constant_pad_nd")
def pad(values: Values, call: Call) -> None:
    if min(call["pad"]) < 0:
        raise Unknown("pad with negative sizes")
    layer: Layer = {"type": "pad", "padding": list(call["pad"])}
    put(layer, "mode", call.arguments.get("mode", "constant"), "constant")
    put(layer, "value", call.arguments.get("value") or 0, 0)
    plain(values, call, layer)


# --- what takes two tensors

@operator("add", "add_", "sub", "sub_", "mul", "mul_")
def arithmetic(values: Values, call: Call) -> None:
    kind = call.name.rstrip("_")
    if call.arguments.get("alpha", 1) != 1:
        raise Unknown(f"{kind} with alpha")
    if isinstance(call["other"], fx.Node):
        return of_two(values, call, kind)
    if kind != "mul":
        raise Unknown(f"{kind} of a number")
    scale(values, call, call["other"])


def of_two(values: Values, call: Call, kind: str) -> None:
    inputs = [values.read(call["self"], call), values.read(call["other"], call)]
    rest = {"commutes": kind != "sub"}
    if call.name.endswith("_"):
        values.overwrite(call, call["self"], {"type": kind}, inputs, remark=out_of_place(call), **rest)
    else:
        trained = is_trained(values, call["self"]) or is_trained(values, call["other"])
        values.add(call, {"type": kind}, inputs, trained=trained, **rest)


def scale(values: Values, call: Call, value: float) -> None:
    write(values, call, {"type": "scale", "value": number(value)}, call.name.endswith("_"), False)


@operator("div", "div_")
def divide(values: Values, call: Call) -> None:
    if isinstance(call["other"], fx.Node):
        raise Unknown("div by a tensor")
    if call.arguments.get("rounding_mode"):
        raise Unknown("div with rounding")
    scale(values, call, 1 / call["other"])


@operator("neg", "neg_")
def negative(values: Values, call: Call) -> None:
    scale(values, call, -1)


@operator("cat", "concat", "concatenate")
def concat(values: Values, call: Call) -> None:
    nodes = call["tensors"]
    if call["dim"] % len(shape_of(call.node)) != 1:
        raise Unknown("cat along another axis than the channels")
    if len(nodes) == 1:
        return copy_of(values, call, nodes[0], "cat of a single tensor")
    inputs = [values.read(node, call) for node in nodes]
    values.add(call, {"type": "concat"}, inputs, trained=any(is_trained(values, node) for node in nodes))


@operator("repeat")
def repeat(values: Values, call: Call) -> None:
    """Of the data, along the channels, it is what concat does: nothing is differentiated."""
    repeats = list(call["repeats"])
    if len(repeats) != len(shape_of(call["self"])) or any(n != 1 for i, n in enumerate(repeats) if i != 1):
        raise Unknown("repeat along another axis than the channels")
    if is_trained(values, call["self"]):
        raise Unknown("repeat of what was computed with parameters")
    if repeats[1] == 1:
        return copy_of(values, call, call["self"], "repeat")
    values.add(call, {"type": "concat"}, [values.read(call["self"], call)] * repeats[1], trained=False)


# --- what makes no tensor

@operator("view", "reshape", "_unsafe_view", "flatten", "squeeze", "unsqueeze", "view_as", "unflatten", "squeeze_",
          "unsqueeze_", "expand")
def view(values: Values, call: Call) -> None:
    source = call["self"]
    held = values.activation(source)
    if held is None:
        raise Unknown(f"{call.name} of a constant")
    shape = shape_of(call.node)
    if shape == held.shape:
        return values.set(call.node, held)
    if call.name == "expand":
        raise Unknown("expand")
    if held.crop is not None and not source.meta["val"].is_contiguous():
        raise Unknown(f"{call.name} of a slice")
    values.view(call.node, source, shape)


@operator("to", "_to_copy", "type_as", "contiguous", "alias", "lift_fresh_copy", "requires_grad_")
def same(values: Values, call: Call) -> None:
    source = call["self"]
    before, after = source.meta["val"], call.node.meta["val"]
    if before.dtype != after.dtype:
        raise Unknown(f"{call.name} of another type of numbers")
    if call.name in ("contiguous", "_to_copy") and not before.is_contiguous():
        return copy_of(values, call, source, call.name)
    values.set(call.node, values[source])


@operator("clone")
def clone(values: Values, call: Call) -> None:
    copy_of(values, call, call["self"], "clone")


def copy_of(values: Values, call: Call, source: fx.Node, what: str) -> None:
    """A new tensor with the same numbers."""
    values.add(call, {"type": "scale", "value": 1}, [values.read(source, call)], trained=is_trained(values, source),
               remark=f"{what}, a copy: it has a scale by 1, which needs more in backward")


@operator("detach")
def detach(values: Values, call: Call) -> None:
    if is_trained(values, call["self"]):
        raise Unknown("detach")
    values.set(call.node, values[call["self"]])


@operator("slice")
def crop(values: Values, call: Call) -> None:
    source, axis = call["self"], call["dim"] % len(shape_of(call["self"]))
    held = values.activation(source)
    if call["step"] != 1:
        raise Unknown("a slice with a step")
    if held is None or (held.crop is None and not held.whole):
        raise Unknown("a slice of a view")
    before, shape = shape_of(source), shape_of(call.node)
    if shape == before:
        return values.set(call.node, held)
    start = call["start"] or 0
    start = max(0, start + before[axis]) if start < 0 else start
    cut = list(held.crop or tuple((0, size) for size in before))
    cut[axis] = (cut[axis][0] + start, shape[axis])
    values.view(call.node, source, shape, tuple(cut))


@operator("getitem")
def getitem(values: Values, call: Call) -> None:
    source, index = call.node.args
    held = values[source]
    values.set(call.node, held[index] if isinstance(held, list) else held)
