"""What a thread of a script is doing, as core/script/script_parts.py finds it on its stack."""

from __future__ import annotations

import sys
import types

import pytest

from watching import HERE

sys.path.insert(0, str(HERE.parents[1] / "core/script"))
from script_parts import phase_of  # noqa: E402


def calling(file: str, function: str):
    """A function of that name in that file, which calls what it is given."""
    module = types.ModuleType("made")
    exec(compile(f"def {function}(then):\n    return then()\n", file, "exec"), module.__dict__)
    return getattr(module, function)


def innermost():
    return phase_of(sys._getframe(), "before")


@pytest.mark.parametrize("file, function, phase", [
    ("/venv/torch/_tensor.py", "backward", "backward"),
    ("/venv/torch/autograd/__init__.py", "backward", "backward"),
    ("/venv/torch/optim/adam.py", "step", "optimizer"),
    ("/venv/torch/optim/adam.py", "__init__", "before"),
    ("/venv/torch/utils/data/dataloader.py", "__next__", "data"),
    ("/venv/torch/nn/modules/module.py", "_call_impl", "forward"),
    ("/home/train.py", "backward", "before"),
])
def test_a_function_of_pytorch_decides(file, function, phase):
    assert calling(file, function)(innermost) == phase


def test_the_innermost_decides():
    """Lightning's optimizer steps call the forward and the backward pass."""
    step = calling("/venv/torch/optim/adam.py", "step")
    backward = calling("/venv/torch/_tensor.py", "backward")
    assert step(lambda: backward(innermost)) == "backward"
    assert phase_of(None, "before") == "before"
