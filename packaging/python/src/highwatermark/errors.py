"""What can go wrong and is the user's to know: each error's text is made of plain lines."""

from __future__ import annotations


class HighwaterError(Exception):
    """Bad input, or something that is missing; the text is one line."""


class Unsupported(HighwaterError):
    """The network has parts that an experiment file cannot say. `lines`: one a kind, with where it is first met."""

    def __init__(self, lines: list[str]):
        super().__init__("\n".join(lines))
        self.lines = lines
