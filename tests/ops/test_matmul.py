"""Products of matrices and vectors against NumPy; gradients by finite differences; the order of the additions."""

import itertools

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

linear = flambeau._C._nn.linear
multi_dot = flambeau._C._linalg.linalg_multi_dot


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return flambeau.from_numpy(values).requires_grad_()


def layouts(a):
    """The same matrix by rows, by columns, with gaps between its rows, and with gaps everywhere."""
    yield flambeau.from_numpy(np.ascontiguousarray(a))
    yield flambeau.from_numpy(np.ascontiguousarray(a.T)).t()
    wide = np.zeros((a.shape[0], a.shape[1] + 3), a.dtype)
    wide[:, 1:-2] = a
    yield flambeau.from_numpy(wide)[:, 1:-2]
    sparse = np.zeros((2 * a.shape[0], 2 * a.shape[1]), a.dtype)
    sparse[::2, ::2] = a
    yield flambeau.from_numpy(sparse)[::2, ::2]


# Around the tiles' heights and lengths on both instruction sets, the small orders, and the blocks of K.
SIZES = [1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 15, 16, 17, 31, 33, 65]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", SIZES)
def test_mm_of_all_sizes(dtype, m):
    rng = np.random.default_rng(m)
    for n, k in itertools.product(SIZES, [1, 5, 16, 67]):
        a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
        got = flambeau.mm(flambeau.from_numpy(a), flambeau.from_numpy(b)).numpy()
        np.testing.assert_allclose(got, a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(5, 9, 70), (33, 200, 40), (1, 300, 50), (50, 400, 1), (2, 5, 3), (40, 0, 3)]
)
def test_mm_of_all_layouts(dtype, m, k, n):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    c = rng.normal(size=n).astype(dtype)
    for x, y in itertools.product(layouts(a), layouts(b)):
        np.testing.assert_allclose(flambeau.mm(x, y).numpy(), a @ b, rtol=1e-4, atol=1e-4)
        got = flambeau.addmm(flambeau.from_numpy(c), x, y, beta=0.5, alpha=2)
        np.testing.assert_allclose(got.numpy(), c / 2 + 2 * (a @ b), rtol=1e-4, atol=1e-4)


def fused_chains(a, b, blocks, start=None):
    """The slow, obvious version: a chain of fused additions from zero for every block of K, the sums added in turn."""
    total = start
    at = 0
    for length in blocks:
        sums = np.zeros((a.shape[0], b.shape[1]), np.float32)
        for q in range(at, at + length):
            exact = np.outer(a[:, q].astype(np.float64), b[q].astype(np.float64)) + sums
            sums = exact.astype(np.float32)  # one rounding: products of floats are exact in double, sums nearly so
        total = sums if total is None else total + sums
        at += length
    return total


@pytest.mark.parametrize(
    ("k", "blocks"),
    [(1, [1]), (192, [192]), (193, [96, 96, 1]), (256, [128, 128]), (383, [191, 191, 1]), (512, [192, 192, 128])],
)
def test_order_of_the_amd_path(k, blocks):
    before = flambeau._C._profile()
    flambeau._C._set_profile("avx512", "avx512_core", "amd", 1, False)
    try:
        rng = np.random.default_rng(k)
        # Few bits, so that the sums of doubles above are exact.
        a = rng.integers(-2000, 2000, size=(9, k)).astype(np.float32)
        b = rng.integers(-2000, 2000, size=(k, 40)).astype(np.float32)
        c = rng.integers(-2000, 2000, size=40).astype(np.float32)
        x, y = flambeau.from_numpy(a), flambeau.from_numpy(b)
        np.testing.assert_array_equal((x @ y).numpy(), fused_chains(a, b, blocks))
        start = np.broadcast_to(c, (9, 40))
        np.testing.assert_array_equal(
            flambeau.addmm(flambeau.from_numpy(c), x, y).numpy(), fused_chains(a, b, blocks, start)
        )
    finally:
        flambeau._C._set_profile(*(before[f] for f in ("aten", "onednn", "mkl", "threads", "invariant")))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers_wrap(dtype):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 100, size=(3, 5)).astype(dtype), rng.integers(0, 100, size=(5, 4)).astype(dtype)
    x, y = flambeau.from_numpy(a), flambeau.from_numpy(b)
    np.testing.assert_array_equal((x @ y).numpy(), a @ b)
    np.testing.assert_array_equal(flambeau.mv(x, y[:, 0]).numpy(), a @ b[:, 0])
    np.testing.assert_array_equal(flambeau.dot(x[0], y[:, 0]).numpy(), a[0] @ b[:, 0])
    np.testing.assert_array_equal(flambeau.bmm(x[None], y[None]).numpy(), (a @ b)[None])


