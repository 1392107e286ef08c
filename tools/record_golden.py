"""Records real PyTorch on the cases of tests/reference, under every profile this machine can reach.

    python tools/record_golden.py [--threads 1,2,3,4,8] [--only NAME ...]

Needs PyTorch 2.13.0 in this environment; writes tests/reference/golden.json. Of each output the first characters of a
hash are kept, of outputs with few elements the values; results that many runs share are stored once. Profiles out of
this machine's reach keep what was recorded elsewhere. `--only` records just these cases and keeps the others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from torch_as import PROFILES, environment, obstacle

ROOT = Path(__file__).parent.parent
CODE = """
import json, sys, warnings
import torch
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from reference import cases
torch.set_num_threads(int(sys.argv[2]))
wanted = sys.argv[3:] or cases.TABLE
print(torch.__version__)
print(json.dumps({n: [cases.digest(t) for t in cases.run(torch, cases.TABLE[n])] for n in wanted}))
"""


def record(profile: str, threads: int, only: list[str]) -> tuple[str, dict]:
    command = [sys.executable, "-c", CODE, str(ROOT / "tests"), str(threads), *only]
    out = subprocess.run(command, env=environment(profile), stdout=subprocess.PIPE, text=True, check=True)
    release, body = out.stdout.splitlines()
    return release, json.loads(body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2,3,4,8")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    from reference import golden
    from reference.cases import TABLE

    cases = {name: runs for name, runs in golden.read().items() if name in TABLE}
    release = ""
    for profile in PROFILES:
        if reason := obstacle(profile):
            print(f"{profile}: not reachable: {reason}")
            continue
        for threads in map(int, options.threads.split(",")):
            release, results = record(profile, threads, options.only)
            for name, result in results.items():
                cases.setdefault(name, {})[profile, threads] = result
            print(f"{profile} threads={threads}: {len(results)} cases", flush=True)
    golden.write(f"made by tools/record_golden.py from PyTorch {release}", cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
