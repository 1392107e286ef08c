"""Records PyTorch's run of the parity check under every profile this machine can reach.

    python tools/record_parity.py [--steps 60] [--threads 1,2]

Needs PyTorch 2.13.0 in this environment; writes src/flambeau/parity/recorded.json. Runs that are bit-identical are
stored once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

from torch_as import PROFILES, environment, obstacle

ROOT = Path(__file__).parent.parent
PARITY = ROOT / "src/flambeau/parity"
CODE = """
import json, sys, torch
sys.path.insert(0, sys.argv[1])
import model
torch.set_num_threads(int(sys.argv[2]))
print(torch.__version__)
print(json.dumps(list(model.train(torch, int(sys.argv[3]), float(sys.argv[4])))))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", default="1,2,3,4,8")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "src"))
    from importlib.util import module_from_spec, spec_from_file_location

    # The package itself is not imported: it may not be built.
    spec = spec_from_file_location("parity", PARITY / "__init__.py")
    parity = module_from_spec(spec)
    spec.loader.exec_module(parity)
    runs, records, release = {}, {}, ""
    for profile in PROFILES:
        if reason := obstacle(profile):
            print(f"{profile}: not reachable: {reason}")
            continue
        for threads in map(int, options.threads.split(",")):
            for kind, dropout in parity.DROPOUTS.items():
                command = [sys.executable, "-c", CODE, str(PARITY), str(threads), str(options.steps), str(dropout)]
                out = subprocess.run(command, env=environment(profile), capture_output=True, text=True, check=True)
                release, body = out.stdout.splitlines()
                packed = parity.pack(json.loads(body))
                key = hashlib.sha256(json.dumps(packed).encode()).hexdigest()[:8]
                records[key] = packed
                runs[f"torch2.13/{profile},threads={threads},{kind}"] = key
                print(f"{profile} threads={threads} {kind}: {key}", flush=True)
    made = f"made by tools/record_parity.py from PyTorch {release}"
    (PARITY / "recorded.json").write_text(
        json.dumps({"about": made, "runs": runs, "records": records}, indent=0) + "\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
