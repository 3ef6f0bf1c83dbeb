"""Writes trace.db, the file of a run's allocations (docs/trace-format.md), from its traced steps."""

from __future__ import annotations

import array
import sqlite3
import struct
from pathlib import Path
from typing import Sequence

from .tracing import CATEGORIES, PHASES, UNKNOWN, StepTrace, phase_at

_MOST_EVENTS = 65536  # of a row
_MOST_NAMES = 32767
_LIVE = struct.Struct("<IqqihBB")
_ALLOCATE, _FREE = 0, 2
_TABLES = (
    "CREATE TABLE events (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, time INTEGER NOT NULL, "
    "first_block INTEGER NOT NULL, block_count INTEGER NOT NULL, input INTEGER NOT NULL, "
    "parameters INTEGER NOT NULL, optimizer_state INTEGER NOT NULL, gradients INTEGER NOT NULL, "
    "activations INTEGER NOT NULL, workspace INTEGER NOT NULL, temporaries INTEGER NOT NULL, "
    "highest INTEGER NOT NULL, live BLOB NOT NULL, times BLOB NOT NULL, blocks BLOB NOT NULL, "
    "layers BLOB NOT NULL, what BLOB NOT NULL, block_bytes BLOB NOT NULL, block_reserved BLOB NOT NULL, "
    "block_labels BLOB NOT NULL)",
    "CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE layers (number INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE meta (schema INTEGER NOT NULL, complete INTEGER NOT NULL, peak_bytes INTEGER NOT NULL, "
    "peak_event INTEGER NOT NULL, note TEXT NOT NULL)",
    "CREATE TABLE steps (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, event INTEGER NOT NULL)",
)


class _Row:
    """Events that begin at the same ledger, column by column."""

    def __init__(self, first: int, first_block: int, time: int, ledger: list[int], live: bytes):
        self.first, self.first_block, self.time, self.live = first, first_block, time, live
        self.ledger, self.highest = list(ledger), sum(ledger)
        self.times, self.blocks = array.array("I"), array.array("I")
        self.layers, self.what = array.array("h"), array.array("B")
        self.bytes, self.labels = array.array("q"), array.array("i")

    def values(self) -> tuple:
        sizes = self.bytes.tobytes()
        return (self.first, len(self.what), self.time, self.first_block, len(self.bytes), *self.ledger, self.highest, self.live,
                *(column.tobytes() for column in (self.times, self.blocks, self.layers, self.what)), sizes, sizes,
                self.labels.tobytes())


