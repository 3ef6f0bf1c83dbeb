"""Memory of the process and of its workers, from /proc. 0 where the system has none."""

from __future__ import annotations

import os

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_WORKERS = 64


def resident(pid: str = "self") -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def peak_resident() -> int:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")), 0)
    except (OSError, ValueError):
        return 0


def workers() -> tuple[int, int]:
    """How many processes this one has started, such as data loaders, and their memory together. What they share counts in each."""
    found: set[str] = set()
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
                found.update(file.read().split())
    except OSError:
        pass
    found = {pid for pid in list(found)[:_MOST_WORKERS] if _name(pid) != "highwater-cudnn"}
    return len(found), sum(resident(pid) for pid in found)


def _name(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
