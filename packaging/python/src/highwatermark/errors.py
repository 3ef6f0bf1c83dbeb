"""Errors to be shown to the user. The text of each consists of plain lines."""

from __future__ import annotations


class HighwaterError(Exception):
    """Bad input, or something is missing. The text is one line."""


class Unsupported(HighwaterError):
    """The network has parts that an experiment file cannot represent. `lines`: one for each kind, with its first occurrence."""

    def __init__(self, lines: list[str]):
        super().__init__("\n".join(lines))
        self.lines = lines