class _Writer:
    """Events, one after another, with the blocks that are alive."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.rows: list[_Row] = []
        self.alive: dict[int, tuple[int, str, int, int]] = {}  # number: bytes, category, label, layer
        self.ledger = [0] * len(CATEGORIES)
        self.events = self.blocks = self.last = 0
        self.peak, self.peak_event = 0, -1

    def label(self, name: str) -> int:
        if name not in self.names and len(self.names) >= _MOST_NAMES:
            return -1
        return self.names.setdefault(name, len(self.names))

    def begin_with(self, blocks: Sequence[tuple[int, str, int, int]]) -> None:
        """What is alive before the first event."""
        for block in blocks:
            self.alive[self.blocks] = block
            self.ledger[CATEGORIES.index(block[1])] += block[0]
            self.blocks += 1
        self.peak = sum(self.ledger)

    def allocate(self, time: int, block: tuple[int, str, int, int], phase: str) -> int:
        row = self._row(time)
        number, self.blocks = self.blocks, self.blocks + 1
        row.bytes.append(block[0])
        row.labels.append(block[2])
        self.alive[number] = block
        self._event(row, time, _ALLOCATE, number, block, phase, block[0])
        return number

    def free(self, time: int, number: int, phase: str) -> None:
        block = self.alive.pop(number)
        self._event(self._row(time), time, _FREE, number, block, phase, -block[0])

    def _row(self, time: int) -> _Row:
        if not self.rows or len(self.rows[-1].what) >= _MOST_EVENTS or time - self.last > 0xffffffff:
            live = b"".join(_LIVE.pack(number, size, size, label, layer, CATEGORIES.index(category), 0)
                            for number, (size, category, label, layer) in sorted(self.alive.items()))
            self.rows.append(_Row(self.events, self.blocks, time, self.ledger, live))
            self.last = time
        return self.rows[-1]

    def _event(self, row: _Row, time: int, kind: int, number: int, block: tuple[int, str, int, int], phase: str, change: int) -> None:
        category = CATEGORIES.index(block[1])
        row.times.append(max(0, time - self.last) if row.what else 0)
        row.blocks.append(number)
        row.layers.append(block[3])
        row.what.append(kind + 4 * category + 32 * PHASES.index(phase))
        self.ledger[category] += change
        self.last = max(self.last, time)
        total = sum(self.ledger)
        row.highest = max(row.highest, total)
        if total > self.peak:
            self.peak, self.peak_event = total, self.events
        self.events += 1


def write_trace(path: Path, traces: Sequence[StepTrace], layers: Sequence[str], note: str) -> None:
    """All traced steps in one file, in their order. Between two of them, what was freed is freed and what was allocated is
    allocated at the moment the later one begins."""
    writer = _Writer()
    zero = traces[0].context.begin
    steps: list[tuple[int, int, int]] = []
    numbers: dict[tuple[int, int], int] = {}  # address and bytes of what is alive at the end of the last step
    for trace in traces:
        described = [(block.bytes, block.category, writer.label(block.label or UNKNOWN), min(block.module, _MOST_NAMES - 1))
                     for block in trace.blocks]
        begin = trace.context.begin - zero
        here: dict[int, int] = {}
        if not steps:
            writer.begin_with(described[:trace.baseline])
            here = {number: number for number in range(trace.baseline)}
            steps.append((0, trace.context.index, 0))
        else:
            steps.append((len(steps), trace.context.index, writer.events))
            known = {}
            for number in range(trace.baseline):
                block = trace.blocks[number]
                kept = numbers.pop((block.address, block.bytes), None)
                if kept is not None:
                    known[number] = kept
            for number in numbers.values():
                writer.free(begin, number, "setup")
            for number in range(trace.baseline):
                here[number] = known[number] if number in known else writer.allocate(begin, described[number], "setup")
        for time, allocates, number in trace.events:
            phase = phase_at(trace.context, time)
            if allocates:
                here[number] = writer.allocate(time - zero, described[number], phase)
            else:
                writer.free(time - zero, here.pop(number), phase)
        numbers = {(trace.blocks[number].address, trace.blocks[number].bytes): mine for number, mine in here.items()}
    _store(path, writer, layers, steps, note)


def _store(path: Path, writer: _Writer, layers: Sequence[str], steps: Sequence[tuple[int, int, int]], note: str) -> None:
    part = path.with_name(f".{path.name}")
    part.unlink(missing_ok=True)
    database = sqlite3.connect(part)
    try:
        database.execute("PRAGMA page_size = 16384")
        database.execute("PRAGMA journal_mode = OFF")
        for table in _TABLES:
            database.execute(table)
        database.executemany("INSERT INTO layers VALUES (?, ?)", list(enumerate(layers[:_MOST_NAMES])))
        database.executemany("INSERT INTO labels VALUES (?, ?)", [(number, name) for name, number in writer.names.items()])
        database.executemany("INSERT INTO steps VALUES (?, ?, ?)", [step for step in steps if step[2] < max(1, writer.events)])
        database.executemany(f"INSERT INTO events VALUES ({','.join('?' * 21)})", [row.values() for row in writer.rows])
        database.execute("INSERT INTO meta VALUES (1, ?, ?, ?, ?)", (0 if note else 1, writer.peak, writer.peak_event, note))
        database.commit()
    finally:
        database.close()
    part.replace(path)
