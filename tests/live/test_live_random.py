"""The random stream and its distributions against PyTorch's, bit for bit: values, and the stream's position after."""

# ruff: noqa: B023 (the functions made in loops are called at once)
from __future__ import annotations

import warnings

import numpy
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

BOTH = (flambeau, torch)
SIZES = [0, 1, 15, 16, 17, 33, 1000, 100003]
FLOATS = ["float32", "float64", "float16", "bfloat16"]


def bits(tensor):
    """An array that compares every bit of a tensor."""
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.view(flambeau.int16 if isinstance(tensor, flambeau.Tensor) else torch.int16)
    array = numpy.ascontiguousarray(tensor.detach().numpy())
    return array.view(f"u{array.itemsize}") if array.dtype.kind == "f" else array


def same(fn, seed=1337):
    """fn(lib, generator) gives equal bits in both libraries, and leaves equal generators."""
    results = []
    for lib in BOTH:
        generator = lib.Generator().manual_seed(seed)
        result = fn(lib, generator)
        state = numpy.array(generator.get_state().numpy())
        results.append((result, state))
    (ours, our_state), (theirs, their_state) = results
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert str(ours.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]
    assert ours.stride() == theirs.stride()
    numpy.testing.assert_array_equal(bits(ours), bits(theirs))
    numpy.testing.assert_array_equal(our_state, their_state)


DISTRIBUTIONS = {
    "uniform": lambda t, g: t.uniform_(generator=g),
    "uniform_ab": lambda t, g: t.uniform_(-0.3, 1.9, generator=g),
    "normal": lambda t, g: t.normal_(generator=g),
    "normal_ab": lambda t, g: t.normal_(0.25, 1.7, generator=g),
    "exponential": lambda t, g: t.exponential_(1.7, generator=g),
    "geometric": lambda t, g: t.geometric_(0.3, generator=g),
    "log_normal": lambda t, g: t.log_normal_(0.3, 0.7, generator=g),
    "cauchy": lambda t, g: t.cauchy_(0.3, 1.2, generator=g),
    "bernoulli": lambda t, g: t.bernoulli_(0.3, generator=g),
    "random": lambda t, g: t.random_(generator=g),
    "random_to": lambda t, g: t.random_(100, generator=g),
    "random_from": lambda t, g: t.random_(-50, 100, generator=g),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("size", SIZES)
def test_in_place(name, size, dtype):
    draw = DISTRIBUTIONS[name]
    same(lambda lib, g: draw(lib.zeros(size, dtype=getattr(lib, dtype)), g))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_in_place_of_strided_outputs(name, dtype):
    draw = DISTRIBUTIONS[name]
    same(lambda lib, g: draw(lib.zeros(40, dtype=getattr(lib, dtype))[::2], g))
    same(lambda lib, g: draw(lib.zeros(5, 7, 3, dtype=getattr(lib, dtype)).permute(2, 0, 1), g))
    same(lambda lib, g: draw(lib.zeros(9, 8, dtype=getattr(lib, dtype)).t()[1:, 2:], g))
    same(lambda lib, g: draw(lib.zeros(4, 6, dtype=getattr(lib, dtype)), g).t())


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8", "bool"])
def test_integers(dtype):
    same(lambda lib, g: lib.zeros(1000, dtype=getattr(lib, dtype)).random_(generator=g))
    same(lambda lib, g: lib.zeros(1000, dtype=getattr(lib, dtype)).random_(2, generator=g))
    same(lambda lib, g: lib.zeros(1000, dtype=getattr(lib, dtype)).random_(0, None, generator=g))
    same(lambda lib, g: lib.zeros(1000, dtype=getattr(lib, dtype)).bernoulli_(0.4, generator=g))
    if dtype != "bool":
        same(lambda lib, g: lib.zeros(1000, dtype=getattr(lib, dtype)).geometric_(0.4, generator=g))


@pytest.mark.parametrize("low, high", [(0, 1), (-5, 7), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (3, 2**63 - 1)])
def test_randint(low, high):
    same(lambda lib, g: lib.randint(low, high, (1000,), generator=g))


def test_random_over_all_of_int64():
    for dtype in ("int64", "float64", "float32", "bfloat16"):
        same(lambda lib, g: lib.zeros(100, dtype=getattr(lib, dtype)).random_(-(2**63), None, generator=g))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "low, high", [(2**24 + 1, 2**24 + 9), (-(2**24) - 7, 3), (257, 300), (3000, 3005), (-7000, 70)]
)
def test_random_beyond_the_mantissa(dtype, low, high):
    def draw(lib, g):
        try:
            return lib.zeros(100, dtype=getattr(lib, dtype)).random_(low, high, generator=g)
        except RuntimeError as error:
            messages.append(str(error).split("\nException raised")[0])
            return lib.zeros(0)

    messages: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(draw)
    assert len(set(messages)) <= 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions(dtype):
    for size in SIZES:
        same(lambda lib, g: lib.rand(size, generator=g, dtype=getattr(lib, dtype)))
        same(lambda lib, g: lib.randn(size, generator=g, dtype=getattr(lib, dtype)))
    same(lambda lib, g: lib.randn((3, 4), generator=g))
    same(lambda lib, g: lib.rand(3, 4, 5, generator=g))
    same(lambda lib, g: lib.randint(10, (3, 4), generator=g, dtype=getattr(lib, dtype)))


