"""Checkpointed blocks against PyTorch's: gradients bit for bit, random numbers, messages."""

from __future__ import annotations

import warnings

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.checkpoint")

import flambeau  # noqa: E402
import flambeau.utils.checkpoint  # noqa: E402

BOTH = (flambeau, torch)


def gradients(lib, reentrant, early_stop=True, nested=False):
    x = lib.tensor([[0.3, -1.2, 2.0], [1.0, 0.5, -0.7]], requires_grad=True)
    w = lib.tensor([[0.5, -0.1, 0.2], [0.3, 0.8, -0.4], [1.1, 0.2, 0.9]], requires_grad=True)
    calls = []
    run = lib.utils.checkpoint.checkpoint

    def inner(h):
        return lib.tanh(h @ w).sigmoid()

    def block(h, scale):
        calls.append(1)
        h = lib.nn.functional.dropout(h @ w, 0.5) * scale
        if nested:
            h = run(inner, h, use_reentrant=reentrant)
        return h.exp(), h.sum()

    lib.manual_seed(3)
    if reentrant is None:
        a, b = block(x, 1.5)
    else:
        options = {} if reentrant else {"early_stop": early_stop}
        a, b = run(block, x, 1.5, use_reentrant=reentrant, **options)
    after = lib.rand(1).item()
    (a.sum() + b * b).backward()
    return [x.grad.tolist(), w.grad.tolist(), a.tolist()], [after, lib.rand(1).item()], len(calls)


def close(ours, theirs):
    """The operators inside may round differently; that is not what is tested here."""
    flat = [torch.tensor(value).flatten().tolist() for value in (*ours, *theirs)]
    count = len(ours)
    for a, b in zip(flat[:count], flat[count:]):
        assert a == pytest.approx(b, rel=1e-5)


@pytest.mark.parametrize("early_stop", [True, False])
@pytest.mark.parametrize("reentrant", [True, False])
def test_same_gradients(reentrant, early_stop):
    plain = gradients(flambeau, None)
    ours = gradients(flambeau, reentrant, early_stop)
    theirs = gradients(torch, reentrant, early_stop)
    assert ours[:2] == plain[:2]
    assert ours[1:] == theirs[1:]
    assert (plain[2], ours[2]) == (1, 2)
    close(ours[0], theirs[0])


@pytest.mark.parametrize("reentrant", [True, False])
def test_nested(reentrant):
    ours, theirs = (gradients(lib, reentrant, nested=True) for lib in BOTH)
    assert ours[1] == theirs[1]
    close(ours[0], theirs[0])


def test_twice_backward():
    results = []
    for lib in BOTH:
        x = lib.tensor([0.3, 0.4], requires_grad=True)
        y = lib.utils.checkpoint.checkpoint(lambda v: v.sin().exp(), x, use_reentrant=False)
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        results.append([x.grad.tolist()])
    close(*results)


@pytest.mark.parametrize("reentrant", [True, False])
def test_sequential(reentrant):
    results = []
    for lib in BOTH:
        lib.manual_seed(0)
        model = lib.nn.Sequential(*[lib.nn.Linear(3, 3) for _ in range(7)])
        x = lib.ones(2, 3, requires_grad=True)
        y = lib.utils.checkpoint.checkpoint_sequential(model, 3, x, use_reentrant=reentrant)
        y.sum().backward()
        results.append([x.grad.tolist(), *[p.grad.tolist() for p in model.parameters()]])
    close(*results)


def outcome(fn):
    results = []
    for lib in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = fn(lib, lib.utils.checkpoint.checkpoint)
            except Exception as error:
                # What PyTorch advises after the first lines is about its own tools.
                lines = str(error).split("\nTip:")[0]
                result = type(error).__name__, lines
        results.append((result, [str(w.message) for w in caught]))
    assert results[0] == results[1]


def changing(lib, first, second):
    calls = []

    def block(x):
        calls.append(1)
        return (first if len(calls) == 1 else second)(x)

    return block


def test_messages():
    def t(lib, grad=True):
        return lib.tensor([0.5, 0.7], requires_grad=grad)

    def back(lib, run, block):
        run(block, t(lib), use_reentrant=False).sum().backward()

    outcome(lambda lib, run: run(lambda x: x * 2, t(lib)).tolist())
    outcome(lambda lib, run: run(lambda x: x * 2, t(lib, False), use_reentrant=True).tolist())
    outcome(lambda lib, run: run(lambda x: x, t(lib), use_reentrant=True, other=3))
    outcome(lambda lib, run: run(lambda x: x, t(lib), use_reentrant=True, debug=True))
    outcome(lambda lib, run: run(lambda x: x, t(lib), use_reentrant=False, determinism_check="x"))
    outcome(lambda lib, run: back(lib, run, changing(lib, lambda x: x.sin().cos(), lambda x: x.sin())))
    outcome(lambda lib, run: back(lib, run, changing(lib, lambda x: x.sin(), lambda x: lib.cat([x, x]).sin())))
