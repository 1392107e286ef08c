"""What a library costs before it computes: time to import it, and memory after that. Each run is a new process.

python benchmarks/startup.py [--rounds N]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys

CODE = """
import json, sys, time
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
before, started = resident(), time.perf_counter()
import {library}
print(json.dumps([1000 * (time.perf_counter() - started), (resident() - before) / 1024]))
"""


def once(library: str) -> tuple[float, float]:
    """Milliseconds and MiB of one import."""
    command = [sys.executable, "-c", CODE.format(library=library)]
    return tuple(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def measure(libraries: list[str], rounds: int = 7) -> dict[str, tuple[float, float]]:
    """Medians of interleaved rounds; the first round only warms the file cache."""
    runs = [[once(library) for library in libraries] for _ in range(rounds + 1)][1:]
    return {
        library: tuple(statistics.median(run[index][what] for run in runs) for what in (0, 1))
        for index, library in enumerate(libraries)
    }


def installed() -> list[str]:
    return [name for name in ("flambeau", "torch") if importlib.util.find_spec(name)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    for library, (milliseconds, mebibytes) in measure(installed(), parser.parse_args().rounds).items():
        print(f"import {library:<9} {milliseconds:8.1f} ms {mebibytes:8.1f} MiB")


if __name__ == "__main__":
    main()
