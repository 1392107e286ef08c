"""Every case of tests/reference against the bits recorded from PyTorch, under every recorded profile; no PyTorch here.

What is only close is listed in reference/close.json (tools/write_evidence.py): an exact case that stops being exact
fails, a close one that became exact is reported.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from reference import compare, golden  # noqa: E402
from reference.cases import TABLE  # noqa: E402

RECORDED = golden.read()
RUNS = sorted({run for runs in RECORDED.values() for run in runs})
CLOSE = compare.known_close()


@pytest.fixture(scope="module")
def summary(request):
    """Lines for the terminal, told at the end whether or not output is captured."""
    lines: list[str] = []
    yield lines
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(lines))


def allowed(name: str, profile: str, threads: int) -> list[int]:
    entry = CLOSE.get(name, {}).get(profile, {})
    return entry["outputs"] if threads in entry.get("threads", ()) else []


@pytest.mark.parametrize("profile, threads", RUNS)
def test_same_bits_as_recorded(profile, threads, summary):
    found = compare.differences(profile, threads, RECORDED)
    operators: dict[str, bool] = {}
    for name, places in found.items():
        for operator in TABLE[name].operators:
            operators[operator] = operators.get(operator, True) and not places
    exact = sum(not places for places in found.values())
    summary.append(
        f"{profile}, threads={threads}: {exact} of {len(found)} cases and {sum(operators.values())} of "
        f"{len(operators)} operators exact"
    )
    became = [name for name, places in found.items() if not places and allowed(name, profile, threads)]
    if became:
        summary.append(f"  now exact, listed as close (run tools/write_evidence.py): {', '.join(became)}")
    broken = {n: sorted(set(p) - set(allowed(n, profile, threads))) for n, p in found.items()}
    broken = {name: places for name, places in broken.items() if places}
    assert not broken, f"no longer PyTorch's bits under {profile}, threads={threads}: {{case: outputs}} = {broken}"


def test_every_case_is_recorded():
    assert sorted(TABLE) == sorted(RECORDED), "run tools/record_golden.py"


def test_every_close_case_is_a_case():
    assert set(CLOSE) <= set(TABLE)
