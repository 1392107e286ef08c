"""Products beside PyTorch: the same bits, forward and backward. Sizes are drawn anew on every run."""

import random

import numpy as np
import pytest

import flambeau

torch = pytest.importorskip("torch")


def both(run, *shapes, grad=True):
    """The same function on the same numbers in both libraries; outputs and gradients must have the same bits."""
    arrays = [np.random.default_rng(random.getrandbits(32)).normal(size=s).astype(np.float32) for s in shapes]
    results = []
    for library in (torch, flambeau):
        inputs = [library.from_numpy(a).requires_grad_(grad) for a in arrays]
        out = run(library, *inputs)
        if grad:
            seed = np.random.default_rng(1).normal(size=tuple(out.shape)).astype(np.float32)
            out.backward(library.from_numpy(seed))
        results.append([out.detach().numpy(), *(x.grad.numpy() for x in inputs if grad)])
    for ours, theirs in zip(results[1], results[0], strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=str(shapes))


def amd():
    return flambeau._C._profile()["mkl"] == "amd"


pytestmark = pytest.mark.skipif(not amd(), reason="only the order of MKL on AMD processors is complete")


def sizes(count):
    return [
        random.choice([random.randint(1, 16), random.randint(1, 70), random.randint(60, 300)]) for _ in range(count)
    ]


@pytest.mark.parametrize("case", range(60))
def test_mm(case):
    m, k, n = sizes(3)
    if m == n == 1:
        n = 2
    both(lambda _, a, b: a @ b, (m, k), (k, n))
    both(lambda _, a, b: a.t() @ b, (k, m), (k, n), grad=False)
    both(lambda _, a, b: a @ b.t(), (m, k), (n, k))


@pytest.mark.parametrize("case", range(20))
def test_linear_layers(case):
    b, t, k, n = random.randint(1, 4), *sizes(3)
    both(lambda m, x, w, c: m.nn.functional.linear(x, w, c), (b, t, k), (n, k), (n,))
    both(lambda m, x, w: m.nn.functional.linear(x, w), (t, k), (n, k))


@pytest.mark.parametrize("case", range(20))
def test_batches(case):
    b, m, k, n = random.randint(2, 5), *sizes(3)
    both(lambda _, x, y: x @ y, (b, m, k), (b, k, n))
    both(lambda _, x, y: x @ y.mT, (b, 2, m, k), (b, 2, n, k))


@pytest.mark.parametrize("case", range(20))
def test_vectors(case):
    m, k = sizes(2)
    both(lambda _, a, x: a @ x, (m + 1, k), (k,))
    both(lambda _, a, x: a.t() @ x, (k, m + 1), (k,))
    both(lambda lib, x, y: lib.dot(x, y), (k,), (k,))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads):
    before = flambeau.get_num_threads(), torch.get_num_threads()
    try:
        flambeau.set_num_threads(threads)
        torch.set_num_threads(threads)
        for m in range(1, 14):
            both(lambda _, a, b: a @ b, (m, 100), (100, 65), grad=False)
    finally:
        flambeau.set_num_threads(before[0])
        torch.set_num_threads(before[1])


@pytest.mark.parametrize("equation", ["ij,jk->ik", "bhqd,bhkd->bhqk", "ab,bc,cd->ad", "...ij,...jk->...ik", "ij,ij->i"])
def test_einsum(equation):
    shapes = {"a": 5, "b": 3, "c": 17, "d": 20, "h": 4, "q": 16, "k": 33, "i": 18, "j": 40, ".": 2}
    operands = equation.split("->")[0].replace("...", ".").split(",")
    both(lambda m, *x: m.einsum(equation, *x), *(tuple(shapes[c] for c in o) for o in operands))
