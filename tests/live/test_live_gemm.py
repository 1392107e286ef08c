"""Matrix products against real PyTorch as each machine computes them (tools/torch_as.py): all elements, every bit.

Run as a script it computes the same products under real PyTorch, and writes them to the named file.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

TOOLS = Path(__file__).parents[2] / "tools"
RUNS = [("amd-avx512", 1), ("amd-avx512", 2), ("intel-avx512", 1), ("intel-avx512", 2), ("intel-avx2", 1)]
CLASSES = ["training", "ordinary", "few", "vectors", "batches", "alpha", "attention"]


def normal(seed: int, *sizes: int) -> numpy.ndarray:
    return numpy.random.default_rng([seed, *sizes]).standard_normal(sizes, dtype="f4")


def layouts(lib, m: int, n: int, k: int, batch: tuple[int, ...] = ()):
    """(..., m, k) and (..., k, n), each plain and as the transpose of a plain one."""
    x, y = normal(1, *batch, m, k), normal(2, *batch, k, n)
    for left in "NT":
        for right in "NT":
            a = lib.from_numpy(x) if left == "N" else lib.from_numpy(x.swapaxes(-1, -2).copy()).transpose(-1, -2)
            b = lib.from_numpy(y) if right == "N" else lib.from_numpy(y.swapaxes(-1, -2).copy()).transpose(-1, -2)
            yield left + right, a, b


def training(lib, profile: str, threads: int):
    """Linear layers of nanoGPT: forward, with bias, and both gradients."""
    layers = [(rows, c, out) for rows in (64, 768, 1024) for c in (64, 128, 384) for out in (c, 3 * c, 4 * c, 65)]
    layers += sizes("64x768x768 64x768x3072 768x768x768 1024x256x64")
    for rows, c, out in layers:
        for i, o in ((c, out), (out, c)) if out == 4 * c else ((c, out),):
            x, w = lib.from_numpy(normal(1, rows, i)), lib.from_numpy(normal(2, o, i))
            b, g = lib.from_numpy(normal(3, o)), lib.from_numpy(normal(4, rows, o))
            name = f"{rows} rows, {i} to {o}"
            yield f"forward {name}", lib.nn.functional.linear(x, w)
            yield f"bias {name}", lib.nn.functional.linear(x.view(4, rows // 4, i), w, b)
            yield f"dX {name}", g @ w
            yield f"dW {name}", g.t() @ x


def sizes(text: str) -> list[list[int]]:
    return [[int(size) for size in word.split("x")] for word in text.split()]


def shapes(seed: int, count: int, *limits: int) -> list[list[int]]:
    rng = numpy.random.default_rng(seed)
    return [[int(rng.integers(2, rng.choice(limits))) for _ in range(3)] for _ in range(count)]


def unknown(profile: str, layout: str) -> bool:
    """What nobody knows yet."""
    return profile == "intel-avx512" and layout == "TT"


def ordinary(lib, profile: str, threads: int):
    """Any sizes, with and without a bias."""
    long = sizes("200x200x900 100x72x1000 300x60x1100 97x101x383 73x75x385")
    # Around the sizes where two threads change how they share.
    long += sizes(
        "148x112x800 149x112x800 16x400x800 40x512x1024 16x760x800 400x40x801 60x3300x800 8x300x256 8x300x260"
    )
    for m, n, k in shapes(5, 24, 100, 400) + long:
        b = lib.from_numpy(normal(3, n))
        for layout, x, y in layouts(lib, m, n, k):
            if unknown(profile, layout):
                continue
            yield f"mm {m} {n} {k} {layout}", x @ y
            yield f"addmm {m} {n} {k} {layout}", lib.addmm(b, x, y)


def few(lib, profile: str, threads: int):
    """Few rows, columns or summands."""
    special = sizes("20x6x6 2x65x384 3x3000x128 5x2x700 11x3x16 50x60x1 2x3x1")
    for m, n, k in shapes(6, 60, 8, 17, 60, 300) + special:
        b = lib.from_numpy(normal(3, n))
        for layout, x, y in layouts(lib, m, n, k):
            if unknown(profile, layout):
                continue
            yield f"mm {m} {n} {k} {layout}", x @ y
            yield f"addmm {m} {n} {k} {layout}", lib.addmm(b, x, y)


def vectors(lib, profile: str, threads: int):
    """A vector or a single row or column on either side."""
    for rows, k in sizes("1x5 2x2 3x9 4x17 5x40 16x8 19x33 65x384 37x1000 130x255 2x3000 5000x64"):
        v, c = lib.from_numpy(normal(1, k)), lib.from_numpy(normal(2, rows))
        plain = normal(3, rows, k)
        for layout, a in (("T", lib.from_numpy(plain)), ("N", lib.from_numpy(plain.T.copy()).t())):
            name = f"{layout} {rows} {k}"
            yield f"mv {name}", lib.mv(a, v)
            yield f"addmv {name}", lib.addmv(c, a, v)
            yield f"beta {name}", lib.addmv(c, a, v, beta=0.3, alpha=0.7)
            yield f"column {name}", a @ v.view(k, 1)
            yield f"row {name}", v.view(1, k) @ a.t()
            yield f"linear {name}", lib.nn.functional.linear(v.view(1, k), a, c)
        long = lib.from_numpy(plain.ravel())
        other = lib.from_numpy(normal(4, rows * k))
        for start in (0, 1):
            yield f"dot {rows * k - start}", lib.dot(long[start:], other[start:])


def batches(lib, profile: str, threads: int):
    attention = sizes("12x64x64x32 12x64x32x64 3x256x256x64 3x256x64x256 6x5x64x64 6x1x64x64 6x2x2x64")
    for b, m, n, k in attention + [[3, *s] for s in shapes(7, 16, 12, 80, 300)]:
        for layout, x, y in layouts(lib, m, n, k, (b,)):
            if unknown(profile, layout):
                continue
            if m == 1 and layout[0] == "T":
                continue  # a single row told as a column: not known
            yield f"bmm {b} {m} {n} {k} {layout}", lib.bmm(x, y)


def alpha(lib, profile: str, threads: int):
    first = sizes("64x64x32 64x32x64 32x64x32 100x100x50 200x210x40 20x30x40")
    for m, n, k in first + sizes("4x100x300 80x128x33 40x200x90 30x200x300 16x500x400 6x20x40 60x60x300"):
        c = lib.from_numpy(normal(3, m, n))
        for layout, x, y in layouts(lib, m, n, k):
            if layout != "TT":
                yield f"addmm {m} {n} {k} {layout}", lib.addmm(c, x, y, alpha=0.3)
                yield f"beta {m} {n} {k} {layout}", lib.addmm(c, x, y, beta=0.3, alpha=0.7)
                yield f"beta alone {m} {n} {k} {layout}", lib.addmm(c, x, y, beta=0.3)


def attention(lib, profile: str, threads: int):
    """Flash attention, forward and backward.

    On intel-avx512 torch.set_num_threads(2), as here, moves the scale inside large products; so for these it is a power
    of two.
    """
    for b, h, t, d in sizes("3x4x64x32 2x2x256x64 1x3x65x48 2x2x33x20 1x2x600x64"):
        q, k, v = (lib.from_numpy(normal(s, b, h, t, d)).requires_grad_() for s in (1, 2, 3))
        out = lib.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        out.backward(lib.from_numpy(normal(4, b, h, t, d)))
        for name, value in (("out", out.detach()), ("dq", q.grad), ("dk", k.grad), ("dv", v.grad)):
            yield f"attention {b} {h} {t} {d} {name}", value


def compute(lib, kind: str, profile: str, threads: int) -> dict[str, numpy.ndarray]:
    return {name: value.numpy() for name, value in globals()[kind](lib, profile, threads)}


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: f"{run[0]}-{run[1]}")
def theirs(request, tmp_path_factory):
    pytest.importorskip("torch")
    profile, threads = request.param
    spec = importlib.util.spec_from_file_location("torch_as", TOOLS / "torch_as.py")
    torch_as = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(torch_as)
    if reason := torch_as.obstacle(profile):
        pytest.skip(reason)
    out = tmp_path_factory.mktemp("gemm") / "products.npz"
    arguments = ["--profile", profile, "--threads", str(threads), __file__, profile, str(threads), str(out)]
    subprocess.run([sys.executable, str(TOOLS / "torch_as.py"), *arguments], check=True)
    return profile, threads, dict(numpy.load(out))


@pytest.mark.parametrize("kind", CLASSES)
def test_products(theirs, kind):
    import flambeau

    profile, threads, expected = theirs
    with flambeau.numerics.use(profile, threads=threads):
        ours = compute(flambeau, kind, profile, threads)
    wrong = []
    for name, value in ours.items():
        want = expected[f"{kind}: {name}"]
        differ = value.view("u4") != want.view("u4")
        if differ.any():
            at = tuple(int(i) for i in numpy.argwhere(differ)[0])
            first = f"first {at}: {float(value[at]).hex()} != {float(want[at]).hex()}"
            wrong.append(f"{name}: {differ.sum()} of {differ.size}, {first}")
    assert not wrong, f"{len(wrong)} of {len(ours)} differ:\n" + "\n".join(wrong[:20])


if __name__ == "__main__":
    import torch

    profile, threads, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    products = {kind: compute(torch, kind, profile, threads) for kind in CLASSES}
    numpy.savez(out, **{f"{kind}: {name}": value for kind in CLASSES for name, value in products[kind].items()})
