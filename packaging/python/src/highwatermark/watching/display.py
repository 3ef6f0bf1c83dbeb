"""What a notebook shows of a watch: the peak of each step by category as SVG, and the figures as a table."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any, Optional

from ..program import format_bytes
from .tracing import CATEGORIES

_COLOURS = {"input": "#7f8798", "parameters": "#6f9c45", "optimizer_state": "#2c9a8b", "gradients": "#a857cb", "activations": "#4f7fe8",
            "workspace": "#d27f1f", "temporaries": "#e9c23f"}  # as in the window and in reports
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 200, 64, 18
_MOST_STEPS = 400


def html(watch: Any) -> str:
    """For _repr_html_: what is on disk by now."""
    if watch.folder is None:
        return f"<p>Not recorded: {escape(watch.problem)}</p>"
    steps, ledger, device = _read(watch.folder)
    head = f"<b>run {watch.number}</b> · {escape(device)} · {len(steps)} steps"
    if not steps:
        return f"<p>{head}</p>"
    return f"<div>{head}<br>{svg(steps)}{_table(steps, ledger)}</div>"


def _read(folder: Path) -> tuple[list[dict[str, Any]], dict[str, int], str]:
    steps, ledger, device = [], {}, ""
    try:
        with open(folder / "events.jsonl", encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue  # the last line may be half written
                kind = event.get("event")
                if kind == "step":
                    steps.append(event)
                elif kind == "ledger":
                    ledger = event["bytes"]
                elif kind == "started":
                    device = event["device"]
    except OSError:
        pass
    return steps, ledger, device


def svg(steps: list[dict[str, Any]]) -> str:
    """The peaks of steps, stacked by category; of many steps, the highest of equal spans."""
    shown = steps
    if len(steps) > _MOST_STEPS:
        size = -(-len(steps) // _MOST_STEPS)
        shown = [max(steps[at:at + size], key=lambda step: sum(step["peak"]["bytes"].values())) for at in range(0, len(steps), size)]
    tallest = max(1, max(sum(step["peak"]["bytes"].values()) for step in shown))
    width, height = (_WIDTH - _LEFT) / len(shown), _HEIGHT - _BOTTOM - 8
    parts = []
    floors = [0] * len(shown)
    for category in CATEGORIES:
        sizes = [step["peak"]["bytes"].get(category, 0) for step in shown]
        if not any(sizes):
            continue
        lower = [(_x(at, width), _y(floor, tallest, height)) for at, floor in enumerate(floors)]
        floors = [floor + size for floor, size in zip(floors, sizes)]
        upper = [(_x(at, width), _y(floor, tallest, height)) for at, floor in enumerate(floors)]
        outline = [point for x, y in upper for point in ((x, y), (x + width, y))]
        outline += [point for x, y in reversed(lower) for point in ((x + width, y), (x, y))]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
        parts.append(f'<polygon points="{points}" fill="{_COLOURS[category]}"><title>{category}</title></polygon>')
    for share in (0, 0.5, 1):
        y = _y(share * tallest, tallest, height)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity="0.25"/>'
                     f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{format_bytes(share * tallest)}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 4}">step {shown[0]["index"]}</text>'
                 f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{shown[-1]["index"]}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" font-size="11" '
            f'font-family="sans-serif" fill="currentColor" role="img" aria-label="peak memory of each step">{"".join(parts)}</svg>')


def _x(at: int, width: float) -> float:
    return _LEFT + at * width


def _y(size: float, tallest: int, height: float) -> float:
    return 8 + height * (1 - size / tallest)


def _table(steps: list[dict[str, Any]], ledger: dict[str, int]) -> str:
    highest = max(steps, key=lambda step: sum(step["peak"]["bytes"].values()))
    peak = highest["peak"]["bytes"]
    rows = "".join(f'<tr><td><span style="color:{_COLOURS[category]}">&#9632;</span> {category.replace("_", " ")}</td>'
                   f"<td>{format_bytes(peak.get(category, 0))}</td><td>{format_bytes(ledger.get(category, 0))}</td></tr>"
                   for category in CATEGORIES if peak.get(category) or ledger.get(category))
    total = f"<tr><th>in all</th><th>{format_bytes(sum(peak.values()))}</th><th>{format_bytes(sum(ledger.values()))}</th></tr>"
    growth = next((step["growth"] for step in reversed(steps) if step.get("growth")), [])
    said = "".join(f"<br>{escape(each['sentence'])}" for each in growth)
    return (f'<table><tr><th></th><th>at the peak, in step {highest["index"]}</th><th>after the last step</th></tr>{rows}{total}</table>'
            f"{_facts(steps[-1])}{said}")


def _facts(step: dict[str, Any]) -> str:
    def of(name: str, text: str) -> Optional[str]:
        return text.format(step[name]) if step.get(name) is not None else None

    found = (of("total_ms", "{:.1f} ms a step"), of("loss", "loss {:.4g}"), of("learning_rate", "learning rate {:.3g}"),
             f"the process holds {format_bytes(step['host_memory']['process'])}" if "host_memory" in step else None)
    return escape(" · ".join(text for text in found if text))
