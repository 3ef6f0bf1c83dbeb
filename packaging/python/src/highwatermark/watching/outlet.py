"""The thread that writes what was seen, so that the script never waits for a disk."""

from __future__ import annotations

import collections
import math
import threading
import time
from typing import Any, Callable, Optional

from ..script_parts import one_line
from .run_folder import RunFolder

MOST_WAITING = 4096


class Outlet:
    """Events and work in order, on a thread of its own. Where the disk is slower than the script, events are left out and
    counted; where it fails, no more are written. No method raises."""

    def __init__(self, folder: RunFolder):
        self.folder = folder
        self.left_out = 0
        self.problem = ""
        self._waiting: collections.deque[Any] = collections.deque()
        self._work = threading.Event()
        self._lock = threading.Lock()  # of the folder
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="highwatermark", daemon=True)
        self._thread.start()

    def send(self, event: dict[str, Any], sync: bool = False) -> None:
        self._put((event, sync))

    def call(self, work: Callable[[], None]) -> bool:
        """Runs on the writer's thread; False if it is left out."""
        return self._put(work)

    def send_now(self, event: dict[str, Any]) -> None:
        """On disk when it returns, after what waits, if that is written within a second."""
        empty = threading.Event()
        self._put(empty.set)
        empty.wait(1)
        if self._lock.acquire(timeout=2):
            try:
                self._append(event, True)
            finally:
                self._lock.release()

    def end(self, last: Optional[Callable[[], None]], seconds: float) -> bool:
        """Whether all was written in that time."""
        if last is not None:
            self._waiting.append(last)
        self._ending = True
        self._work.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def abandon(self) -> None:
        """In a forked child, where the thread is not."""
        self._waiting.clear()
        self._ending = True

    def _put(self, item: Any) -> bool:
        if len(self._waiting) >= MOST_WAITING or self._ending:
            self.left_out += 1
            return False
        self._waiting.append(item)
        self._work.set()
        return True

    def _run(self) -> None:
        while True:
            self._work.wait()
            self._work.clear()
            while self._waiting:
                self._do(self._waiting.popleft())
            if self._ending and not self._waiting:
                return

    def _do(self, item: Any) -> None:
        try:
            if callable(item):
                item()
                return
            with self._lock:
                self._append(*item)
        except Exception as error:  # whatever it is, the script goes on
            self.problem = self.problem or one_line(error)

    def _append(self, event: dict[str, Any], sync: bool, *more: dict[str, Any]) -> None:
        try:
            self.folder.append(event, sync, *more)
        except (OSError, ValueError) as error:
            self.problem = self.problem or one_line(error)


class Rate:
    """Is due at most `most` times per second, and so seldom that it takes at most a `share` of the time."""

    def __init__(self, most: float, share: float = 1.0):
        self._least, self._last, self._share, self._wait = 1 / most, -math.inf, share, 0.0

    def due(self) -> bool:
        now = time.monotonic()
        if now - self._last < max(self._least, self._wait):
            return False
        self._last = now
        return True

    def done(self) -> None:
        """What was due has been done."""
        self._wait = (time.monotonic() - self._last) / self._share
