"""The tables of docs/own-networks.md that programs write, and what they say of differences."""

from __future__ import annotations

from pathlib import Path
from statistics import median

PAGE = Path(__file__).resolve().parents[2] / "docs/own-networks.md"


def write(begin: str, end: str, text: str) -> None:
    """Puts the text between the two marks, which are lines of the page."""
    before, _, rest = PAGE.read_text().partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(before + begin + text + end + after)


def differences(found: list[float], digits: int) -> str:
    """The median and the largest of relative differences, without signs."""
    sizes = [abs(each) for each in found]
    return f"median {median(sizes):.{digits}%}, largest {max(sizes):.{digits}%}"
