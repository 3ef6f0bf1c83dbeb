"""Host memory of a script and of the processes that it starts, over time. It is measured: the host is real, also where the
GPU is pretended. The pretended device's memory has no pages in the host, so nothing has to be subtracted; pinned memory is
real, and counts.
"""
import sys
import threading
import time

from script_host import peak_resident, resident, workers
from script_parts import where

INTERVAL_SECONDS = 0.02
SEARCH_SECONDS = 0.5  # how often new processes are looked for
MOST_POINTS = 512     # of the timeline


class HostMemory:
    """Samples in a thread of its own. `step` returns the number of steps done so far. `also`, if given, is called with every
    sample, in that thread."""

    def __init__(self, step, also=None):
        self._step, self._also = step, also
        self._main = threading.get_ident()
        self._began = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="highwater host memory", daemon=True)
        self._points = []  # (seconds, bytes of this process, bytes of the others): the highest of each span
        self._every, self._since = 1, 0  # samples that share a point
        self._peak = {"peak": 0}

    def start(self):
        self._thread.start()

    def finish(self):
        """Stops, and returns what was seen, for JSON."""
        self._stop.set()
        self._thread.join()
        self._take(self._others())
        return {**self._peak, "samples": [list(point) for point in self._points]}

    def _others(self):
        return [size for size in map(resident, workers()) if size]

    def _watch(self):
        pids, searched = [], 0.0
        while not self._stop.wait(INTERVAL_SECONDS):
            now = time.monotonic()
            if now - searched > SEARCH_SECONDS:
                pids, searched = workers(), now
            self._take([size for size in map(resident, pids) if size])
            if self._also is not None:
                self._also()

    def _take(self, others):
        seconds = time.monotonic() - self._began
        own, rest = resident(), sum(others)
        self._add(seconds, own, rest)
        # Code that holds the interpreter's lock also holds up this thread; the kernel has seen this process's peak meanwhile.
        most = peak_resident()
        if most > max(own + rest, self._peak["peak"]):
            self._note(seconds, most, [])
        elif own + rest > self._peak["peak"]:
            self._note(seconds, own, others)

    def _note(self, seconds, own, others):
        frame = sys._current_frames().get(self._main)
        self._peak = {"peak": own + sum(others), "process": own, "workers": sum(others), "worker_count": len(others),
                      "seconds": round(seconds, 3), "step": self._step(), "place": where(frame) if frame else ""}

    def _add(self, seconds, own, rest):
        point = (round(seconds, 3), own, rest)
        if self._since and self._points:
            self._points[-1] = max(self._points[-1], point, key=lambda each: each[1] + each[2])
        else:
            self._points.append(point)
        self._since = (self._since + 1) % self._every
        if len(self._points) > MOST_POINTS:
            pairs = zip(self._points[::2], self._points[1::2] + self._points[-1:])
            self._points = [max(pair, key=lambda each: each[1] + each[2]) for pair in pairs]
            self._every, self._since = 2 * self._every, 0
