"""An MLP and a small CNN on MNIST's test set, side by side with PyTorch when it is installed.

    python examples/digits/train.py [--model mlp|cnn] [--steps N] [--data FOLDER]

9,000 of the 10,000 images are for training, the rest for testing. Each library runs in a process of its own from the
same seed; the table shows both losses step by step.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("mlp", "cnn"), default="mlp")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/digits"))
    parser.add_argument("--library", choices=("flambeau", "torch"), help="run this one only, and print JSON")
    return parser.parse_args()


def build(torch, name: str):
    nn = torch.nn
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 10),
    )


def train(options: argparse.Namespace) -> dict:
    if options.library == "flambeau":
        import flambeau

        flambeau.install()
    import torch
    from data import load

    images, labels = load(torch, options.data)
    torch.manual_seed(0)
    model = build(torch, options.model)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    train_set = torch.utils.data.TensorDataset(images[:9000], labels[:9000])
    loader = torch.utils.data.DataLoader(train_set, batch_size=options.batch, shuffle=True)
    losses = []
    started = time.perf_counter()
    while len(losses) < options.steps:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) == options.steps:
                break
            if len(losses) % 20 == 0 and sys.stderr.isatty():
                print(f"\r{options.library}: step {len(losses)}, loss {losses[-1]:.4f} ", end="", file=sys.stderr)
    seconds = time.perf_counter() - started
    with torch.no_grad():
        right = (model(images[9000:]).argmax(1) == labels[9000:]).sum().item()
    return {"library": options.library, "losses": losses, "accuracy": right / 1000, "seconds": seconds}


def run(library: str) -> dict:
    command = [sys.executable, __file__, *sys.argv[1:], "--library", library]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def plot(results: list[dict], path: Path) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for style, result in zip(("-", "--"), results):
        axes.plot(result["losses"], style, label=f"{result['library']}, {result['seconds']:.1f} s")
    axes.set(xlabel="step", ylabel="loss", yscale="log")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


def main() -> int:
    options = parse()
    if options.library:
        print(json.dumps(train(options)))
        return 0
    libraries = ["flambeau"] + (["torch"] if importlib.util.find_spec("torch") else [])
    results = [run(library) for library in libraries]
    print("step  " + "  ".join(f"{r['library']:>22}" for r in results))
    for step in range(0, options.steps, max(options.steps // 10, 1)):
        print(f"{step + 1:>4}  " + "  ".join(f"{r['losses'][step]:>22.17g}" for r in results))
    if len(results) == 2:
        same = sum(a == b for a, b in zip(results[0]["losses"], results[1]["losses"]))
        print(f"{same} of {options.steps} losses are identical")
    for result in results:
        print(f"{result['library']}: {100 * result['accuracy']:.1f}% of 1,000 test images, {result['seconds']:.1f} s")
    plot(results, options.out / f"{options.model}.png")
    return 0 if results[0]["accuracy"] > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
