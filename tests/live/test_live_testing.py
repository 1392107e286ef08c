"""assert_close's verdicts and messages, and make_tensor's values, beside PyTorch's."""

import itertools

import pytest

import flambeau
from flambeau import testing

torch = pytest.importorskip("torch")

CASES = [
    lambda t: (t([1.0, 2.0]), t([1.0, 2.1])),
    lambda t: (t(1.0), t(2.0)),
    lambda t: (1, 2),
    lambda t: (1, 1.0),
    lambda t: (True, False),
    lambda t: (None, 1),
    lambda t: ([1, t([1])], [1, t([2])]),
    lambda t: ({"a": 1}, {"b": 1}),
    lambda t: ({"a": [t([1.0, 2.0])]}, {"a": [t([1.0, 3.0])]}),
    lambda t: (t([1]), t([1.0])),
    lambda t: (t([1, 2]), t([1])),
    lambda t: (t([float("nan")]), t([float("nan")])),
    lambda t: (t([1]), 1),
    lambda t: ("a", "a"),
    lambda t: ([1], [1, 2]),
    lambda t: (t([[1, 2], [3, 4]]), t([[1, 2], [3, -128]])),
    lambda t: (t([True]), t([False])),
    lambda t: (t([0.0, 1.0]), t([0.0, 0.0])),
    lambda t: (float("nan"), float("nan")),
    lambda t: (1j, 2j),
]
OPTIONS = [
    {}, {"rtol": 0, "atol": 0}, {"rtol": 0.1, "atol": 0.1}, {"check_dtype": False},
    {"equal_nan": True}, {"rtol": 1}, {"msg": "mine"}, {"msg": str.upper}, {"check_stride": True},
]  # fmt: skip


def outcome(function, arguments, options):
    try:
        function(*arguments, **options)
    except Exception as error:
        return type(error), str(error).replace("flambeau", "torch")
    return None


@pytest.mark.parametrize(("case", "options"), list(itertools.product(CASES, OPTIONS)))
def test_same_verdict(case, options):
    ours = outcome(testing.assert_close, case(flambeau.tensor), options)
    theirs = outcome(torch.testing.assert_close, case(torch.tensor), options)
    if ours is not None and ours[0] is TypeError:
        # Class names are spelled with the module that defines them.
        assert theirs[0] is TypeError
        return
    assert ours == theirs


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "int64", "int8", "uint8", "bool"])
@pytest.mark.parametrize("options", [{}, {"low": -1, "high": 2}, {"noncontiguous": True}, {"exclude_zero": True}])
def test_make_tensor_draws_the_same(name, options):
    made = []
    for library, make in ((flambeau, testing.make_tensor), (torch, torch.testing.make_tensor)):
        library.manual_seed(3)
        made.append(make(4, 5, dtype=getattr(library, name), device="cpu", **options))
    assert made[0].stride() == made[1].stride()
    testing.assert_equal_bits(*made)
