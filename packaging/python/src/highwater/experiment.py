"""A converted network with its data, loss, optimizer and step: the experiment file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import torch

from .errors import HighwaterError
from .network import Network

LOSSES = ("mse", "cross_entropy", "dice", "dice_cross_entropy", "mean")
PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "bf16_true", "fp16_true")
OPTIMIZERS = ("sgd", "adam", "adamw")
OF_CLASSES = ("cross_entropy", "dice", "dice_cross_entropy")

OptimizerLike = Union[str, dict, torch.optim.Optimizer]
Json = dict[str, Any]


def experiment(network: Network, *, name: str = "", loss: Optional[str] = None, classes: Optional[int] = None,
               scan: Union[str, Sequence[str], None] = None, labels: Optional[str] = None,
               optimizer: OptimizerLike = "adam", precision: str = "fp32", settings: Optional[Json] = None) -> Json:
    """`settings`: further keys of the file, such as {"step": {"micro_batches": 2}}; they have the last word."""
    _one_of("loss", loss, LOSSES)
    _one_of("precision", precision, PRECISIONS)
    chosen = loss or _usual_loss(network)
    made: Json = {"schema": "highwater.experiment/1", "name": name or network.name, "input": _input(network, scan)}
    if target := _target(network, chosen, classes, labels, scan):
        made["target"] = target
    # What a loop in PyTorch does: the output is a variable until backward has ended.
    step = {"batch_size": network.input_shape[0], "precision": precision, "keep_output": True}
    made.update(loss=chosen, stack=network.stack, optimizer=_optimizer(optimizer), step=step)
    return _merged(made, settings or {})


def usual_precision(dtype: torch.dtype) -> str:
    """That of a network whose parameters have this type."""
    return {torch.bfloat16: "bf16_true", torch.float16: "fp16_true"}.get(dtype, "fp32")


def _one_of(what: str, value: Optional[str], known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise HighwaterError(f"{what} \"{value}\" is unknown; there are {', '.join(known)}")


def _usual_loss(network: Network) -> str:
    """Cross-entropy of an output that is a map of classes, mse of one that is like the input, otherwise the mean."""
    given, result = network.input_shape, network.output_shape
    if given[2:] != result[2:]:
        return "mean"
    if result[1] >= 2:
        return "cross_entropy"
    return "mse" if given == result else "mean"


def _input(network: Network, scan: Union[str, Sequence[str], None]) -> Json:
    channels, *sizes = network.input_shape[1:]
    if not 1 <= len(sizes) <= 3:
        raise HighwaterError(f"the input has {len(network.input_shape)} axes; give N, C and 1 to 3 sizes, such as 2,1,96,96,96")
    if scan is None:
        return {"synthetic": [channels, *sizes]}
    scans = [scan] if isinstance(scan, str) else list(scan)
    if len(scans) != channels or len(sizes) != 3:
        raise HighwaterError(f"scan: {len(scans)} scans do not fit an input of {channels} channels and {len(sizes)} sizes; "
                             f"give one scan a channel, and three sizes")
    return {"scan": scans[0] if len(scans) == 1 else scans, "patch": sizes}


def _target(network: Network, loss: str, classes: Optional[int], labels: Optional[str], scan: Any) -> Optional[Json]:
    channels = network.output_shape[1]
    if labels is not None and scan is None:
        raise HighwaterError("labels: a labels file needs a scan as input; give classes for a synthetic one")
    if classes is not None and classes != channels:
        raise HighwaterError(f"classes: {classes} classes do not fit the network's output of {channels} channels")
    if labels is not None:
        return {"labels": labels}
    return {"classes": channels} if loss in OF_CLASSES or classes is not None else None


def _optimizer(given: OptimizerLike) -> Json:
    """With all parameters updated together, as torch.optim does on a GPU unless told otherwise."""
    if isinstance(given, torch.optim.Optimizer):
        return _from_torch(given)
    made = {"type": given} if isinstance(given, str) else dict(given)
    _one_of("optimizer", made.get("type", ""), OPTIMIZERS)
    return {**made, "foreach": made.get("foreach", True)}


def _from_torch(optimizer: torch.optim.Optimizer) -> Json:
    kind = type(optimizer).__name__.lower()
    _one_of("optimizer", kind, OPTIMIZERS)
    keys = ("lr", "weight_decay", *(("momentum", "nesterov") if kind == "sgd" else ("betas", "eps", "amsgrad")))
    made: Json = {"type": kind, **{key: _plain(optimizer.defaults[key]) for key in keys}}
    foreach = optimizer.defaults.get("foreach")
    return {**made, "foreach": not optimizer.defaults.get("fused") if foreach is None else foreach}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else float(value)


def _merged(base: Json, over: Json) -> Json:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


# --- the file

def text(made: Json) -> str:
    """A layer a line; the layers of a block further in."""
    parts = [f"  {json.dumps(key)}: {_stack(value, 2) if key == 'stack' else _line(value)}" for key, value in made.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _stack(layers: list[Json], indent: int) -> str:
    lines = [" " * (indent + 2) + _layer(layer, indent + 2) for layer in layers]
    return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"


def _layer(layer: Json, indent: int) -> str:
    if layer["type"] != "block":
        return _line(layer)
    head = _line({key: value for key, value in layer.items() if key != "layers"})
    return f"{head[:-1]}, \"layers\": {_stack(layer['layers'], indent)}}}"


def write(path: Union[str, os.PathLike], content: str) -> None:
    """All of it or nothing: a file that was there stays until the new one is complete."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(content)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise HighwaterError(f"{target}: cannot be written: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
