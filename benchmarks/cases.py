"""What is timed: each case takes a library and gives a function of no arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Callable[[], Any]]


def one_element(expression: str) -> Case:
    """The cost of a call: nothing to compute."""

    def make(torch):
        names = {"x": torch.ones(1), "y": torch.ones(1), "w": torch.ones(1, requires_grad=True), "torch": torch}
        return eval(f"lambda: {expression}", names)

    return make


def product(size: int) -> Case:
    def make(torch):
        torch.manual_seed(0)
        a, b = torch.randn(size, size), torch.randn(size, size)
        return lambda: a @ b

    return make


def mlp_step(torch):
    """Forward, backward and SGD step of 784-128-10 on 64 images."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x, y = torch.randn(64, 784), torch.randint(10, (64,))

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def adamw_step(torch):
    """AdamW on 12 matrices of 256 x 256 and their biases."""
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(torch.nn.Linear(256, 256) for _ in range(12))
    optimizer = torch.optim.AdamW(layers.parameters())
    for parameter in layers.parameters():
        parameter.grad = torch.randn_like(parameter)
    return optimizer.step


CASES: dict[str, Case] = {
    "x + y, one element": one_element("x + y"),
    "x.exp(), one element": one_element("x.exp()"),
    "x.view(1, 1)": one_element("x.view(1, 1)"),
    "(w * x).backward()": one_element("(w * x).backward()"),
    "MLP step": mlp_step,
    "AdamW step": adamw_step,
    **{f"{n} x {n} @ {n} x {n}": product(n) for n in (32, 128, 512, 1024)},
}

# The sweep: forward and backward of one operator on N x N.
SWEEP_SIZES = (2, 5, 10, 20, 50, 100, 200, 500)
SWEEP: dict[str, Callable[..., Any]] = {
    "neg": lambda torch, x, y: -x,
    "relu": lambda torch, x, y: x.relu(),
    "softmax": lambda torch, x, y: x.softmax(-1),
    "sum": lambda torch, x, y: x.sum(),
    "transpose": lambda torch, x, y: x.transpose(0, 1),
    "add": lambda torch, x, y: x + y,
    "mul": lambda torch, x, y: x * y,
    "sub": lambda torch, x, y: x - y,
    "matmul": lambda torch, x, y: x @ y,
}


def forward_backward(name: str, size: int) -> Case:
    def make(torch):
        torch.manual_seed(0)
        x, y = (torch.randn(size, size, requires_grad=True) for _ in range(2))
        operator = SWEEP[name]
        grad = torch.ones_like(operator(torch, x, y))

        def run():
            x.grad = y.grad = None
            operator(torch, x, y).backward(grad)

        return run

    return make
