"""The modules of a watched model: which one is called as a whole, and, in sampled steps, what each costs."""

from __future__ import annotations

import functools
import gc
import threading
import time
import weakref
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn

from .plan import Plan

_MOST_LAYERS = 4096


def tensors_in(value: Any, depth: int = 3) -> Iterator[torch.Tensor]:
    """Those of arguments and outputs, in lists and dictionaries too."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each, depth - 1)
    elif depth and isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each, depth - 1)


def model_of(optimizer: torch.optim.Optimizer) -> Optional[nn.Module]:
    """The module that holds most of an optimizer's parameters and is in no other such module."""
    wanted = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    modules = [each for each in gc.get_objects() if issubclass(type(each), nn.Module)]
    inside = {id(child) for each in modules for child in each.__dict__.get("_modules", {}).values()}
    best, most = None, 0
    for each in modules:
        if id(each) not in inside and "_parameters" in each.__dict__:
            held = sum(id(parameter) in wanted for parameter in each.parameters())
            if held > most:
                best, most = each, held
    return best


class Modules:
    """Hooks on the model. `on_enter(module, arguments)` and `on_leave(module)` are called for the outermost calls only.

    Which modules are called from outside is learned while all have hooks, in the first step; afterwards only these have them,
    and in sampled steps the layers. Nothing inside of compiled code has a hook.
    """

    def __init__(self, model: nn.Module, mark: Callable[[], Any], on_enter: Callable[[nn.Module, Any], None],
                 on_leave: Callable[[nn.Module], None], plan: Plan):
        self.model = weakref.ref(model)
        self._mark, self._on_enter, self._on_leave = mark, on_enter, on_leave
        self._thread, self._planned = threading.get_ident(), plan.of_experiment
        self._all = [(name or type(model).__name__, weakref.ref(module)) for name, module in _walk(model, "", set())]
        self.layers, self._index = plan.costs(), {}
        named = {name: index for index, name in enumerate(plan.modules() or []) if name}
        for name, reference in self._all:
            module = reference()
            if plan.of_experiment:
                if module is not None and name in named:
                    self._index[id(module)] = named[name]
            elif module is not None and (_is_leaf(module) or _compiled(module)) and len(self.layers) < _MOST_LAYERS:
                self._index[id(module)] = len(self.layers)
                self.layers.append({"name": name, "type": _type(module), "output_shape": [],
                                    "parameters": sum(p.numel() for p in module.parameters()), "activation_bytes": 0,
                                    "forward_ms": 0.0, "backward_ms": 0.0})
        self._outer: dict[int, Any] = {}
        self._learning = True
        self._handles: list[Any] = []
        self._depth = 0
        self._stack: list[int] = []
        self.sampling = False
        self.marks: list[tuple[int, int]] = []  # ns, module
        self.forward: list[tuple[int, int, Any, int, Any]] = []  # module, ns, event, ns, event
        self.backward: list[tuple[int, int, Any]] = []
        self._open: list[tuple[int, int, Any]] = []

    def attach(self, sampling: bool) -> None:
        """Hooks for the next step: on the outermost modules, and on the layers if it is sampled; on all until those are known."""
        learning = not self._outer
        self.marks, self.forward, self.backward, self._open, self._stack, self._depth = [], [], [], [], [], 0
        if self._handles and (self.sampling, self._learning) == (sampling, learning):
            return
        self.detach()
        self.sampling, self._learning = sampling, learning
        for _, reference in self._all:
            module = reference()
            if module is None or isinstance(module, torch.jit.ScriptModule) or _compiled_in_place(module):
                continue
            index = self._index.get(id(module), -1)
            if self._learning or id(module) in self._outer or sampling and index >= 0:
                self._handles.append(module.register_forward_pre_hook(functools.partial(self._enter, index), with_kwargs=True))
                self._handles.append(module.register_forward_hook(functools.partial(self._leave, index), always_call=True))

    def detach(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    @property
    def learned(self) -> bool:
        return bool(self._outer)

    def _enter(self, index: int, module: nn.Module, arguments: Any, keywords: Any) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread:
            return
        self._depth += 1
        if self._depth == 1:
            if self._learning:
                self._outer[id(module)] = weakref.ref(module)
            self._on_enter(module, (arguments, keywords))
        if self.sampling:
            self._stack.append(index)
            if index >= 0:
                now = time.time_ns()
                self.marks.append((now, index))
                self._open.append((index, now, self._mark()))

    def _leave(self, index: int, module: nn.Module, arguments: Any, output: Any) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread or self._depth == 0:
            return
        self._depth -= 1
        if self.sampling and self._stack:
            self._stack.pop()
            if index >= 0 and self._open and self._open[-1][0] == index:
                now = time.time_ns()
                _, began, event = self._open.pop()
                self.forward.append((index, began, event, now, self._mark()))
                outer = -1
                for each in self._stack:
                    outer = each if each >= 0 else outer
                self.marks.append((now, outer))
                self._listen(index, output)
        if self._depth == 0:
            self._on_leave(module)

    def end_backward(self) -> None:
        """What ran last in a backward pass ends with it."""
        if self.sampling and self.backward:
            self.backward.append((-1, time.time_ns(), self._mark()))

    def _listen(self, index: int, output: Any) -> None:
        """The gradient of a module's output arrives when its backward pass begins."""
        first = output if type(output) is torch.Tensor else next((each for each in tensors_in(output) if each.grad_fn is not None), None)
        if first is not None and first.grad_fn is not None:
            if not self._planned:
                self.layers[index]["output_shape"] = list(first.shape)

            def begins(_: Any) -> None:
                self.backward.append((index, time.time_ns(), self._mark()))

            first.grad_fn.register_prehook(begins)


def _walk(module: nn.Module, name: str, seen: set[int]) -> Iterator[tuple[str, nn.Module]]:
    if id(module) in seen:
        return
    seen.add(id(module))
    yield name, module
    if not _compiled(module):
        for child_name, child in module._modules.items():
            if child is not None:
                yield from _walk(child, f"{name}.{child_name}" if name else child_name, seen)


def _compiled(module: nn.Module) -> bool:
    return "_orig_mod" in module._modules or _compiled_in_place(module)


def _compiled_in_place(module: nn.Module) -> bool:
    return getattr(module, "_compiled_call_impl", None) is not None


def _is_leaf(module: nn.Module) -> bool:
    return not any(child is not None for child in module._modules.values())


def _type(module: nn.Module) -> str:
    if "_orig_mod" in module._modules:
        return f"compiled {type(module._modules['_orig_mod']).__name__}"
    return type(module).__name__
