"""Times one case in several libraries, in interleaved rounds: what slows the machine slows all. The fastest counts."""

from __future__ import annotations

import timeit

from cases import Case


def calls_in(run, seconds: float) -> int:
    """How often a function runs in about that time."""
    timer, number = timeit.Timer(run), 1
    while (taken := timer.timeit(number)) < seconds / 4:
        number = max(2 * number, int(number * seconds / 4 / max(taken, 1e-9)))
    return max(1, int(number * seconds / taken))


def fastest(case: Case, libraries: list, rounds: int = 7, seconds: float = 0.02) -> list[float]:
    """Seconds a call, library by library."""
    runs = [case(library) for library in libraries]
    numbers = [calls_in(run, seconds) for run in runs]
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for index, (run, number) in enumerate(zip(runs, numbers)):
            best[index] = min(best[index], timeit.timeit(run, number=number) / number)
    return best