@pytest.mark.parametrize("dtype", [flambeau.float16, flambeau.bfloat16])
def test_halves_are_rounded_once(dtype):
    rng = np.random.default_rng(0)
    x = flambeau.from_numpy(rng.normal(size=(17, 40)).astype(np.float32)).to(dtype)
    y = flambeau.from_numpy(rng.normal(size=(40, 20)).astype(np.float32)).to(dtype)
    expected = (x.float() @ y.float()).to(dtype)
    got = x @ y
    assert got.dtype == dtype
    assert flambeau.equal(got, expected)


def test_vectors():
    rng = np.random.default_rng(0)
    for n in [0, 1, 3, 4, 7, 8, 16, 17, 33, 100]:
        a, b = rng.normal(size=n).astype(np.float32), rng.normal(size=n).astype(np.float32)
        x, y = flambeau.from_numpy(a), flambeau.from_numpy(b)
        np.testing.assert_allclose(flambeau.dot(x, y).item(), a @ b, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(flambeau.outer(x, y).numpy(), np.outer(a, b))
        np.testing.assert_allclose(flambeau.inner(x, y).item(), np.inner(a, b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (2, 4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((1, 3, 4), (7, 4, 5)),
        ((0, 3, 4), (4, 5)),
    ],
)
def test_matmul_folds_and_broadcasts(left, right):
    x, y = doubles(*left), doubles(*right, seed=1)
    np.testing.assert_allclose((x @ y).detach().numpy(), x.detach().numpy() @ y.detach().numpy())
    assert gradcheck(flambeau.matmul, (x, y))
    np.testing.assert_allclose(flambeau.matmul(x.detach(), y.detach()).numpy(), x.detach().numpy() @ y.detach().numpy())


def test_batches():
    rng = np.random.default_rng(0)
    for b, m, k, n in [(3, 2, 3, 4), (3, 8, 9, 10), (1, 1, 30, 40), (1, 40, 30, 1), (2, 20, 20, 1), (0, 2, 3, 4)]:
        a = rng.normal(size=(b, m, k)).astype(np.float32)
        c = rng.normal(size=(b, k, n)).astype(np.float32)
        d = rng.normal(size=(m, n)).astype(np.float32)
        x, y, z = map(flambeau.from_numpy, (a, c, d))
        product = a @ c
        np.testing.assert_allclose(flambeau.bmm(x, y).numpy(), product, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(flambeau.bmm(x, y.clone().mT.contiguous().mT).numpy(), product, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            flambeau.baddbmm(z, x, y, beta=2, alpha=3).numpy(), 2 * d + 3 * product, rtol=1e-4, atol=1e-4
        )
        np.testing.assert_allclose(flambeau.addbmm(z, x, y).numpy(), d + product.sum(0), rtol=1e-4, atol=1e-4)


def test_beta_of_zero_does_not_read():
    nan = flambeau.full((2, 3), float("nan"))
    x, y = flambeau.ones(2, 4), flambeau.ones(4, 3)
    assert flambeau.addmm(nan, x, y, beta=0).tolist() == [[4.0] * 3] * 2
    assert flambeau.baddbmm(nan[None], x[None], y[None], beta=0).tolist() == [[[4.0] * 3] * 2]
    assert flambeau.addmv(nan[:, 0], x, y[:, 0], beta=0).tolist() == [4.0] * 2
    assert flambeau.addr(nan, x[:, 0], y[0], beta=0).tolist() == [[1.0] * 3] * 2


def test_in_place_and_out():
    x, y = flambeau.ones(2, 3), flambeau.ones(3, 2)
    z = flambeau.zeros(2, 2)
    assert z.addmm_(x, y) is z
    assert z.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    out = flambeau.empty(2, 2)
    assert flambeau.mm(x, y, out=out) is out
    assert out.tolist() == z.tolist()


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
@pytest.mark.parametrize("with_bias", [False, True])
def test_linear(shape, with_bias):
    x, w = doubles(*shape), doubles(5, 3, seed=1)
    b = doubles(5, seed=2) if with_bias else None
    expected = x.detach().numpy() @ w.detach().numpy().T + (b.detach().numpy() if with_bias else 0)
    np.testing.assert_allclose(linear(x, w, b).detach().numpy(), expected)
    inputs = (x, w, b) if with_bias else (x, w)
    assert gradcheck(linear, inputs)
    assert gradgradcheck(linear, inputs)


def test_bilinear():
    x, y, w, b = doubles(4, 3), doubles(4, 5, seed=1), doubles(2, 3, 5, seed=2), doubles(2, seed=3)
    expected = np.einsum("bi,oij,bj->bo", *(t.detach().numpy() for t in (x, w, y))) + b.detach().numpy()
    np.testing.assert_allclose(flambeau.bilinear(x, y, w, b).detach().numpy(), expected)
    assert gradcheck(flambeau.bilinear, (x, y, w, b))


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (flambeau.mm, [(3, 4), (4, 2)]),
        (flambeau.mv, [(3, 4), (4,)]),
        (flambeau.dot, [(4,), (4,)]),
        (flambeau.outer, [(3,), (4,)]),
        (flambeau.bmm, [(2, 3, 4), (2, 4, 2)]),
        (lambda c, a, b: flambeau.addmm(c, a, b, beta=2, alpha=0.5), [(2,), (3, 4), (4, 2)]),
        (lambda c, a, b: flambeau.addmv(c, a, b, beta=2, alpha=0.5), [(3,), (3, 4), (4,)]),
        (lambda c, a, b: flambeau.addr(c, a, b, beta=2, alpha=0.5), [(3, 4), (3,), (4,)]),
        (lambda c, a, b: flambeau.addbmm(c, a, b, beta=2, alpha=0.5), [(3, 2), (2, 3, 4), (2, 4, 2)]),
        (lambda c, a, b: flambeau.baddbmm(c, a, b, beta=2, alpha=0.5), [(3, 2), (2, 3, 4), (2, 4, 2)]),
        (lambda a, b: flambeau.einsum("bij,bjk->ik", a, b), [(2, 3, 4), (2, 4, 2)]),
        (lambda a, b, c: multi_dot([a, b, c]), [(2, 5), (5, 3), (3, 4)]),
        (lambda a: flambeau.matrix_power(a, 5), [(3, 3)]),
        (lambda a, b: flambeau.tensordot(a, b, ([1, 0], [0, 1])), [(3, 4, 2), (4, 3, 5)]),
    ],
)
def test_gradients(function, shapes):
    inputs = tuple(doubles(*shape, seed=i) for i, shape in enumerate(shapes))
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def test_gradient_of_a_transposed_operand_is_transposed():
    x, w = flambeau.ones(2, 3), flambeau.ones(4, 3, requires_grad=True)
    flambeau.mm(x, w.t()).sum().backward()
    assert w.grad.stride() == (3, 1)


EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("i,j->ij", (3,), (4,)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (6, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    ("ab,bc,cd,de->ae", (2, 3), (3, 4), (4, 5), (5, 2)),
    ("ijk,jil->kl", (3, 4, 2), (4, 3, 5)),
    ("i,i->", (4,), (4,)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("ij,kl->il", (3, 4), (5, 2)),
    ("a...b->b...a", (2, 3, 4, 5)),
    (" i j , j k -> i k ", (3, 4), (4, 5)),
    ("ij,j", (3, 1), (4,)),
]


@pytest.mark.parametrize(("equation", "shapes"), [(e[0], e[1:]) for e in EQUATIONS])
def test_einsum(equation, shapes):
    tensors = [doubles(*shape, seed=i).detach() for i, shape in enumerate(shapes)]
    arrays = [np.broadcast_to(t.numpy(), (3, 4)) if t.shape == (3, 1) else t.numpy() for t in tensors]
    expected = np.einsum(equation, *arrays)
    np.testing.assert_allclose(flambeau.einsum(equation, *tensors).numpy(), expected, atol=1e-12)


def test_chains():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) for s in [(5, 20), (20, 3), (3, 30), (30, 2)]]
    tensors = [flambeau.from_numpy(a) for a in arrays]
    np.testing.assert_allclose(multi_dot(tensors).numpy(), np.linalg.multi_dot(arrays))
    np.testing.assert_allclose(flambeau.chain_matmul(*tensors).numpy(), np.linalg.multi_dot(arrays))
    np.testing.assert_allclose(
        multi_dot([tensors[0][0], *tensors[1:3], tensors[3][:, 0]]).numpy(),
        np.linalg.multi_dot([arrays[0][0], *arrays[1:3], arrays[3][:, 0]]),
    )
    a = rng.normal(size=(2, 3, 3))
    for n in [0, 1, 2, 3, 4, 7]:
        np.testing.assert_allclose(
            flambeau.matrix_power(flambeau.from_numpy(a), n).numpy(), np.linalg.matrix_power(a, n)
        )


def z(*shape, dtype=None):
    return flambeau.zeros(*shape, dtype=dtype or flambeau.float32)


ERRORS = [
    (lambda: flambeau.mm(z(2), z(2, 3)), "self must be a matrix"),
    (lambda: flambeau.mm(z(2, 3), z(3)), "mat2 must be a matrix"),
    (lambda: flambeau.mm(z(2, 3), z(4, 5)), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
    (
        lambda: flambeau.mm(z(2, 3), z(3, 5, dtype=flambeau.int64)),
        "expected m1 and m2 to have the same dtype, but got: float != long int",
    ),
    (lambda: flambeau.addmm(z(5), z(2), z(3, 5)), "mat1 must be a matrix, got 1-D tensor"),
    (
        lambda: flambeau.addmm(z(4), z(2, 3), z(3, 5)),
        "The expanded size of the tensor (5) must match the existing size (4) at non-singleton dimension 1.  "
        "Target sizes: [2, 5].  Tensor sizes: [4]",
    ),
    (lambda: flambeau.bmm(z(2, 3), z(2, 3, 4)), "batch1 must be a 3D tensor"),
    (
        lambda: flambeau.bmm(z(2, 3, 4), z(3, 4, 5)),
        "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4].",
    ),
    (lambda: flambeau.mv(z(2, 3), z(2)), "size mismatch, got input (2), mat (2x3), vec (2)"),
    (lambda: flambeau.mv(z(2), z(2)), "vector + matrix @ vector expected, got 1, 1, 1"),
    (
        lambda: flambeau.dot(z(2), z(3)),
        "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, "
        "but got 2 and 3 elements respectively",
    ),
    (lambda: flambeau.outer(z(2, 2), z(3)), "outer: Expected 1-D argument self, but got 2-D"),
    (
        lambda: flambeau.matmul(z(()), z(3)),
        "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    ),
    (
        lambda: flambeau.matmul(z(2, 3, 4), z(3, 4, 5)),
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    (lambda: linear(z(2, 3), z(4, 5)), "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)"),
    (
        lambda: flambeau.bilinear(z(2, 3), z(2, 4), z(5, 3, 5), None),
        "bilinear(): input2 size does not match weight size: got 4 but expected 5",
    ),
    (
        lambda: flambeau.einsum("ij,jk", [z(2, 3), z(4, 5)]),
        "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
    ),
    (
        lambda: flambeau.einsum("ij,jk->il", [z(2, 3), z(3, 5)]),
        "einsum(): output subscript l does not appear in the equation for any input operand",
    ),
    (
        lambda: flambeau.einsum("ijk,jk", [z(2, 3), z(3, 5)]),
        "einsum(): the number of subscripts in the equation (3) does not match the number of dimensions (2) "
        "for operand 0 and no ellipsis was given",
    ),
    (
        lambda: flambeau.einsum("i-j,jk", [z(2, 3), z(3, 5)]),
        "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
    ),
    (lambda: multi_dot([z(2, 3)]), "multi_dot(): expected at least 2 tensors but got 1"),
    (
        lambda: multi_dot([z(2, 3), z(4, 3)]),
        "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 3] cannot be multiplied",
    ),
    (
        lambda: flambeau.matrix_power(z(2, 3), 2),
        "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3 matrices",
    ),
]


@pytest.mark.parametrize(("call", "text"), ERRORS)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value) == text


def test_bool_is_refused():
    x = flambeau.ones(2, 2, dtype=flambeau.bool)
    with pytest.raises(NotImplementedError, match="\"addmm_impl_cpu_\" not implemented for 'Bool'"):
        x @ x
