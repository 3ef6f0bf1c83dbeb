"""Which line of the script is being executed, by time."""

from __future__ import annotations

import bisect
import os
import sys
import time
from types import CodeType, FrameType
from typing import Any, Callable, Optional

from .tracing import is_library_file

_MOST_MARKS = 200_000  # afterwards a function's line is the one it was called at


class Lines:
    """Follows the calls on this thread with Python's trace function. Lines of libraries count as the script's line that called them.

    PyTorch's profiler would record each call of Python and of C, most of them in libraries, and cost several times as much.
    """

    def __init__(self) -> None:
        self._marks: list[tuple[int, Optional[CodeType], int]] = []  # from when, function, line
        self._stack: list[tuple[CodeType, int]] = []
        self._library: dict[str, bool] = {}

    def start(self, frame: FrameType) -> bool:
        """False if the script has a trace function or a profile function itself."""
        if sys.gettrace() is not None or sys.getprofile() is not None:
            return False
        script, outermost = [], frame
        while True:
            if not self._in_library(outermost.f_code.co_filename):
                script.append(outermost)
            if outermost.f_back is None:
                break
            outermost = outermost.f_back
        for each in reversed(script or [outermost]):  # not kept: a frame would keep what its variables hold
            self._stack.append((each.f_code, each.f_lineno))
            each.f_trace = self._in_script
        self._mark()
        sys.settrace(self._on_call)
        return True

    def stop(self) -> Callable[[int], str]:
        """Returns what finds the line of a time, in ns since the epoch: "train.py:57 forward", "" where there is none."""
        if sys.gettrace() == self._on_call:
            sys.settrace(None)
        frame: Optional[FrameType] = sys._getframe()
        while frame is not None:
            if frame.f_trace == self._in_script:
                frame.f_trace = None
            frame = frame.f_back
        marks, times, names = self._marks, [mark[0] for mark in self._marks], {}

        def line(when: int) -> str:
            _, code, number = marks[max(0, bisect.bisect_right(times, when) - 1)]
            if code is None:
                return ""
            if (code, number) not in names:
                names[code, number] = f"{os.path.basename(code.co_filename)}:{number} {code.co_name}"
            return names[code, number]

        return line

    def _in_library(self, name: str) -> bool:
        known = self._library.get(name)
        if known is None:
            known = self._library[name] = is_library_file(name)
        return known

    def _mark(self) -> None:
        code, number = self._stack[-1] if self._stack else (None, 0)
        self._marks.append((time.time_ns(), code, number))

    def _on_call(self, frame: FrameType, event: str, _: Any) -> Optional[Callable]:
        if self._in_library(frame.f_code.co_filename) or len(self._marks) >= _MOST_MARKS:
            return None
        self._stack.append((frame.f_code, frame.f_lineno))
        return self._in_script

    def _in_script(self, frame: FrameType, event: str, _: Any) -> Optional[Callable]:
        if event == "line":
            if len(self._marks) >= _MOST_MARKS:
                frame.f_trace_lines = False
            elif self._stack:
                self._stack[-1] = (frame.f_code, frame.f_lineno)
                self._mark()
        elif event == "return" and self._stack:
            self._stack.pop()
            self._mark()
        return self._in_script


def forget() -> None:
    """In a forked child, which inherits the trace function."""
    if isinstance(getattr(sys.gettrace(), "__self__", None), Lines):
        sys.settrace(None)
