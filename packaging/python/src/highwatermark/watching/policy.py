"""Which steps are traced."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TracePolicy:
    """Which steps are traced: "first", "worst" (a step whose peak is the highest so far), and every Nth step."""

    first: bool = True
    worst: bool = True
    every: int = 0
    also: frozenset[int] = frozenset()  # these steps, whatever they cost
    sampled: tuple[int, ...] = (1, 2, 3)  # steps whose modules are timed although they are not traced, and every 64th

    @staticmethod
    def parse(text: str) -> "TracePolicy":
        first = worst = False
        every = 0
        for word in filter(None, (word.strip() for word in text.split(","))):
            if word in ("first", "worst"):
                first, worst = first or word == "first", worst or word == "worst"
            elif word.isdecimal() and int(word) > 0:
                every = int(word)
            elif word != "none":
                raise ValueError(f'trace: "{word}" is none of first, worst, none, or a number of steps such as 100')
        return TracePolicy(first, worst, every)