def test_default_generator():
    for lib in BOTH:
        lib.manual_seed(42)
    for fn in (
        lambda lib: lib.rand(5),
        lambda lib: lib.randn(3),
        lambda lib: lib.randn(100),
        lambda lib: lib.randint(3, 9, (7,)),
        lambda lib: lib.randperm(11),
        lambda lib: lib.rand_like(lib.zeros(4, 3).t()),
        lambda lib: lib.randn_like(lib.zeros(4, 3, dtype=lib.float64)),
        lambda lib: lib.randint_like(lib.zeros(6), 2, 9),
        lambda lib: lib.randint_like(lib.zeros(6, dtype=lib.int32), 9),
        lambda lib: lib.normal(1.0, 2.0, (20,)),
        lambda lib: lib.normal(0.5, 2.0, (3,)),
    ):
        numpy.testing.assert_array_equal(bits(fn(flambeau)), bits(fn(torch)))
    numpy.testing.assert_array_equal(flambeau.get_rng_state().numpy(), torch.get_rng_state().numpy())


def test_state_travels_both_ways():
    torch.manual_seed(3)
    torch.randn(5)
    flambeau.set_rng_state(flambeau.from_numpy(torch.get_rng_state().numpy()))
    numpy.testing.assert_array_equal(bits(flambeau.randn(7)), bits(torch.randn(7)))
    torch.set_rng_state(torch.from_numpy(flambeau.get_rng_state().numpy()))
    numpy.testing.assert_array_equal(bits(flambeau.rand(7)), bits(torch.rand(7)))


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 1000, 100003])
@pytest.mark.parametrize("dtype", ["int64", "int32", "float64", "float32"])
def test_randperm(n, dtype):
    same(lambda lib, g: lib.randperm(n, generator=g, dtype=getattr(lib, dtype)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_bernoulli_of_tensors(dtype):
    p = numpy.random.default_rng(0).random((13, 9)).astype("float32")

    def chances(lib):
        return lib.tensor(p.tolist(), dtype=getattr(lib, dtype))

    same(lambda lib, g: lib.bernoulli(chances(lib), generator=g))
    same(lambda lib, g: lib.bernoulli(chances(lib).t(), generator=g))
    same(lambda lib, g: lib.bernoulli(chances(lib), 0.3, generator=g))
    same(lambda lib, g: lib.zeros(13, 9).bernoulli_(chances(lib), generator=g))
    same(lambda lib, g: lib.zeros(9, 13).t().bernoulli_(chances(lib), generator=g))
    same(lambda lib, g: lib.zeros(4, 13, 9, dtype=lib.int64).bernoulli_(chances(lib), generator=g))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_multinomial(dtype):
    weights = numpy.random.default_rng(1).random((7, 50)).tolist()

    def p(lib):
        return lib.tensor(weights, dtype=getattr(lib, dtype))

    # In float16 many quotients are equal, and which of them comes first is up to the sorting.
    for samples in (1, 2, 7, 50) if dtype != "float16" else (1,):
        same(lambda lib, g: lib.multinomial(p(lib), samples, generator=g))
        same(lambda lib, g: lib.multinomial(p(lib)[3], samples, generator=g))
        same(lambda lib, g: lib.multinomial(p(lib), samples, replacement=True, generator=g))
        same(lambda lib, g: lib.multinomial(p(lib)[2], 3 * samples, True, generator=g))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_of_tensors(dtype):
    rng = numpy.random.default_rng(2)
    mean, std = rng.normal(size=(6, 1, 9)).tolist(), rng.random((5, 9)).tolist()

    def pair(lib):
        return lib.tensor(mean, dtype=getattr(lib, dtype)), lib.tensor(std, dtype=getattr(lib, dtype))

    same(lambda lib, g: lib.normal(*pair(lib), generator=g))
    same(lambda lib, g: lib.normal(pair(lib)[0], 0.7, generator=g))
    same(lambda lib, g: lib.normal(pair(lib)[0][0, 0], 0.7, generator=g))
    same(lambda lib, g: lib.normal(0.3, pair(lib)[1], generator=g))
    same(lambda lib, g: lib.normal(0.3, pair(lib)[1].t(), generator=g))


DROPOUTS = ["dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"]


@pytest.mark.parametrize("name", DROPOUTS)
@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
def test_dropout(name, p):
    x = numpy.random.default_rng(3).normal(size=(5, 7, 6)).astype("float32")
    results = []
    for lib in BOTH:
        lib.manual_seed(9)
        t = lib.tensor(x.tolist(), requires_grad=True)
        y = getattr(lib, name)(t, p, True)
        y.mul(y).sum().backward()
        results.append((bits(y), bits(t.grad)))
        z = getattr(lib, name + "_")(lib.tensor(x.tolist()), p, True)
        results[-1] += (bits(z), bits(getattr(lib, name)(lib.tensor(x.tolist()).permute(0, 2, 1), p, True)))
    for ours, theirs in zip(*results):
        numpy.testing.assert_array_equal(ours, theirs)


MESSAGES = [
    lambda lib: lib.rand(3, dtype=lib.int64),
    lambda lib: lib.randn(3, dtype=lib.int64),
    lambda lib: lib.zeros(3, dtype=lib.int64).exponential_(),
    lambda lib: lib.zeros(3, dtype=lib.int64).log_normal_(),
    lambda lib: lib.zeros(3, dtype=lib.int64).cauchy_(),
    lambda lib: lib.zeros(3).bernoulli_(1.5),
    lambda lib: lib.zeros(3).geometric_(0),
    lambda lib: lib.zeros(3).exponential_(-1),
    lambda lib: lib.zeros(3).cauchy_(0, -1),
    lambda lib: lib.zeros(3).log_normal_(0, -1),
    lambda lib: lib.zeros(3).normal_(0, -1),
    lambda lib: lib.zeros(3).uniform_(2, 1),
    lambda lib: lib.zeros(3).uniform_(-1e39, 1e39),
    lambda lib: lib.zeros(3).uniform_(-3e38, 3e38),
    lambda lib: lib.zeros(3).random_(5, 5),
    lambda lib: lib.zeros(3, dtype=lib.uint8).random_(0, 300),
    lambda lib: lib.zeros(3, dtype=lib.uint8).random_(-1, 30),
    lambda lib: lib.zeros(3, dtype=lib.int32).random_(-(2**63), None),
    lambda lib: lib.zeros(3, dtype=lib.half).random_(5000, None),
    lambda lib: lib.randint(5, 5, (3,)),
    lambda lib: lib.randperm(-1),
    lambda lib: lib.randperm(300, dtype=lib.uint8),
    lambda lib: lib.randperm(3000, dtype=lib.half),
    lambda lib: lib.randperm(3, dtype=lib.bool),
    lambda lib: lib.bernoulli(lib.tensor([1.5, 0.2])),
    lambda lib: lib.bernoulli(lib.zeros(3, dtype=lib.int64)),
    lambda lib: lib.zeros(3).bernoulli_(lib.rand(4)),
    lambda lib: lib.normal(lib.zeros(3), -1.0),
    lambda lib: lib.normal(lib.zeros(3), lib.tensor([1.0, -1, 1])),
    lambda lib: lib.normal(lib.zeros(3), lib.ones(4)),
    lambda lib: lib.multinomial(lib.rand(3), 5),
    lambda lib: lib.multinomial(lib.rand(3), 0),
    lambda lib: lib.multinomial(lib.rand(2, 2, 2), 1),
    lambda lib: lib.multinomial(lib.tensor([-1.0, 1]), 1),
    lambda lib: lib.multinomial(lib.tensor([0.0, 0]), 1),
    lambda lib: lib.multinomial(lib.tensor([0.0, 0]), 2, True),
    lambda lib: lib.multinomial(lib.tensor([-1.0, 3]), 2, True),
    lambda lib: lib.multinomial(lib.tensor([float("inf"), 3]), 2, True),
    lambda lib: lib.multinomial(lib.tensor([1, 3]), 2, True),
    lambda lib: lib.zeros(1).expand(3).uniform_(),
    lambda lib: lib.zeros(3, requires_grad=True).uniform_(),
    lambda lib: lib.dropout(lib.ones(3), 1.5, True),
    lambda lib: lib.feature_dropout(lib.ones(3), 0.5, True),
    lambda lib: lib.dropout(lib.ones(3, dtype=lib.int64), 0.5, True),
    lambda lib: lib.Generator().manual_seed(2**64),
    lambda lib: lib.Generator().manual_seed(1.5),
    lambda lib: lib.Generator().set_state(5),
    lambda lib: lib.Generator().set_state(lib.zeros(5056)),
    lambda lib: lib.Generator().set_state(lib.zeros(5048, dtype=lib.uint8)),
    lambda lib: lib.Generator().set_state(lib.zeros(5056, dtype=lib.uint8)),
]


@pytest.mark.parametrize("call", MESSAGES)
def test_messages(call):
    caught = []
    for lib in BOTH:
        with pytest.raises(Exception) as info:
            call(lib)
        caught.append((info.type.__name__, str(info.value).split("\nException raised")[0]))
    assert caught[0] == caught[1]


def test_seeds():
    for seed in (0, 1, -1, -(2**63), 2**63, 2**64 - 1):
        for lib in BOTH:
            lib.manual_seed(seed)
        assert flambeau.initial_seed() == torch.initial_seed()
        numpy.testing.assert_array_equal(bits(flambeau.rand(3)), bits(torch.rand(3)))
    numpy.testing.assert_array_equal(bits(flambeau.Generator().get_state()), bits(torch.Generator().get_state()))
