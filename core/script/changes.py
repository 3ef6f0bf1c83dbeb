"""Changes that reduce a training script's memory, applied from outside of it.

highwater-cli script --try copies the functions that a change needs from here into a file that then runs the script. So they need
only PyTorch, and two blank lines separate them.
"""
import contextlib
import functools
import types

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten
from torch.utils.checkpoint import checkpoint


def when_called(name, change):
    """Calls change(model) just before the first model of a class is called for the first time."""
    call = torch.nn.Module.__call__

    def first(module, *inputs, **named):
        if type(module).__name__ == name:
            torch.nn.Module.__call__ = call
            change(module)
        return call(module, *inputs, **named)

    torch.nn.Module.__call__ = first


def wrap(module, around):
    """Calls around(module, forward, ...) in place of a module's forward. Copies of the module do so too."""
    inner = module.forward.__func__

    def forward(self, *inputs, **named):
        return around(self, functools.partial(inner, self), *inputs, **named)

    module.forward = types.MethodType(forward, module)


def recompute(module, forward, *inputs, **named):
    """Keeps only the inputs for the backward pass, which computes the module again."""
    if not torch.is_grad_enabled():
        return forward(*inputs, **named)
    again = lambda: (contextlib.nullcontext(), frozen_statistics(module))
    return checkpoint(functools.partial(forward, **named), *inputs, use_reentrant=False, context_fn=again)


@contextlib.contextmanager
def frozen_statistics(module):
    """Keeps a batch norm from counting a batch twice in its running statistics."""
    norms = [m for m in module.modules() if isinstance(m, torch.nn.modules.batchnorm._NormBase) and m.track_running_stats]
    kept = [(m.momentum, m.num_batches_tracked) for m in norms]
    try:
        for norm in norms:
            norm.momentum, norm.num_batches_tracked = 0.0, None
        yield
    finally:
        for norm, (norm.momentum, norm.num_batches_tracked) in zip(norms, kept):
            pass


def in_parts(parts, module, forward, *inputs, **named):
    """Computes the batch in parts. The backward pass recomputes one after the other, so it holds one part's activations."""
    if not torch.is_grad_enabled():
        return forward(*inputs, **named)
    given, structure = tree_flatten((inputs, named))
    batched = lambda x: isinstance(x, torch.Tensor) and x.dim() > 0
    pieces = [x.chunk(parts) if batched(x) else [x] * parts for x in given]
    results = []
    for piece in zip(*pieces):
        inputs, named = tree_unflatten(list(piece), structure)
        results.append(tree_flatten(recompute(module, forward, *inputs, **named)))
    joined = [torch.cat(each) if batched(each[0]) else each[0] for each in zip(*(values for values, _ in results))]
    return tree_unflatten(joined, results[0][1])


def in_bfloat16(module, forward, *inputs, **named):
    """Computes the model in 16 bits where autocast does, and returns 32 bits to the loss."""
    with torch.autocast("cuda", dtype=torch.bfloat16):
        outputs = forward(*inputs, **named)
    return tree_map(lambda x: x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x, outputs)


def channels_last(x):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return x.contiguous(memory_format=formats[x.dim()]) if isinstance(x, torch.Tensor) and x.dim() in formats else x


def with_channels_last(module, forward, *inputs, **named):
    return forward(*tree_map(channels_last, inputs), **tree_map(channels_last, named))


def before_steps(**settings):
    """Changes settings of every optimizer, such as foreach and fused."""
    def change(optimizer, *_):
        for group in optimizer.param_groups:
            group.update({key: value for key, value in settings.items() if key in group})

    register_optimizer_step_pre_hook(change)


def free_gradients():
    """Lets zero_grad() free gradients, even with set_to_none=False."""
    for owner in (torch.optim.Optimizer, torch.nn.Module):
        owner.zero_grad = lambda self, set_to_none=True, inner=owner.zero_grad: inner(self)


def halve_batches():
    """Halves the batch size of every DataLoader."""
    init = torch.utils.data.DataLoader.__init__

    def halved(self, dataset, batch_size=1, *more, **named):
        init(self, dataset, max(1, batch_size // 2) if batch_size else batch_size, *more, **named)

    torch.utils.data.DataLoader.__init__ = halved
