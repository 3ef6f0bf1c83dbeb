"""Collectives for Python objects among ranks on pretended GPUs.

Over NCCL, torch.distributed copies pickled objects through the device, and their sizes depend on values that a kernel computes. Nothing
is computed there, so these exchange the objects through the process group's store instead. Groups of other backends are left alone.
"""
import collections
import functools
import inspect
import pickle

_calls = collections.Counter()  # by group: all ranks of a group call in the same order


class _Exchange:
    """One collective of a group."""

    def __init__(self, c10d, group):
        self.c10d, self.group = c10d, group or c10d._get_default_group()
        name = self.group.group_name
        self.key = f"highwater/{name}/{_calls[name]}"
        _calls[name] += 1
        self.store, self.rank, self.size = c10d._get_default_store(), self.group.rank(), self.group.size()

    def rank_of(self, global_rank, group_rank):
        """The rank in the group that is given as one or the other; 0 by default."""
        if group_rank is not None:
            return group_rank
        return 0 if global_rank is None else self.c10d.get_group_rank(self.group, global_rank)

    def put(self, name, value):
        self.store.set(f"{self.key}/{name}", pickle.dumps(value))

    def get(self, name):
        return pickle.loads(self.store.get(f"{self.key}/{name}"))


def _all_gather_object(exchange, object_list, obj, group=None):
    exchange.put(exchange.rank, obj)
    object_list[:] = [exchange.get(rank) for rank in range(exchange.size)]


def _gather_object(exchange, obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    exchange.put(exchange.rank, obj)
    if exchange.rank == exchange.rank_of(dst, group_dst):
        object_gather_list[:] = [exchange.get(rank) for rank in range(exchange.size)]


def _broadcast_object_list(exchange, object_list, src=None, group=None, device=None, group_src=None, **_):
    source = exchange.rank_of(src, group_src)
    if exchange.rank == source:
        exchange.put("all", list(object_list))
    else:
        object_list[:] = exchange.get("all")


def _scatter_object_list(exchange, scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    if exchange.rank == exchange.rank_of(src, group_src):
        for rank, each in enumerate(scatter_object_input_list):
            exchange.put(rank, each)
    scatter_object_output_list[0] = exchange.get(exchange.rank)


def install(distributed):
    """Replaces these functions of torch.distributed for groups whose backend is NCCL."""
    c10d = distributed.distributed_c10d
    for own in (_all_gather_object, _gather_object, _broadcast_object_list, _scatter_object_list):
        name = own.__name__[1:]
        replaced = _replacement(c10d, getattr(c10d, name), own)
        for module in (c10d, distributed):
            setattr(module, name, replaced)


def _replacement(c10d, original, own):
    signature = inspect.signature(own)

    @functools.wraps(original)
    def collective(*arguments, **keywords):
        group = signature.bind(None, *arguments, **keywords).arguments.get("group")
        if c10d._rank_not_in_group(group) or c10d.get_backend(group) != "nccl":
            return original(*arguments, **keywords)
        return own(_Exchange(c10d, group), *arguments, **keywords)

    return collective
