"""Runs the cases in Flambeau under one recorded profile, and says which outputs differ from PyTorch's."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from reference import golden
from reference.cases import TABLE, digest, run

CLOSE = Path(__file__).parent / "close.json"


def differences(profile: str, threads: int, recorded: dict) -> dict[str, list[int]]:
    """For every case recorded under the run: the places of the outputs that differ."""
    import flambeau
    from flambeau import numerics

    found = {}
    with numerics.use(profile, threads=threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, runs in recorded.items():
            if (profile, threads) in runs:
                ours = [digest(t) for t in run(flambeau, TABLE[name])]
                found[name] = golden.differing(runs[profile, threads], ours)
    return found


def known_close() -> dict[str, dict[str, dict]]:
    """Case, profile: {"threads": the counts that differ, "outputs": the places that do}. Made by write_evidence.py."""
    return json.loads(CLOSE.read_text())["close"]
