"""Runs a script under real PyTorch as another machine would compute it.

    python tools/torch_as.py --profile intel-avx2 --threads 4 script.py args...
    python tools/torch_as.py --list                     # what this machine can reach

ATen and oneDNN choose their instruction set by environment variables. MKL asks the processor's maker: a preloaded
library of three lines answers for it (1: Intel's code; 0: the code for others). A machine without AVX-512 can't be
made to have it, and that is said plainly.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROFILES = {
    # name: (ATen, oneDNN, MKL thinks the processor is Intel's, MKL's instruction set)
    "amd-avx512": ("avx512", "AVX512_CORE", 0, None),
    "amd-avx2": ("avx2", "AVX2", 0, None),
    "intel-avx512": ("avx512", "AVX512_CORE", 1, None),
    "intel-avx2": ("avx2", "AVX2", 1, "AVX2"),
}
ANSWER = "int mkl_serv_intel_cpu_true(void) { return %d; }\n"
RUNNER = """
import runpy, sys
import torch
threads = int(sys.argv[1])
if threads:
    torch.set_num_threads(threads)
sys.argv = sys.argv[2:]
sys.path[0] = __import__("os").path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def cpu_flags() -> set[str]:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                return set(line.split())
    except OSError:
        pass
    return set()


def obstacle(profile: str) -> str | None:
    """Why this machine can't reach a profile; None if it can."""
    flags = cpu_flags()
    if not flags >= {"avx2", "fma"}:
        return "this processor has no AVX2"
    if "avx512" in profile and not flags >= {"avx512f", "avx512bw", "avx512dq", "avx512vl"}:
        return "this processor has no AVX-512"
    return None


def answer_library(value: int) -> Path:
    """The preloaded library, compiled once a user."""
    folder = Path(tempfile.gettempdir()) / f"flambeau-torch-as-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"answer{value}.so"
    if not library.exists():
        source = folder / f"answer{value}.c"
        source.write_text(ANSWER % value)
        compiler = os.environ.get("CC", "cc")
        partial = library.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(partial), str(source)], check=True)
        partial.replace(library)
    return library


def environment(profile: str) -> dict[str, str]:
    """The variables under which a new PyTorch process computes as `profile`."""
    reason = obstacle(profile)
    if reason:
        raise SystemExit(f"torch_as: {profile} can't be reached here: {reason}")
    aten, onednn, intel, mkl = PROFILES[profile]
    env = dict(os.environ, ATEN_CPU_CAPABILITY=aten, ONEDNN_MAX_CPU_ISA=onednn)
    env["LD_PRELOAD"] = " ".join(filter(None, [env.get("LD_PRELOAD"), str(answer_library(intel))]))
    for name in ("MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR", "MKL_DEBUG_CPU_TYPE"):
        env.pop(name, None)
    if mkl:
        env["MKL_ENABLE_INSTRUCTIONS"] = mkl
    return env


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("--threads", type=int, default=0, help="by torch.set_num_threads; default: as PyTorch starts")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("script", nargs="?")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.list:
        for profile in PROFILES:
            print(f"{profile:<13} {obstacle(profile) or 'reachable'}")
        return 0
    if not options.profile or not options.script:
        parser.error("name a profile and a script")
    command = [sys.executable, "-c", RUNNER, str(options.threads), options.script, *options.args]
    return subprocess.call(command, env=environment(options.profile))


if __name__ == "__main__":
    sys.exit(main())
