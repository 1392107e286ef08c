"""``flambeau parity``: trains a small GPT and compares every step, bit for bit, with a run of PyTorch.

The run is a recorded one (recorded.json, made by tools/record_parity.py from PyTorch 2.13.0), so PyTorch need not be
installed; with ``--live``, the PyTorch of this environment runs beside it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

DROPOUTS = {"plain": 0.0, "dropout": 0.2}


def recorded(profile: str, threads: int, kind: str) -> list[dict] | None:
    """The records of PyTorch's run, or None where there is none for this profile and thread count."""
    table = json.loads((Path(__file__).parent / "recorded.json").read_text())
    key = table["runs"].get(f"{profile},threads={threads},{kind}")
    return None if key is None else unpack(table["records"][key])


def pack(records: list[dict]) -> list:
    """The compact form in recorded.json: floats as hex, one list a step."""
    first, *steps, last = records
    rows = [[s["loss"].hex(), s["norm"].hex(), s["gradients"], s["weights"]] for s in steps]
    return [first["weights"], steps[0]["gradients by name"], rows, last["text"]]


def unpack(packed: list) -> list[dict]:
    weights, gradients, rows, text = packed
    records: list[dict] = [{"step": -1, "weights": weights}]
    for step, (loss, norm, grads, after) in enumerate(rows):
        record = {
            "step": step,
            "loss": float.fromhex(loss),
            "norm": float.fromhex(norm),
            "gradients": grads,
            "weights": after,
        }
        if step == 0:
            record["gradients by name"] = gradients
        records.append(record)
    records.append({"step": len(rows), "text": text})
    return records


def first_difference(ours: dict, theirs: dict) -> str:
    """What differs first in one step, in the order of computation; '' when nothing does."""
    for key in (
        ("weights",) if ours["step"] < 0 else ("loss", "gradients by name", "gradients", "norm", "weights", "text")
    ):
        a, b = ours.get(key), theirs.get(key)
        if a == b or a is None or b is None:
            continue
        if isinstance(a, dict):
            name = next(n for n in b if a.get(n) != b[n])
            return f"{'initial weight' if ours['step'] < 0 else 'gradient'} {name}"
        words = {
            "gradients": "gradients (backward)",
            "norm": "clip_grad_norm_",
            "weights": "weights (AdamW step)",
            "text": "the generated text",
        }
        values = f": {a!r} here, {b!r} in PyTorch" if key in ("loss", "norm") else ""
        return words.get(key, key) + values
    return ""


def live(profile: str, threads: int, kind: str, steps: int) -> list[dict]:
    """The same run under the PyTorch of this environment, in a process of its own."""
    import subprocess

    code = (
        "import json, sys, torch; sys.path.insert(0, sys.argv[1]); import model; "
        "torch.set_num_threads(int(sys.argv[2])); "
        "print(json.dumps(list(model.train(torch, int(sys.argv[3]), float(sys.argv[4])))))"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(threads), str(steps), str(DROPOUTS[kind])]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"parity: PyTorch could not run here: {result.stderr.strip().splitlines()[-1]}")
    return json.loads(result.stdout)


def run(kind: str, expected: list[dict], steps: int, show) -> tuple[int, str]:
    """Train here and compare; returns how many steps were identical and the first difference ('' for none)."""
    import flambeau
    from flambeau.parity import model

    same = 0
    theirs = {record["step"]: record for record in expected}
    for record in model.train(flambeau, steps, DROPOUTS[kind]):
        difference = first_difference(record, theirs[record["step"]]) if record["step"] in theirs else ""
        if difference:
            where = "before the first step" if record["step"] < 0 else f"in step {record['step']}"
            return same, f"{difference} {where}"
        if 0 <= record["step"] < steps:
            same += 1
            show(same, record["loss"])
    return same, ""


def main(argv: list[str] | None = None) -> int:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    from flambeau import numerics

    parser = ArgumentParser(prog="flambeau parity", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--profile", default="auto", help="a numerics profile, such as torch2.13/intel-avx512")
    parser.add_argument("--threads", type=int, help="logical threads of the profile")
    parser.add_argument("--live", action="store_true", help="compare with the PyTorch installed here")
    options = parser.parse_args(argv)
    chosen = numerics.use(options.profile, threads=options.threads)
    with chosen as profile:
        total = identical = 0
        for kind in DROPOUTS:
            if options.live:
                expected = live(profile.name, profile.threads, kind, options.steps)
                steps = options.steps
            else:
                found = recorded(profile.name, profile.threads, kind)
                if found is None:
                    print(
                        f"parity: no recorded PyTorch run for {profile!r}; "
                        "try --threads 1, or --live with PyTorch installed"
                    )
                    return 2
                expected = found
                steps = min(options.steps, len(expected) - 2)
                if steps < len(expected) - 2:
                    expected = expected[:-1]
            same, difference = run(kind, expected, steps, _shower(kind, steps))
            print(
                f"\r{kind:<8} {same} of {steps} steps identical to PyTorch"
                f"{': first difference: ' + difference if difference else ''}"
            )
            total += steps
            identical += same
            failed = bool(difference)
            if failed:
                break
    source = "PyTorch running beside it" if options.live else "PyTorch 2.13.0's recorded run"
    if identical == total and not failed:
        print(
            f"Flambeau trained a GPT for {total} steps, dropout off and on, with every initial weight, loss, "
            f"gradient and updated weight bit-identical to {source} ({profile!r})."
        )
        return 0
    print(f"NOT identical to {source} ({profile!r}): {difference}")
    return 1


def _shower(kind: str, steps: int):
    def show(same: int, loss: float) -> None:
        if sys.stdout.isatty():
            bar = "#" * (30 * same // steps)
            print(f"\r{kind:<8} [{bar:<30}] {same}/{steps} identical, loss {loss:.4f}", end="", flush=True)

    return show
