"""Runs the recorded cases in Flambeau and writes down which operators are exact under which profile.

    python tools/write_evidence.py

Needs Flambeau built, not PyTorch. Writes tests/reference/close.json, the cases that are only close, for the tests; and
src/flambeau/numerics/evidence.json, the operators, for numerics.status and strict mode.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EVIDENCE = ROOT / "src/flambeau/numerics/evidence.json"
MADE = "made by tools/write_evidence.py from tests/reference/golden.json"


def main() -> int:
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    from reference import compare, golden
    from reference.cases import TABLE

    recorded = golden.read()
    close: dict[str, dict] = {}
    operators: dict[str, dict] = {}
    for profile, threads in sorted({run for runs in recorded.values() for run in runs}):
        found = compare.differences(profile, threads, recorded)
        for name, places in found.items():
            if places:
                entry = close.setdefault(name, {}).setdefault(profile, {"threads": [], "outputs": []})
                entry["threads"].append(threads)
                entry["outputs"] = sorted({*entry["outputs"], *places})
            for operator in TABLE[name].operators:
                counts = operators.setdefault(operator, {}).setdefault(profile, {}).setdefault(str(threads), [0, 0])
                counts[0] += not places
                counts[1] += 1
        exact = sum(not places for places in found.values())
        print(f"{profile} threads={threads}: {exact} of {len(found)} cases exact", flush=True)
    compare.CLOSE.write_text(golden.document(MADE, close=close))
    about = f"{MADE}; operator: profile: [cases, thread counts all exact, thread counts not]"
    packed = {name: {p: pack(counts) for p, counts in runs.items()} for name, runs in operators.items()}
    EVIDENCE.write_text(golden.document(about, operators=packed))
    return 0


def pack(counts: dict[str, list[int]]) -> list:
    exact = [int(threads) for threads, (good, cases) in counts.items() if good == cases]
    close = [int(threads) for threads, (good, cases) in counts.items() if good < cases]
    return [max(cases for _, cases in counts.values()), exact, close]


if __name__ == "__main__":
    sys.exit(main())
