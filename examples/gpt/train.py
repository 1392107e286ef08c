"""Trains a character-level GPT on the Python standard library's own sources (or a text file) and samples from it.

    python examples/gpt/train.py [--text FILE] [--steps N] [--threads N] [--library flambeau|torch]

The same code runs under PyTorch: `--library torch`, when that is installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="train on this file instead")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sample", type=int, default=400, help="characters to generate")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=1337)
    parser.add_argument("--library", choices=("flambeau", "torch"), default="flambeau")
    parser.add_argument("--out", type=Path, default=Path("out/gpt"), help="folder for the checkpoint and the plot")
    return parser.parse_args()


def corpus(path: Path | None, limit: int = 1_000_000) -> str:
    """The text to learn: printable ASCII, so that the vocabulary stays small."""
    if path is not None:
        text = path.read_text(encoding="utf-8", errors="ignore")
    else:
        library = Path(argparse.__file__).parent
        parts = (file.read_text(encoding="utf-8", errors="ignore") for file in sorted(library.glob("*.py")))
        text = "\n".join(parts)
    return "".join(c for c in text if c == "\n" or " " <= c <= "~")[:limit]


def progress(steps: int):
    """tqdm where it is installed; a plain line now and then where it is not."""
    try:
        from tqdm import trange

        return trange(steps, unit="step", dynamic_ncols=True)
    except ImportError:
        return _Plain(steps)


class _Plain:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.shown = ""

    def __iter__(self):
        for step in range(self.steps):
            yield step
            if (step + 1) % max(self.steps // 20, 1) == 0 or step == 0:
                print(f"step {step + 1:>5}/{self.steps}  {self.shown}", flush=True)

    def set_postfix_str(self, text: str) -> None:
        self.shown = text


def plot(losses: list[float], path: Path) -> None:
    """The falling loss as a picture, where matplotlib is installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="loss (nats per character)", title="Character GPT")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


def main() -> int:
    options = parse()
    if options.library == "flambeau":
        import flambeau

        flambeau.install()
    import torch
    from model import GPT, Config

    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    text = corpus(options.text)
    characters = sorted(set(text))
    number = {c: i for i, c in enumerate(characters)}
    data = torch.tensor([number[c] for c in text])
    config = Config(vocabulary=len(characters))
    model = GPT(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.99), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-3, total_steps=options.steps, pct_start=0.1)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{options.library}: {len(text):,} characters, {len(characters)} distinct; {parameters:,} parameters")

    losses = []
    started = time.perf_counter()
    steps = progress(options.steps)
    for _ in steps:
        starts = torch.randint(len(data) - config.context - 1, (options.batch,))
        inputs = torch.stack([data[i : i + config.context] for i in starts])
        targets = torch.stack([data[i + 1 : i + 1 + config.context] for i in starts])
        _, loss = model(inputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
        steps.set_postfix_str(f"loss {losses[-1]:.4f}")
    seconds = time.perf_counter() - started
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f} in {seconds:.1f} s ({1000 * seconds / len(losses):.0f} ms a step)")

    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "characters": characters, "losses": losses}, options.out / "checkpoint.pt")
    plot(losses, options.out / "loss.png")
    model.eval()
    start = torch.tensor([[number["\n"]]])
    sample = model.generate(start, options.sample)[0].tolist()
    print("-" * 80 + "".join(characters[i] for i in sample) + "\n" + "-" * 80)
    return 0 if losses[-1] < losses[0] else 1


if __name__ == "__main__":
    sys.exit(main())
