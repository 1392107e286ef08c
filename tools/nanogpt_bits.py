"""Trains an unedited nanoGPT under real PyTorch and under Flambeau and compares every bit.

    python tools/nanogpt_bits.py NANOGPT [--configs char,char-dropout] [--profiles amd-avx512] [--threads 1,2]
                                 [--steps N]

For each configuration, profile and thread count, `train.py` runs twice, with nothing changed but what `torch` means.
Compared: the initial weights, every loss, and after the last step every gradient, weight and optimizer moment; then 200
generated characters. Prints a table: identical steps / steps, or the first thing that differs. Needs the prepared
Shakespeare data in the checkout (data/shakespeare_char/train.bin) and PyTorch 2.13.0 in this environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from torch_as import PROFILES, environment, obstacle

TINY = "--eval_interval=1000000 --eval_iters=1 --log_interval=1 --device=cpu --compile=False --dataset=shakespeare_char"
CHAR = f"{TINY} --n_layer=4 --n_head=4 --n_embd=128 --block_size=64 --batch_size=12 --gradient_accumulation_steps=1"
BABY = f"{TINY} --n_layer=6 --n_head=6 --n_embd=384 --block_size=256 --batch_size=4 --gradient_accumulation_steps=1"
GPT2 = f"{TINY} --n_layer=12 --n_head=12 --n_embd=768 --block_size=64 --batch_size=1 --gradient_accumulation_steps=1"
CONFIGS = {
    # name: (steps, arguments, vocabulary override)
    "char": (500, f"{CHAR} --dropout=0.0", None),
    "char-dropout": (500, f"{CHAR} --dropout=0.2", None),
    "char-bias": (500, f"{CHAR} --dropout=0.0 --bias=True", None),
    "char-bias-dropout": (500, f"{CHAR} --dropout=0.2 --bias=True", None),
    "baby": (50, f"{BABY} --dropout=0.2", None),
    "gpt2": (3, f"{GPT2} --dropout=0.0", 50304),
}

# Runs train.py with AdamW.step and backward listened to: both libraries have them, and nothing of the script changes.
RECORDER = r"""
import hashlib, json, os, sys
library, threads, profile, steps, vocabulary, out = sys.argv[1:7]
if library == "flambeau":
    import flambeau
    flambeau.install()
import torch
torch.set_num_threads(int(threads))
if library == "flambeau":
    flambeau.numerics.use(profile, threads=int(threads))
import numpy as np

def digest(t):
    return hashlib.sha256(np.ascontiguousarray(t.detach().numpy()).tobytes()).hexdigest()

record = {"init": {}, "losses": [], "final": {}}
names = {}
model = None
Module_to = torch.nn.Module.to
def to(self, *args, **kwargs):
    global model
    result = Module_to(self, *args, **kwargs)
    if model is None and hasattr(self, "generate"):
        model = self
        record["init"] = {n: digest(p) for n, p in self.named_parameters()}
    return result
torch.nn.Module.to = to
backward = torch.Tensor.backward
def listen(self, *args, **kwargs):
    record["losses"].append(float(self.detach()).hex())
    return backward(self, *args, **kwargs)
torch.Tensor.backward = listen
AdamW_step = torch.optim.AdamW.step
class Done(Exception):
    pass
def step(self, closure=None):
    last = len(record["losses"]) >= int(steps)
    if last:
        record["final"].update({"grad " + n: digest(p.grad) for n, p in model.named_parameters() if p.grad is not None})
    result = AdamW_step(self, closure)
    if last:
        record["final"].update({"weight " + n: digest(p) for n, p in model.named_parameters()})
        by_tensor = {p: n for n, p in model.named_parameters()}
        for p, state in self.state.items():
            for key, value in state.items():
                if isinstance(value, torch.Tensor):
                    record["final"][key + " " + by_tensor[p]] = digest(value)
        raise Done
    return result
torch.optim.AdamW.step = step
if vocabulary != "None":
    import pickle
    load = pickle.load
    pickle.load = lambda f: dict(load(f), vocab_size=int(vocabulary))
script = os.path.abspath("train.py")
sys.argv = [script, *sys.argv[7:]]
sys.path.insert(0, os.path.dirname(script))
scope = {"__name__": "__main__", "__file__": script}
sys.stdout = open(os.devnull, "w")
try:
    exec(compile(open(script).read(), script, "exec"), scope)
except Done:
    pass
sys.stdout = sys.__stdout__
model.eval()
torch.manual_seed(1337)
with torch.no_grad():
    start = torch.zeros((1, 1), dtype=torch.long)
    length = 200 if vocabulary == "None" else 5
    record["generated"] = model.generate(start, length, temperature=0.8, top_k=200)[0].tolist()
json.dump(record, open(out, "w"))
"""


def record(library: str, checkout: Path, config: str, profile: str, threads: int, steps: int) -> dict:
    arguments, vocabulary = CONFIGS[config][1:]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "record.json"
        script = Path(folder) / "recorder.py"
        script.write_text(RECORDER)
        command = [sys.executable, str(script), library, str(threads), profile, str(steps), str(vocabulary), str(out)]
        command += [*arguments.split(), f"--max_iters={steps + 5}", f"--out_dir={folder}/out"]
        env = environment(profile) if library == "torch" else dict(os.environ)
        result = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"{library} failed on {config}: {result.stderr[-2000:]}")
        return json.loads(out.read_text())


def compare(a: dict, b: dict) -> tuple[int, str]:
    """Identical steps, and the first difference in words ('' when there is none)."""
    for name, value in a["init"].items():
        if b["init"].get(name) != value:
            return 0, f"initial {name}"
    same = 0
    for x, y in zip(a["losses"], b["losses"]):
        if x != y:
            return same, f"loss of step {same}: {float.fromhex(x)} != {float.fromhex(y)}"
        same += 1
    for name, value in a["final"].items():
        if b["final"].get(name) != value:
            return same, f"after the last step: {name}"
    if a["generated"] != b["generated"]:
        return same, "generated text"
    return same, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--configs", default="char,char-dropout,char-bias,baby,gpt2")
    parser.add_argument("--profiles", default="amd-avx512")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--steps", type=int, help="instead of each configuration's own")
    options = parser.parse_args()
    failures = 0
    print(f"{'configuration':<18} {'profile':<13} {'threads':>7}  identical steps")
    for config in options.configs.split(","):
        for profile in options.profiles.split(","):
            if profile not in PROFILES:
                raise SystemExit(f"unknown profile {profile}")
            for threads in map(int, options.threads.split(",")):
                steps = options.steps or CONFIGS[config][0]
                row = f"{config:<18} {profile:<13} {threads:>7}  "
                if reason := obstacle(profile):
                    print(f"{row}not reachable: {reason}", flush=True)
                    continue
                pair = [record(lib, options.checkout, config, profile, threads, steps) for lib in ("torch", "flambeau")]
                same, difference = compare(*pair)
                failures += bool(difference)
                print(f"{row}{same} / {steps}{'  first difference: ' + difference if difference else ''}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
