"""Python's garbage collector, which rests while a trace makes objects by the ten thousand: none of them is in a cycle, and a full
collection in a process that has loaded PyTorch takes a tenth of a second or more."""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import Iterator

_lock = threading.Lock()
_resting = 0
_was_enabled = False


@contextlib.contextmanager
def resting() -> Iterator[None]:
    """From several threads at once, too."""
    global _resting, _was_enabled
    with _lock:
        if _resting == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _resting += 1
    try:
        yield
    finally:
        with _lock:
            _resting -= 1
            if _resting == 0 and _was_enabled:
                gc.enable()


def forget() -> None:
    """In a forked child, where the other thread is not."""
    global _lock, _resting
    _lock = threading.Lock()
    if _resting and _was_enabled:
        gc.enable()
    _resting = 0
