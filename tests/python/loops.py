"""Training loops that leak, each in its own way, and loops that do not: python loops.py STORE DEVICE EDGE [NAME...].

Prints {"name": [what was found to grow]}. A line that ends with "# leaks" allocates what is never freed.
"""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import json
import queue
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/python/src"))
import highwatermark  # noqa: E402

STEPS = 48
LEAKS, CLEAN = {}, {}
DEVICE, EDGE = "cpu", 32  # and the size of the images


def leak(kind="tensors", steps=STEPS):
    def add(function):
        LEAKS[function.__name__] = (function, kind, steps)
        return function
    return add


def clean(function):
    CLEAN[function.__name__] = (function, "", STEPS)
    return function


def lines_of(function) -> set[int]:
    """The numbers of the lines that leak."""
    text, first = inspect.getsourcelines(function)
    return {first + number for number, line in enumerate(text) if line.rstrip().endswith("# leaks")}


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3, padding=1)).to(DEVICE)


def batch(size=2, edge=None) -> torch.Tensor:
    return torch.ones(size, 1, edge or EDGE, edge or EDGE, device=DEVICE)


class Loop:
    """A plain training loop, with a place for what a loop adds to it."""

    def __init__(self, store: str, steps: int):
        self.store, self.steps = store, steps
        self.model = network()
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01, momentum=0.9)
        self.watch = None

    def __iter__(self):
        self.watch = highwatermark.watch(self.model, self.optimizer, store=self.store)
        yield from range(self.steps)
        self.watch.close()

    def train(self, x=None, retain=False):
        self.optimizer.zero_grad()
        output = self.model(batch() if x is None else x)
        loss = output.square().mean()
        loss.backward(retain_graph=retain)
        self.optimizer.step()
        return loss, output


# -- what leaks ---------------------------------------------------------------------------------------------------------


@leak()
def losses_with_their_tensors(loop):
    losses = []
    for _ in loop:
        loop.optimizer.zero_grad()
        loss = loop.model(batch()).square().mean()  # leaks
        loss.backward()
        loop.optimizer.step()
        losses.append(loss)


@leak()
def outputs_in_a_list(loop):
    outputs = []
    for _ in loop:
        _, output = loop.train()
        outputs.append(output.detach().clone())  # leaks


@leak()
def outputs_with_their_graphs(loop):
    outputs = []
    for _ in loop:
        loop.train()
        outputs.append(loop.model(batch()))  # leaks


@leak()
def a_cache_by_step(loop):
    cache = {}
    for step in loop:
        cache[step] = batch() * 2  # leaks
        loop.train(cache[step])


@leak()
def a_hook_that_keeps_activations(loop):
    kept = []

    def keep(module, arguments, output):
        kept.append(output.detach() * 1)  # leaks

    loop.model[0].register_forward_hook(keep)
    for _ in loop:
        loop.train()


@leak()
def a_buffer_that_grows(loop):
    history = torch.zeros(1, device=DEVICE)
    for _ in loop:
        _, output = loop.train()
        history = torch.cat([history, output.detach().flatten()])  # leaks


@leak()
def a_sum_of_losses_with_graphs(loop):
    total = 0
    for _ in loop:
        loop.optimizer.zero_grad()
        loss = loop.model(batch()).square().mean()  # leaks
        loss.backward(retain_graph=True)
        loop.optimizer.step()
        total = total + loss


@leak()
def a_history_of_gradients(loop):
    gradients = []
    for _ in loop:
        loop.train()
        gradients.append([parameter.grad.clone() for parameter in loop.model.parameters()])  # leaks


@leak()
def copies_of_the_model(loop):
    copies = []
    for step in loop:
        loop.train()
        if step % 2:
            copies.append([value.clone() for value in loop.model.state_dict().values()])  # leaks


@leak(steps=80)
def outputs_of_validation(loop):
    kept = []
    for step in loop:
        loop.train()
        if step % 4 == 3:
            loop.model.eval()
            with torch.no_grad():
                kept.append(loop.model(batch(4)))  # leaks
            loop.model.train()


@leak()
def a_cache_without_a_limit(loop):
    @functools.lru_cache(maxsize=None)
    def grid(step):
        return torch.zeros(64, 64, device=DEVICE)  # leaks

    for step in loop:
        grid(step)
        loop.train()


@leak()
def parameters_added_to_the_optimizer(loop):
    for _ in loop:
        loop.train()
        loop.optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(4096, device=DEVICE))]})  # leaks


@leak()
def exceptions_that_hold_their_frames(loop):
    errors = []

    def fail():
        scratch = batch(4)  # leaks  (batch() is the innermost line)
        raise ValueError(scratch.shape)

    for _ in loop:
        loop.train()
        try:
            fail()
        except ValueError as error:
            errors.append(error)


@leak()
def closures_that_hold_tensors(loop):
    callbacks = []
    for _ in loop:
        _, output = loop.train()
        values = output.detach().exp()  # leaks
        callbacks.append(lambda values=values: values.mean())


@leak()
def a_metric_that_collects(loop):
    class Metric:
        def __init__(self):
            self.seen = []

        def update(self, output):
            self.seen.append(output.argmax(1))  # leaks

    metric = Metric()
    for _ in loop:
        _, output = loop.train()
        metric.update(output.detach())


@leak()
def a_queue_that_is_not_emptied(loop):
    waiting = queue.Queue()
    for _ in loop:
        waiting.put(torch.full((2, 1, 32, 32), 0.5, device=DEVICE))  # leaks
        loop.train()


@leak("fragmentation")
def sizes_that_grow(loop):
    for step in loop:
        scratch = torch.empty((24 << 20) + step * (4 << 20), dtype=torch.uint8, device=DEVICE)
        del scratch
        loop.train()


