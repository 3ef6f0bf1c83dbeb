"""Memory of the process and of its workers, from /proc. 0 where the system has none."""

from __future__ import annotations

import os
from typing import Iterable, Optional

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_WORKERS = 64


def resident(pid: str = "self") -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


class Resident:
    """This process's memory, at a price that every step can pay."""

    def __init__(self) -> None:
        try:
            self._file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = -1

    def read(self) -> int:
        try:
            return int(os.pread(self._file, 128, 0).split()[1]) * _PAGE
        except (OSError, ValueError, IndexError):
            return 0

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def peak_resident() -> int:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")), 0)
    except (OSError, ValueError):
        return 0


def workers(threads: Optional[Iterable[str]] = None) -> list[str]:
    """The numbers of the processes that these threads of this one have started, such as data loaders; by default all threads."""
    found: set[str] = set()
    try:
        for thread in threads or os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
                found.update(file.read().split())
    except OSError:
        pass
    return [pid for pid in list(found)[:_MOST_WORKERS] if _name(pid) != "highwater-cudnn"]


def _name(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
