"""Elementwise operators against NumPy and the math module: values over dtypes, strides and sizes; promotion; gradients
against differences; errors in PyTorch's words."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

# Around the executor's seams: a vector, a block of 1024, the parallel grain of 32768.
SIZES = [0, 1, 7, 8, 17, 1023, 1024, 1025, 33000]


def draw(n, low=-3.0, high=3.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, size=n)


UNARY = {  # name: (reference, domain)
    "neg": (np.negative, (-3, 3)),
    "abs": (np.abs, (-3, 3)),
    "sign": (np.sign, (-3, 3)),
    "square": (np.square, (-3, 3)),
    "sqrt": (np.sqrt, (0.1, 9)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (0.1, 9)),
    "reciprocal": (np.reciprocal, (0.1, 9)),
    "exp": (np.exp, (-9, 9)),
    "exp2": (np.exp2, (-9, 9)),
    "expm1": (np.expm1, (-3, 3)),
    "log": (np.log, (0.1, 9)),
    "log2": (np.log2, (0.1, 9)),
    "log10": (np.log10, (0.1, 9)),
    "log1p": (np.log1p, (-0.9, 9)),
    "sin": (np.sin, (-9, 9)),
    "cos": (np.cos, (-9, 9)),
    "tan": (np.tan, (-1.4, 1.4)),
    "asin": (np.arcsin, (-0.9, 0.9)),
    "acos": (np.arccos, (-0.9, 0.9)),
    "atan": (np.arctan, (-9, 9)),
    "sinh": (np.sinh, (-3, 3)),
    "cosh": (np.cosh, (-3, 3)),
    "tanh": (np.tanh, (-3, 3)),
    "asinh": (np.arcsinh, (-9, 9)),
    "acosh": (np.arccosh, (1.1, 9)),
    "atanh": (np.arctanh, (-0.9, 0.9)),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), (-9, 9)),
    "erf": (np.vectorize(math.erf, otypes=[float]), (-4, 4)),
    "erfc": (np.vectorize(math.erfc, otypes=[float]), (-4, 4)),
    "lgamma": (np.vectorize(math.lgamma, otypes=[float]), (0.1, 9)),
    "sinc": (np.sinc, (-3, 3)),
    "deg2rad": (np.deg2rad, (-300, 300)),
    "rad2deg": (np.rad2deg, (-3, 3)),
    "floor": (np.floor, (-3, 3)),
    "ceil": (np.ceil, (-3, 3)),
    "trunc": (np.trunc, (-3, 3)),
    "round": (np.round, (-3, 3)),
    "frac": (lambda x: x - np.trunc(x), (-3, 3)),
    "i0": (np.i0, (-9, 9)),
}
STEPS = {"sign", "floor", "ceil", "trunc", "round", "frac"}


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions(name):
    reference, domain = UNARY[name]
    for n in SIZES:
        a = draw(n, *domain).astype(np.float32)
        np.testing.assert_allclose(
            getattr(flambeau.from_numpy(a), name)().numpy(), reference(a.astype(float)), 3e-6, 1e-6
        )
    a = draw((5, 7), *domain)
    x = flambeau.from_numpy(a)
    for view, wanted in [(x, a), (x.t(), a.T), (x[:, ::2], a[:, ::2]), (x[:1].expand(3, 7), a[:1].repeat(3, 0))]:
        np.testing.assert_allclose(getattr(view, name)().numpy(), reference(wanted), 1e-12, 1e-13)


@pytest.mark.parametrize("name", sorted(set(UNARY) - STEPS))
def test_unary_slopes(name):
    x = flambeau.tensor(draw(6, *UNARY[name][1], seed=1).tolist(), dtype=flambeau.float64, requires_grad=True)
    assert gradcheck(getattr(flambeau, name), (x,))
    if name != "abs":
        assert gradgradcheck(getattr(flambeau, name), (x,))


@pytest.mark.parametrize("name", sorted(STEPS - {"frac"}))
def test_steps_are_flat(name):
    x = flambeau.tensor([0.3, -1.7], requires_grad=True)
    assert flambeau.autograd.grad(getattr(flambeau, name)(x).sum(), x)[0].tolist() == [0.0, 0.0]


SPECIAL = {
    "digamma": ([1.0, 0.5, -0.5], [-0.5772156649015329, -1.9635100260214235, 0.03648997397857652]),
    "erfinv": ([0.5, -0.9, 0.999999], [0.4769362762044699, -1.1630871536766743, 3.4589107372795]),
    "special.entr": ([0.5, 0.0, 1.0], [0.34657359027997264, 0.0, 0.0]),
    "special.ndtr": ([0.0, 1.0, -3.0], [0.5, 0.8413447460685429, 0.0013498980316300933]),
    "special.log_ndtr": ([0.0, -3.0, -40.0], [-0.6931471805599453, -6.607726221510342, -804.6084420137538]),
    "special.ndtri": ([0.5, 0.975, 1e-10], [0.0, 1.959963984540054, -6.361340902404056]),
    "special.erfcx": ([0.0, 1.0, 30.0], [1.0, 0.427583576155807, 0.01879588886141675]),
    "special.i0e": ([0.0, 1.0, 50.0], [1.0, 0.46575960759364043, 0.05656162664745418]),
    "special.i1": ([0.5, 1.0, -1.0], [0.25789430539089636, 0.5651591039924851, -0.5651591039924851]),
    "special.i1e": ([1.0, 50.0], [0.2079104153497085, 0.05599312389289544]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    arguments, wanted = SPECIAL[name]
    function = flambeau
    for part in name.split("."):
        function = getattr(function, part)
    x = flambeau.tensor(arguments, dtype=flambeau.float64)
    np.testing.assert_allclose(function(x).numpy(), wanted, 1e-11, 1e-14)
    x = flambeau.tensor([0.3, 0.6, 0.8], dtype=flambeau.float64, requires_grad=True)
    assert gradcheck(function, (x,))


def test_polygamma_and_zeta():
    x = flambeau.tensor([1.0, 2.5], dtype=flambeau.float64, requires_grad=True)
    np.testing.assert_allclose(flambeau.polygamma(1, x).tolist(), [math.pi**2 / 6, 0.4903577561002348], 1e-8)
    np.testing.assert_allclose(flambeau.polygamma(2, x).tolist(), [-2.4041138063191885, -0.2362040516417274], 1e-12)
    assert gradcheck(lambda t: flambeau.polygamma(2, t), (x,))
    np.testing.assert_allclose(flambeau.special.zeta(flambeau.tensor(2.0), 1).item(), math.pi**2 / 6, 1e-6)
    np.testing.assert_allclose(
        flambeau.mvlgamma(x, 2).tolist(),
        [math.lgamma(v) + math.lgamma(v - 0.5) + math.log(math.pi) / 2 for v in (1, 2.5)],
    )


BINARY = {  # name: (reference, domain)
    "add": (np.add, (-3, 3)),
    "sub": (np.subtract, (-3, 3)),
    "mul": (np.multiply, (-3, 3)),
    "div": (np.divide, (0.3, 3)),
    "pow": (np.power, (0.3, 3)),
    "fmod": (np.fmod, (-3, 3)),
    "remainder": (np.mod, (-3, 3)),
    "maximum": (np.maximum, (-3, 3)),
    "minimum": (np.minimum, (-3, 3)),
    "fmax": (np.fmax, (-3, 3)),
    "fmin": (np.fmin, (-3, 3)),
    "atan2": (np.arctan2, (-3, 3)),
    "hypot": (np.hypot, (-3, 3)),
    "copysign": (np.copysign, (-3, 3)),
    "logaddexp": (np.logaddexp, (-3, 3)),
    "logaddexp2": (np.logaddexp2, (-3, 3)),
    "xlogy": (lambda x, y: x * np.log(y), (0.3, 3)),
    "ldexp": (lambda x, y: x * 2**y, (-3, 3)),
    "float_power": (np.power, (0.3, 3)),
}
FLOOR = {"floor_divide": np.floor_divide, "nextafter": np.nextafter, "heaviside": np.heaviside}
TO_BOOL = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
SHAPES = [
    ((4, 5), (4, 5)),
    ((4, 5), (5,)),
    ((4, 1), (1, 5)),
    ((), (4, 5)),
    ((2, 1, 3), (4, 1)),
    ((3, 70), (70,)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize("name", [*BINARY, *FLOOR, *TO_BOOL])
def test_binary_functions_broadcast(name):
    reference, domain = BINARY.get(name) or ({**FLOOR, **TO_BOOL}[name], (-3, 3))
    for left, right in SHAPES:
        a, b = np.asarray(draw(left, *domain)), np.asarray(draw(right, *domain, seed=1))
        x, y = flambeau.from_numpy(a.reshape(left)), flambeau.from_numpy(b.reshape(right))
        np.testing.assert_allclose(getattr(flambeau, name)(x, y).numpy(), reference(a, b), 1e-12, 1e-13)
    a, b = draw((6, 4), *domain), draw((4, 6), *domain, seed=1)
    got = getattr(flambeau, name)(flambeau.from_numpy(a), flambeau.from_numpy(b).t())
    np.testing.assert_allclose(got.numpy(), reference(a, b.T), 1e-12, 1e-13)


@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary_slopes(name):
    domain = BINARY[name][1]
    x = flambeau.tensor(draw((2, 3), *domain, seed=2).tolist(), dtype=flambeau.float64, requires_grad=True)
    y = flambeau.tensor(draw(3, *domain, seed=3).tolist(), dtype=flambeau.float64, requires_grad=True)
    assert gradcheck(getattr(flambeau, name), (x, y))
    if name not in ("maximum", "minimum", "fmax", "fmin", "fmod", "remainder", "copysign"):
        assert gradgradcheck(getattr(flambeau, name), (x, y))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers_divide_as_in_python_and_wrap(dtype):
    kind = getattr(flambeau, dtype)
    a, b = [7, -7, 7, -7, 0], [2, 2, -2, -2, 3]
    if dtype == "uint8":
        a, b = [7, 9, 8], [2, 3, 5]
    x, y = flambeau.tensor(a, dtype=kind), flambeau.tensor(b, dtype=kind)
    assert (x // y).tolist() == [p // q for p, q in zip(a, b)]
    assert (x % y).tolist() == [p % q for p, q in zip(a, b)]
    assert flambeau.fmod(x, y).tolist() == [int(math.fmod(p, q)) for p, q in zip(a, b)]
    assert flambeau.div(x, y, rounding_mode="trunc").tolist() == [int(p / q) for p, q in zip(a, b)]
    assert (x / y).dtype is flambeau.float32 and (x + y).dtype is kind
    for operation in (lambda: x // 0, lambda: x % (y * 0), lambda: flambeau.fmod(x, 0)):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            operation()
    if dtype != "uint8":
        smallest = flambeau.tensor([flambeau.iinfo(kind).min], dtype=kind)
        assert (smallest // -1).tolist() == smallest.tolist() and (smallest % -1).tolist() == [0]
    assert flambeau.gcd(flambeau.tensor([12, 0], dtype=kind), flambeau.tensor([18, 5], dtype=kind)).tolist() == [6, 5]
    assert flambeau.lcm(flambeau.tensor([4, 0], dtype=kind), flambeau.tensor([6, 5], dtype=kind)).tolist() == [12, 0]
    assert flambeau.pow(x, 2).tolist() == (x * x).tolist()


def test_bits_and_shifts():
    x, y = flambeau.tensor([12, -5]), flambeau.tensor([10, 3])
    assert (x & y).tolist() == [8, 3] and (x | y).tolist() == [14, -5] and (x ^ y).tolist() == [6, -8]
    assert (~x).tolist() == [-13, 4] and (~flambeau.tensor([True])).tolist() == [False]
    assert (x << 2).tolist() == [48, -20] and (x >> 1).tolist() == [6, -3]
    assert (x << 64).tolist() == [0, 0] and (x >> 64).tolist() == [0, -1] and (1 << y).tolist() == [1024, 8]


def test_promotion():
    f32, i64 = flambeau.ones(2), flambeau.ones(2, dtype=flambeau.int64)
    assert (i64 + 1.5).dtype is flambeau.float32 and (i64 + 1).dtype is flambeau.int64
    assert (f32 + flambeau.tensor(1.0, dtype=flambeau.float64)).dtype is flambeau.float32
    assert (f32.half() * f32).dtype is flambeau.float32 and (f32.half() * 2).dtype is flambeau.float16
    assert (f32.half() + f32.bfloat16()).dtype is flambeau.float32
    assert i64.sqrt().dtype is flambeau.float32 and (f32 > 0).dtype is flambeau.bool
    assert flambeau.result_type(i64, 1.0) is flambeau.float32
    assert flambeau.promote_types(flambeau.uint8, flambeau.int8) is flambeau.int16
    assert flambeau.can_cast(flambeau.int64, flambeau.float32) and not flambeau.can_cast(
        flambeau.float32, flambeau.int64
    )


def test_half_precision_rounds_once():
    a = draw(100).astype(np.float16)
    x = flambeau.from_numpy(a)
    np.testing.assert_array_equal((x * x + 0).numpy(), (a.astype(np.float32) ** 2).astype(np.float16))
    np.testing.assert_array_equal(x.exp().numpy(), np.exp(a.astype(np.float64)).astype(np.float16))
    assert (x > 0).dtype is flambeau.bool


def test_results_take_the_order_of_the_inputs():
    x = flambeau.zeros(2, 3, 4).permute(2, 0, 1)
    for result in (x + 1, x * x, x.exp(), x > 0, x + flambeau.zeros(3), flambeau.where(x > 0, x, 1.0)):
        assert result.stride() == x.stride()
    assert (x + flambeau.zeros(4, 2, 3)).stride() == x.stride()
    assert (x[::2] + 1).stride() == (1, 6, 2)


def test_in_place_and_out():
    x = flambeau.ones(2, 3)
    y = x.t()
    y.add_(1).mul_(flambeau.tensor([1.0, 2.0]))
    assert x.tolist() == [[2.0] * 3, [4.0] * 3]
    out = flambeau.empty(3)
    assert flambeau.add(flambeau.ones(3), 1, out=out) is out and out.tolist() == [2.0] * 3
    wide = flambeau.zeros(3, 2)
    flambeau.mul(flambeau.ones(3), 5, out=wide[:, 0])
    assert wide.tolist() == [[5.0, 0.0]] * 3
    half = flambeau.ones(3, dtype=flambeau.float16)
    half += flambeau.ones(3)
    assert half.dtype is flambeau.float16 and half.tolist() == [2.0] * 3
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        flambeau.ones(2, dtype=flambeau.int64).add_(1.5)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        flambeau.ones(3).add_(flambeau.ones(2, 3))


def test_selections():
    x = flambeau.tensor([-2.0, 0.5, float("nan"), 3.0])
    assert flambeau.where(x > 0, x, 0).tolist() == [0.0, 0.5, 0.0, 3.0]
    assert x.where(x > 0, flambeau.zeros(1)).tolist() == [0.0, 0.5, 0.0, 3.0]
    assert flambeau.where(x > 0)[0].tolist() == [1, 3]
    assert x.clamp(-1, 1)[:2].tolist() == [-1.0, 0.5] and math.isnan(x.clamp(-1, 1)[2].item())
    assert x.clamp(2, 1)[0].item() == 1 and x.clamp(max=1)[3].item() == 1 and x.clip(min=0)[0].item() == 0
    assert flambeau.tensor([1, 5, 9]).clamp(2, 7).tolist() == [2, 5, 7]
    assert flambeau.tensor([1, 5]).clamp(min=1.5).tolist() == [1.5, 5.0]
    assert x.masked_fill(x.isnan(), 7).tolist() == [-2.0, 0.5, 7.0, 3.0]
    assert flambeau.nan_to_num(flambeau.tensor([float("nan"), float("inf"), 1.0]), 5, 6).tolist() == [5.0, 6.0, 1.0]
    assert flambeau.lerp(flambeau.tensor([0.0, 2.0]), flambeau.tensor([1.0, 4.0]), 0.75).tolist() == [0.75, 3.5]
    assert flambeau.addcmul(x[:2], x[:2], x[:2], value=2).tolist() == [6.0, 1.0]
    assert flambeau.addcdiv(x[:2], x[:2], x[:2], value=2).tolist() == [0.0, 2.5]
    assert flambeau.round(flambeau.tensor([0.5, 1.5, 2.345]), decimals=0).tolist()[:2] == [0.0, 2.0]
    assert flambeau.round(flambeau.tensor([123.0]), decimals=-1).tolist() == [120.0]


def test_slopes_of_selections():
    def inputs(count):
        return [
            flambeau.tensor(draw(5, 0.2, 2, seed=i).tolist(), dtype=flambeau.float64, requires_grad=True)
            for i in range(count)
        ]

    x, y, z = inputs(3)
    condition = flambeau.tensor([True, False, True, True, False])
    assert gradcheck(lambda a, b: flambeau.where(condition, a, b), (x, y))
    assert gradcheck(lambda a, b: a.masked_fill(condition, b[0]), (x, y))
    assert gradcheck(lambda a, b, c: a.clamp(b, c), (x, y, z))
    assert gradcheck(lambda a: a.clamp(0.5, 1), (x,))
    assert gradcheck(lambda a, b: a.clamp_min(b).clamp_max(1), (x, y))
    assert gradcheck(flambeau.lerp, (x, y, z)) and gradcheck(lambda a, b: flambeau.lerp(a, b, 0.3), (x, y))
    assert gradcheck(lambda a, b, c: flambeau.addcmul(a, b, c, value=2), (x, y, z))
    assert gradcheck(lambda a, b, c: flambeau.addcdiv(a, b, c, value=2), (x, y, z))
    assert gradcheck(lambda a: flambeau.logit(a / 4, eps=0.01), (x,)) and gradcheck(lambda a: a**-1.5, (x,))
    assert gradcheck(lambda a: 2**a, (x,)) and gradcheck(lambda a: 1 - a, (x,)) and gradcheck(lambda a: 1 / a, (x,))


def test_closeness():
    nan = flambeau.tensor([1.0, float("nan")])
    assert flambeau.isclose(nan, nan).tolist() == [True, False]
    assert flambeau.isclose(nan, nan, equal_nan=True).all() and not flambeau.allclose(nan, nan)
    assert flambeau.allclose(flambeau.tensor([1.0]), flambeau.tensor([1.0 + 1e-6]))
    assert flambeau.equal(flambeau.ones(2), flambeau.ones(2)) and not flambeau.equal(flambeau.ones(2), flambeau.ones(3))
    assert flambeau.tensor([float("inf"), -1.0]).isinf().tolist() == [True, False]


ERRORS = [
    (
        lambda: flambeau.ones(2) + flambeau.ones(3),
        r"The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton dimension 0",
    ),
    (lambda: -flambeau.tensor([True]), "Negation, the `-` operator, on a bool tensor is not supported"),
    (
        lambda: flambeau.tensor([True]) - flambeau.tensor([True]),
        "Subtraction, the `-` operator, with two bool tensors is not supported",
    ),
    (lambda: flambeau.tensor([True]) - 1, "Subtraction, the `-` operator, with a bool tensor is not supported"),
    (
        lambda: flambeau.add(flambeau.tensor([1]), 1, alpha=1.5),
        "For integral input tensors, argument alpha must not be a floating point number",
    ),
    (lambda: flambeau.tensor([2]) ** -1, "Integers to negative integer powers are not allowed"),
    (
        lambda: flambeau.div(flambeau.ones(1), 1, rounding_mode="up"),
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
    ),
    (
        lambda: flambeau.where(flambeau.ones(1), 1, 2),
        "where expected condition to be a boolean tensor, but got a tensor with dtype Float",
    ),
    (
        lambda: flambeau.ones(2).masked_fill(flambeau.ones(2), 1),
        "masked_fill only supports boolean masks, but got mask with dtype Float",
    ),
    (lambda: flambeau.ones(2).clamp(), "At least one of 'min' or 'max' must not be None"),
    (lambda: flambeau.ones(2) & flambeau.ones(2), "\"bitwise_and_cpu\" not implemented for 'Float'"),
    (
        lambda: flambeau.heaviside(flambeau.ones(1, requires_grad=True), flambeau.ones(1)).backward(),
        "derivative for aten::heaviside is not implemented",
    ),
    (
        lambda: flambeau.lerp(flambeau.ones(1), flambeau.ones(1).double(), 0.5),
        "expected dtype Float for `end` but got dtype Double",
    ),
    (lambda: flambeau.addcdiv(*[flambeau.tensor([1])] * 3), "Integer division with addcdiv is no longer supported"),
]


@pytest.mark.parametrize("call, words", ERRORS)
def test_errors_are_pytorchs(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()