class Remembering(Dataset):
    """Whose workers keep all that they read."""

    def __init__(self, length, keeps):
        self.length, self.keeps, self.kept = length, keeps, []

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.keeps:
            self.kept.append(np.full(1 << 20, index % 200, np.uint8))
        return torch.ones(1, 32, 32)


@leak("workers", steps=80)
def workers_that_keep_their_data(loop):
    data = iter(DataLoader(Remembering(2 * loop.steps + 8, True), 2, num_workers=1))
    for _ in loop:
        loop.train(next(data).to(DEVICE))


@leak("pinned")
def pinned_memory(loop):
    kept = []
    for _ in loop:
        kept.append(torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True))
        loop.train()


@leak("host")
def arrays_of_the_host(loop):
    kept = []
    for step in loop:
        kept.append(np.full(2 << 20, step, np.uint8))
        loop.train()


# -- what does not ------------------------------------------------------------------------------------------------------


@clean
def a_plain_loop(loop):
    for _ in loop:
        loop.train()


@clean
def losses_as_numbers(loop):
    losses = []
    for _ in loop:
        losses.append(loop.train()[0].item())


@clean
def the_newest_outputs(loop):
    outputs = collections.deque(maxlen=16)
    for _ in loop:
        outputs.append(loop.train()[1].detach().clone())


@clean
def batches_of_many_sizes(loop):
    sizes = np.random.default_rng(1).integers(1, 9, loop.steps)
    for step in loop:
        loop.train(batch(int(sizes[step])))


@clean
def patches_of_many_sizes(loop):
    edges = np.random.default_rng(2).integers(2, 9, loop.steps)
    for step in loop:
        loop.train(batch(2, 8 * int(edges[step])))


@clean
def accumulated_gradients(loop):
    for step in loop:
        for _ in range(2):
            loop.model(batch()).square().mean().backward()
        loop.optimizer.step()
        loop.optimizer.zero_grad()


@clean
def a_moving_average(loop):
    average = copy.deepcopy(loop.model)
    for _ in loop:
        loop.train()
        with torch.no_grad():
            for mean, parameter in zip(average.parameters(), loop.model.parameters()):
                mean.lerp_(parameter, 0.1)


@clean
def a_schedule(loop):
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(loop.optimizer, loop.steps)
    for _ in loop:
        loop.train()
        schedule.step()


@clean
def validation(loop):
    for step in loop:
        loop.train()
        if step % 4 == 3:
            loop.model.eval()
            with torch.no_grad():
                sum(loop.model(batch(8)).mean() for _ in range(3))
            loop.model.train()


@clean
def gradients_set_to_zero(loop):
    for _ in loop:
        loop.optimizer.zero_grad(set_to_none=False)
        loop.model(batch()).square().mean().backward()
        loop.optimizer.step()


@clean
def a_cache_with_a_limit(loop):
    @functools.lru_cache(maxsize=8)
    def grid(size):
        return torch.zeros(size, 64, device=DEVICE)

    for step in loop:
        grid(step % 20 + 1)
        loop.train()


@clean
def checkpoints(loop):
    from torch.utils.checkpoint import checkpoint
    for _ in loop:
        loop.optimizer.zero_grad()
        checkpoint(loop.model, batch(), use_reentrant=False).square().mean().backward()
        loop.optimizer.step()


@clean
def scaled_and_clipped_gradients(loop):
    scaler = torch.amp.GradScaler(DEVICE)
    for _ in loop:
        loop.optimizer.zero_grad()
        scaler.scale(loop.model(batch()).square().mean()).backward()
        scaler.unscale_(loop.optimizer)
        nn.utils.clip_grad_norm_(loop.model.parameters(), 1)
        scaler.step(loop.optimizer)
        scaler.update()


@clean
def two_optimizers(loop):
    other = network()
    second = torch.optim.Adam(other.parameters())
    for _ in loop:
        loop.train()
        second.zero_grad()
        other(batch()).square().mean().backward()
        second.step()


@clean
def workers(loop):
    data = iter(DataLoader(Remembering(2 * loop.steps + 8, False), 2, num_workers=1))
    for _ in loop:
        loop.train(next(data).to(DEVICE))


@clean
def a_batch_ahead(loop):
    ahead = batch()
    for _ in loop:
        now, ahead = ahead, batch() * 2
        loop.train(now)


@clean
def a_list_that_is_cleared(loop):
    seen = []
    for step in loop:
        seen.append(loop.train()[1].detach().clone())
        if step % 8 == 7:
            torch.cat(seen)
            seen.clear()


@clean
def a_buffer_of_fixed_size(loop):
    buffer = torch.zeros(16, 2, 4, EDGE, EDGE, device=DEVICE)
    for step in loop:
        buffer[step % 16].copy_(loop.train()[1].detach())


@clean
def the_best_weights(loop):
    best = None
    for step in loop:
        loop.train()
        if step % 5 == 0:
            best = copy.deepcopy(loop.model.state_dict())
    return best


@clean
def patches_that_grow_at_first(loop):
    for step in loop:
        loop.train(batch(2, 16 + 2 * min(step, 12)))


def main():
    global DEVICE, EDGE
    store, DEVICE, edge, *names = sys.argv[1:]
    EDGE = int(edge)
    found = {}
    for name, (function, _, steps) in {**LEAKS, **CLEAN}.items():
        if names and name not in names or name == "pinned_memory" and DEVICE == "cpu":
            continue
        loop = Loop(store, steps)
        function(loop)
        if loop.watch.folder is None or loop.watch.problem:
            found[name] = loop.watch.problem
            continue
        found[name] = json.loads((loop.watch.folder / "watch.json").read_text())["growth"]
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
