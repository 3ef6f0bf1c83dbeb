"""Collectives for Python objects among pretended ranks (core/script/rank_objects.py), with threads as ranks and a dictionary as store."""

from __future__ import annotations

import sys
import threading
from types import ModuleType, SimpleNamespace

from watching import HERE

sys.path.insert(0, str(HERE.parents[1] / "core/script"))
import rank_objects


class Store:
    def __init__(self):
        self.values, self.changed = {}, threading.Condition()

    def set(self, key, value):
        with self.changed:
            assert key not in self.values, "each collective has keys of its own"
            self.values[key] = value
            self.changed.notify_all()

    def get(self, key):
        with self.changed:
            assert self.changed.wait_for(lambda: key in self.values, timeout=20), f"{key} never came"
            return self.values[key]


class Rank:
    """As much of torch.distributed as is used, for one rank."""

    def __init__(self, rank, size, store, backend="nccl"):
        group = SimpleNamespace(group_name="world", rank=lambda: rank, size=lambda: size)
        c10d = SimpleNamespace(_get_default_group=lambda: group, _get_default_store=lambda: store, _rank_not_in_group=lambda group: False,
                               get_backend=lambda group: backend, get_group_rank=lambda group, rank: rank)
        for name in ("all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list"):
            setattr(c10d, name, lambda *arguments, name=name, **keywords: f"PyTorch's {name}")
        self.distributed = ModuleType("distributed")
        self.distributed.distributed_c10d = c10d
        rank_objects.install(self.distributed)


class SeparateCalls(threading.local):
    """The counters of each thread, as every rank is a process."""

    def __init__(self):
        self.calls = {}

    def __getitem__(self, name):
        return self.calls.get(name, 0)

    def __setitem__(self, name, value):
        self.calls[name] = value


def in_ranks(monkeypatch, body, size=3):
    """What `body` returns in each rank."""
    monkeypatch.setattr(rank_objects, "_calls", SeparateCalls())
    store, results = Store(), [None] * size

    def run(rank):
        results[rank] = body(Rank(rank, size, store).distributed, rank)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_an_object_is_broadcast(monkeypatch):
    def body(distributed, rank):
        given = [rank, {"from": rank}]
        distributed.broadcast_object_list(given, src=0)
        return given

    assert in_ranks(monkeypatch, body) == [[0, {"from": 0}]] * 3


def test_objects_are_scattered(monkeypatch):
    def body(distributed, rank):
        got = [None]
        distributed.scatter_object_list(got, ["a", "bb", "ccc"] if rank == 0 else None, src=0)
        return got

    assert in_ranks(monkeypatch, body) == [["a"], ["bb"], ["ccc"]]


def test_objects_are_gathered_at_the_last_rank(monkeypatch):
    def body(distributed, rank):
        got = [None] * 3 if rank == 2 else None
        distributed.gather_object("x" * rank, got, dst=2)
        return got

    assert in_ranks(monkeypatch, body) == [None, None, ["", "x", "xx"]]


def test_all_ranks_gather_twice(monkeypatch):
    def body(distributed, rank):
        first, second = [None] * 3, [None] * 3
        distributed.all_gather_object(first, {"rank": rank})
        distributed.all_gather_object(second, "y" * rank)
        return first + second

    assert in_ranks(monkeypatch, body) == [[{"rank": 0}, {"rank": 1}, {"rank": 2}, "", "y", "yy"]] * 3


def test_other_backends_are_left_alone():
    distributed = Rank(0, 1, Store(), "gloo").distributed
    assert distributed.all_gather_object([None], 1) == "PyTorch's all_gather_object"
    assert distributed.distributed_c10d.broadcast_object_list([1], src=0) == "PyTorch's broadcast_object_list"
