"""The recorded bits: golden.json, read and written.

A case has one entry for every result that differs: the profiles and thread counts that give it, and its outputs; after
the first entry only those outputs that differ from the first one's.
"""

from __future__ import annotations

import json
from pathlib import Path

PATH = Path(__file__).parent / "golden.json"

Run = tuple[str, int]  # profile, threads


def same(a, b) -> bool:
    """As text: a NaN equals itself, and -0.0 is not 0.0."""
    return json.dumps(a) == json.dumps(b)


def differing(a: list, b: list) -> list[int]:
    """The places of the outputs that differ; all of them where their number does."""
    if len(a) != len(b):
        return list(range(max(len(a), len(b))))
    return [i for i, (x, y) in enumerate(zip(a, b)) if not same(x, y)]


def read() -> dict[str, dict[Run, list]]:
    """For every case what each run gave."""
    if not PATH.exists():
        return {}
    cases = {}
    for name, entries in json.loads(PATH.read_text())["cases"].items():
        first, runs = entries[0]["outputs"], {}
        for entry in entries:
            outputs = list(first)
            for place, value in entry.get("changed", {}).items():
                outputs[int(place)] = value
            runs.update({(p, t): outputs for p, threads in entry["runs"].items() for t in threads})
        cases[name] = runs
    return cases


def entries(runs: dict[Run, list]) -> list[dict]:
    distinct: list[tuple[list, dict]] = []
    for (profile, threads), outputs in sorted(runs.items()):
        where = next((where for known, where in distinct if same(known, outputs)), None)
        if where is None:
            distinct.append((outputs, where := {}))
        where.setdefault(profile, []).append(threads)
    (first, where), *others = distinct
    return [{"runs": where, "outputs": first}] + [
        {"runs": where, "changed": {str(i): outputs[i] for i in differing(first, outputs)}} for outputs, where in others
    ]


def write(about: str, cases: dict[str, dict[Run, list]]) -> None:
    PATH.write_text(document(about, cases={name: entries(runs) for name, runs in cases.items()}))


def document(about: str, **tables: dict) -> str:
    """JSON, sorted, an entry a line; the first line says how it was made."""
    text = f'{{"about": {json.dumps(about)}'
    for name, table in tables.items():
        lines = [f"{json.dumps(key)}: {json.dumps(table[key], separators=(',', ':'))}" for key in sorted(table)]
        text += f',\n"{name}": {{\n' + ",\n".join(lines) + "\n}"
    return text + "}\n"
