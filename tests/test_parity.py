"""The small GPT's recorded PyTorch runs, step by step, under every profile and thread count that was recorded."""

import json
from pathlib import Path

import pytest

import flambeau
from flambeau import parity

TABLE = json.loads((Path(parity.__file__).parent / "recorded.json").read_text())
# What is known to differ: MKL's order for two threads without AVX-512 is only partly known.
OPEN = {"torch2.13/intel-avx2,threads=2"}
STEPS = 8


@pytest.mark.parametrize("run", sorted(TABLE["runs"]))
def test_every_recorded_run_is_reproduced(run):
    profile, _, rest = run.partition(",threads=")
    threads, _, kind = rest.partition(",")
    expected = parity.recorded(profile, int(threads), kind)
    before = flambeau.random.get_rng_state()
    try:
        with flambeau.numerics.use(profile, threads=int(threads)):
            same, difference = parity.run(kind, expected[:-1], STEPS, lambda *_: None)
    finally:
        flambeau.random.set_rng_state(before)
    if f"{profile},threads={threads}" in OPEN and difference:
        pytest.xfail(f"open: {difference}")
    assert (same, difference) == (STEPS, "")


def test_a_difference_is_named():
    key = TABLE["runs"]["torch2.13/amd-avx512,threads=1,plain"]
    expected = parity.unpack(TABLE["records"][key])
    expected[3]["loss"] += 1e-7
    with flambeau.numerics.use("torch2.13/amd-avx512", threads=1):
        same, difference = parity.run("plain", expected, STEPS, lambda *_: None)
    assert same == 2 and difference.startswith("loss: ") and difference.endswith("in step 2")
    expected[0]["weights"]["norm.weight"] = "0"
    with flambeau.numerics.use("torch2.13/amd-avx512", threads=1):
        assert parity.run("plain", expected, STEPS, lambda *_: None) == (0, "initial weight norm.weight before the first step")


def test_packing_keeps_everything():
    for packed in TABLE["records"].values():
        assert parity.pack(parity.unpack(packed)) == packed
