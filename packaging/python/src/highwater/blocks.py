"""Puts the layers of a module into a block with its name."""

from __future__ import annotations

from itertools import groupby

from .stack import Entry
from .values import Layer

DEEPEST = 30  # blocks in each other


def nest(entries: list[Entry], depth: int = 1, outer: str = "") -> list[Layer]:
    """`depth`: how many of the modules around these layers are blocks already (the network itself is none)."""
    layers: list[Layer] = []
    for key, group in groupby(entries, lambda entry: _key(entry, depth)):
        inside = list(group)
        if key is None or len(inside) == 1:
            layers += [entry.layer for entry in inside]
        else:
            layers.append(_block(inside, depth, outer))
    return layers


def _key(entry: Entry, depth: int) -> object:
    return entry.scopes[depth].key if depth < min(len(entry.scopes), DEEPEST) else None


def _block(entries: list[Entry], depth: int, outer: str) -> Layer:
    """A module that is all of another makes one block with it."""
    while len({_key(entry, depth + 1) for entry in entries}) == 1 and _key(entries[0], depth + 1) is not None:
        depth += 1
    name = entries[0].scopes[depth].name
    short = name[len(outer) + 1:] if outer and name.startswith(outer + ".") else name
    return {"type": "block", "name": short, "layers": nest(entries, depth + 1, name)}
