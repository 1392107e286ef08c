"""Writing your own optimizer: sign descent with momentum, in ten lines, against SGD and Lion.

python examples/optimizer/own.py
"""

from __future__ import annotations

import flambeau as torch
from flambeau.optim import SGD, Lion, Optimizer


class SignMomentum(Optimizer):
    """m = beta m + (1 - beta) g;  w = w - lr sign(m)"""

    def __init__(self, params, lr=1e-2, beta=0.9):
        super().__init__(params, {"lr": lr, "beta": beta})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for w in group["params"]:
                if w.grad is None:
                    continue
                state = self.state[w]
                if not state:
                    state["m"] = torch.zeros_like(w)
                state["m"].lerp_(w.grad, 1 - group["beta"])
                w.add_(state["m"].sign(), alpha=-group["lr"])


def problem():
    """Fit a noisy line with two weights."""
    torch.manual_seed(0)
    x = torch.rand(256, 1)
    y = 3 * x - 1 + 0.05 * torch.randn(256, 1)
    return x, y, torch.nn.Linear(1, 1)


def fit(make) -> float:
    x, y, model = problem()
    optimizer = make(model.parameters())
    for _ in range(400):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(
        f"{type(optimizer).__name__:>12}: loss {loss.item():.5f}, "
        f"weight {model.weight.item():.3f}, bias {model.bias.item():.3f}"
    )
    return loss.item()


def main() -> int:
    losses = [
        fit(lambda p: SGD(p, lr=0.3)),
        fit(lambda p: Lion(p, lr=0.02)),
        fit(lambda p: SignMomentum(p, lr=0.01)),
    ]
    return 0 if max(losses) < 0.02 else 1


if __name__ == "__main__":
    raise SystemExit(main())
