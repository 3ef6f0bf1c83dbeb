"""A run's folder in Highwater's store, made and completed as its engine does it (core/runs)."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import socket
import time
from pathlib import Path
from typing import Any, Iterator, Optional

_MOST_BELIEVED_NUMBER = 1_000_000_000
_SPARE_BYTES = 64 << 10
_LOCK_SECONDS = 5


def default_store() -> Path:
    """Where highwater-cli and the window look: $XDG_DATA_HOME/highwater."""
    given = os.environ.get("XDG_DATA_HOME", "")
    home = Path(given) if given.startswith("/") else Path.home() / ".local/share"
    return home / "highwater"


def this_process() -> dict[str, Any]:
    """What tells this process from any other: its number, start, boot and host."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"pid": os.getpid(), "start": int(fields[19]), "boot": boot, "host": socket.gethostname()}


def write_atomically(path: Path, value: Any) -> None:
    """On disk, whole, when it returns."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    text = value if isinstance(value, str) else json.dumps(value, indent=2, allow_nan=False) + "\n"
    try:
        with open(part, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


class RunFolder:
    """Appends events and, at the end, writes the result and the state. Every method may raise OSError.

    Once a line could not be written, none is any more: the file ends with a whole line, and the room that was kept in
    .spare is given up for the result and the state.
    """

    def __init__(self, store: Path, source: dict[str, Any], device: str, labels: Optional[dict[str, Any]] = None):
        (store / "runs").mkdir(parents=True, exist_ok=True)
        with _locked(store):
            number = _next_number(store)
            write_atomically(store / "last-number", f"{number}\n")
        now = time.time()
        self._state = {"schema": "highwater.state/1", "number": number, "device": device, "state": "running",
                       "created": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z",
                       "owner": {"role": "engine", **this_process()}}
        self.id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(3)}"
        self.number = number
        self.path = store.absolute() / "runs" / self.id
        made = self.path.with_name(f".new-{self.id}")
        made.mkdir()
        try:
            write_atomically(made / "script.json", source)
            if labels:
                write_atomically(made / "labels.json", {"schema": "highwater.labels/1", **labels})
            write_atomically(made / "state.json", self._state)
            (made / ".spare").write_bytes(b"\0" * _SPARE_BYTES)
            self._file = os.open(made / "events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o666)
            os.rename(made, self.path)
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            raise
        self._whole, self._full, self._also = 0, False, -1

    @classmethod
    def continued(cls, path: Path, also: int) -> "RunFolder":
        """A folder that another program made for this process to fill. Events are written to the descriptor `also` too."""
        self = cls.__new__(cls)
        state = json.loads((path / "state.json").read_text(encoding="utf-8"))
        self._state = {**state, "state": "running", "owner": {"role": "engine", **this_process()}}
        self.id, self.number, self.path = path.name, state["number"], path
        (path / ".spare").write_bytes(b"\0" * _SPARE_BYTES)
        self._file = os.open(path / "events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o666)
        self._whole, self._full, self._also = 0, False, also
        write_atomically(path / "state.json", self._state)
        return self

    def append(self, event: dict[str, Any], sync: bool = False, *more: dict[str, Any]) -> None:
        """Writes one or more events at once."""
        line = "".join(json.dumps(each, allow_nan=False) + "\n" for each in (event, *more)).encode("utf-8", "replace")
        if self._also >= 0:
            try:
                _write(self._also, line)
            except OSError:  # whoever followed the run is gone
                self._also = -1
        if self._full:
            return
        try:
            _write(self._file, line)
            self._whole += len(line)
        except OSError:
            self._full = True
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._whole)
            self._let_go()
            raise
        if sync:
            os.fsync(self._file)

    def finish(self, result: dict[str, Any], message: str) -> None:
        self._let_go()
        write_atomically(self.path / "result.json", result)
        self._state["state"], self._state["device"] = result["status"], result["device"] or self._state["device"]
        if message:
            self._state["message"] = message
        write_atomically(self.path / "state.json", self._state)
        os.close(self._file)

    def _let_go(self) -> None:
        with contextlib.suppress(OSError):
            (self.path / ".spare").unlink()


def _write(file: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(file, left):]


@contextlib.contextmanager
def _locked(store: Path) -> Iterator[None]:
    """With the store's lock, or without it where the file system has none or another program holds it for seconds."""
    file = os.open(store / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        late = time.monotonic() + _LOCK_SECONDS
        while time.monotonic() < late:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                break
        yield
    finally:
        os.close(file)


def _next_number(store: Path) -> int:
    """Above all that were given, and above those of the folders there are (core/runs/run_numbers)."""
    with contextlib.suppress(OSError, ValueError):
        given = int((store / "last-number").read_text()[:64])
        return max(0, given) + 1
    numbers = [0]
    for state in (store / "runs").glob("[!.]*/state.json"):
        with contextlib.suppress(OSError):
            found = re.search(r'"number": *(\d+)', state.read_text(errors="replace")[:4096])
            numbers.append(int(found[1]) if found else 0)
    return max(number for number in numbers if number <= _MOST_BELIEVED_NUMBER) + 1
