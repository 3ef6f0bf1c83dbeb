"""python -m highwatermark my_module:build --input 2,1,96,96,96 --out net.json
python -m highwatermark run train.py --batch 8
python -m highwatermark run --pretend rtx3060 train.py --batch 8
python -m highwatermark predict net.json --target rtx4090   and the other commands of highwater-cli"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import warnings
from importlib import metadata
from typing import Any, Optional, Sequence

from . import program
from .errors import HighwaterError, Unsupported

_COMMANDS = ("predict", "plan", "script", "import")  # of the highwater-cli that the package contains
_USAGE = """%(prog)s MODULE:NAME --input N,C,SIZES [OPTION ...]
       %(prog)s run [--pretend GPU] SCRIPT [ARGUMENT ...]
       %(prog)s {{{commands}}} ...""".format(commands=",".join(_COMMANDS))
_PRETEND = "or run the script that trains it on a pretended GPU: python -m highwatermark run --pretend GPU train.py"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["run"]:
        return _run_script(arguments[1:])
    if arguments and arguments[0] in _COMMANDS:
        return _run_program(arguments)
    parser = _parser()
    if arguments and not arguments[0].startswith("-") and ":" not in arguments[0]:
        print(f"highwatermark: {_no_network(arguments[0])}, or a command: {', '.join(('run', *_COMMANDS))}", file=sys.stderr)
        return 2
    options = parser.parse_args(arguments)
    if not any(3 <= len(shape) <= 5 for shape in options.input):
        given = ",".join(map(str, options.input[0]))
        parser.error(f"argument --input: \"{given}\" is no shape of an image; {_SHAPE}")
    try:
        _run(options)
    except HighwaterError as error:
        way_out = f"; {_PRETEND}" if isinstance(error, Unsupported) else ""
        for line in (str(error) + way_out).splitlines():
            print(f"highwatermark: {line}", file=sys.stderr)
        return 2
    return 0


def _run_script(arguments: list[str]) -> int:
    """Watches the script; with --pretend, hands over to highwater-cli, which runs it with this interpreter."""
    try:
        if not _pretends(arguments):
            from .watching.run import run
            return run(arguments)
    except HighwaterError as error:
        print(f"highwatermark: {error}", file=sys.stderr)
        return 2
    return _run_program(["script", "--python", sys.executable, *arguments])


def _run_program(arguments: list[str]) -> int:
    """Hands over to highwater-cli."""
    try:
        found = program.find()
    except HighwaterError as error:
        print(f"highwatermark: {error}", file=sys.stderr)
        return 2
    sys.stdout.flush()
    environment = os.environ if arguments[0] == "script" else program.environment()
    os.execve(found, [program.NAME, *arguments], environment)


def _pretends(arguments: list[str]) -> bool:
    """Whether --pretend is among the options, which precede the script."""
    for word in arguments:
        if word == "--pretend" or word.startswith("--pretend="):
            return True
        if word.endswith(".py") or word in ("-m", "--"):
            return False
    return False


def _run(options: argparse.Namespace) -> None:
    if not options.out and not options.gpu:
        raise HighwaterError("nothing to do: give --out FILE, --gpu PROFILE or both")
    try:
        import torch
    except (ImportError, OSError) as error:
        said = " ".join(str(error).split())
        raise HighwaterError(f"PyTorch cannot be imported ({said}); install it for {sys.executable}: pip install torch") from error
    from . import predict, save
    model = load(options.network)
    given = {"name": options.name or options.network, "loss": options.loss, "classes": options.classes,
             "scan": options.scan, "labels": options.labels, "optimizer": _optimizer(options), "output": options.output,
             "precision": options.precision, "settings": _settings(options.set)}
    if options.out:
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            save(model, options.input, options.out, **given)
        for note in notes:
            print(f"note: {note.message}", file=sys.stderr)
    if options.gpu:
        print(predict(model, options.input, options.gpu, **given))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="highwatermark", usage=_USAGE, description="Predicts the memory and time of a PyTorch network, and writes it as an experiment "
        "of Highwater. run records a training script, or runs it on a pretended GPU. predict, plan, script and import are commands of "
        "highwater-cli. Each has a --help of its own.")
    parser.add_argument("--version", action="version", version=f"highwatermark {_version()}")
    parser.add_argument("network", metavar="MODULE:NAME", help="a torch.nn.Module, or what returns one when called")
    parser.add_argument("--input", metavar="N,C,SIZES", required=True, type=_shape, action="append",
                        help="the input's shape: 2,1,96,96,96; again for each further tensor that forward takes")
    parser.add_argument("--out", metavar="FILE", help="write the experiment here")
    parser.add_argument("--gpu", metavar="PROFILE", help="print a prediction for this GPU, such as rtx4090, or cpu")
    parser.add_argument("--name", help="the experiment's name")
    parser.add_argument("--output", metavar="KEY", help="which output counts, where there are several: its key or index")
    parser.add_argument("--loss", help="mse, cross_entropy, dice, dice_cross_entropy or mean; of channels apart bce, sigmoid_dice or sigmoid_dice_bce; default: "
                        "cross_entropy where the output is a map of classes, mse where it is like the input, else mean")
    parser.add_argument("--classes", type=int, help="random labels with this many classes")
    parser.add_argument("--scan", action="append", metavar="FILE", help="a scan as input, one for each channel")
    parser.add_argument("--labels", metavar="FILE", help="the scan's label map")
    parser.add_argument("--optimizer", default="adam", help="sgd, adam or adamw; default: adam")
    parser.add_argument("--lr", type=float)
    parser.add_argument("--momentum", type=float, help="of sgd")
    parser.add_argument("--weight-decay", type=float, dest="weight_decay")
    parser.add_argument("--precision", help="fp32, tf32, bf16, fp16, bf16_true or fp16_true; default: as the parameters are, "
                        "fp32 with TF32 in convolutions unless this PyTorch was told otherwise")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="any other key of the file: step.micro_batches=2")
    return parser


def _version() -> str:
    try:
        return metadata.version("highwatermark")
    except metadata.PackageNotFoundError:
        return "(not installed)"


_SHAPE = "give N, C and 1 to 3 sizes, such as 2,1,96,96,96"


def _shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(size) for size in text.split(","))
    except ValueError:
        shape = ()
    if not shape or min(shape) < 1:
        raise argparse.ArgumentTypeError(f"\"{text}\" is no shape; {_SHAPE}")
    return shape


def _optimizer(options: argparse.Namespace) -> dict[str, Any]:
    given = {"type": options.optimizer, "lr": options.lr, "momentum": options.momentum, "weight_decay": options.weight_decay}
    return {key: value for key, value in given.items() if value is not None}


def _settings(pairs: Sequence[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for pair in pairs:
        path, equals, value = pair.partition("=")
        *outer, last = path.split(".")
        if not equals or not last:
            raise HighwaterError(f"--set: \"{pair}\" is no KEY=VALUE, such as step.micro_batches=2")
        inner = settings
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = _value(value)
    return settings


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _no_network(name: str) -> str:
    return f"\"{name}\" is not a network; give MODULE:NAME, such as my_module:build"


def load(name: str) -> "nn.Module":
    """Loads the network at MODULE:NAME, which may also be a function or a class that returns it."""
    from torch import nn
    module_name, colon, path = name.partition(":")
    if not colon or not path:
        raise HighwaterError(_no_network(name))
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: Any = _imported(module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            raise HighwaterError(f"{name}: there is no {part} in {module_name}")
        found = getattr(found, part)
    if isinstance(found, nn.Module):
        return found
    return _built(name, found)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception as error:  # the user's module may raise anything while it is imported
        raise HighwaterError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def _built(name: str, build: Any) -> "nn.Module":
    from torch import nn
    if not callable(build):
        raise HighwaterError(f"{name} is a {type(build).__name__}, neither a torch.nn.Module nor a function that returns one")
    try:
        made = build()
    except Exception as error:
        raise HighwaterError(f"{name}() failed: {type(error).__name__}: {error}") from error
    if not isinstance(made, nn.Module):
        raise HighwaterError(f"{name}() returned a {type(made).__name__}, not a torch.nn.Module")
    return made


if __name__ == "__main__":
    sys.exit(main())
