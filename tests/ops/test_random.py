"""Random numbers: a few of PyTorch's bits by value, the generator's state, and what in-place draws do to a graph."""

from __future__ import annotations

import pickle

import pytest

import flambeau as torch

# Recorded from torch 2.13.0 after torch.manual_seed(1337).
GOLDEN = {
    "rand": (
        lambda: torch.rand(4),
        ["0x1.40c97p-4", "0x1.fb82f4p-2", "0x1.3f06b8p-1", "0x1.b093ap-2"],
    ),
    "rand_float64": (
        lambda: torch.rand(2, dtype=torch.float64),
        ["0x1.40c978f7ee0bdp-1", "0x1.f835c366c24e8p-1"],
    ),
    "randn_few": (lambda: torch.randn(3), ["-0x1.0353b6p+1", "-0x1.086298p+1", "-0x1.3492a8p+0"]),
    "randn_many": (
        lambda: torch.randn(17)[-3:],
        ["0x1.860b66p+0", "0x1.41196p+1", "0x1.54575ap-3"],
    ),
    "randint": (lambda: torch.randint(0, 100, (6,)), [15, 57, 92, 0, 95, 53]),
    "randint_wide": (
        lambda: torch.randint(0, 2**40, (3,)),
        [650947518653, 396050048232, 719592052185],
    ),
    "randperm": (lambda: torch.randperm(8), [7, 4, 1, 3, 0, 6, 2, 5]),
    "bernoulli": (lambda: torch.empty(8).bernoulli_(0.5).to(torch.int64), [0, 0, 0, 0, 1, 0, 1, 1]),
    "exponential": (
        lambda: torch.empty(3).exponential_(),
        ["0x1.f8499ep-1", "0x1.0bdefep+2", "0x1.d92236p-1"],
    ),
    "cauchy": (
        lambda: torch.empty(3).cauchy_(),
        ["0x1.adf5aap-2", "0x1.4e7b52p+4", "0x1.57cdf6p-2"],
    ),
    "log_normal": (
        lambda: torch.empty(3).log_normal_(0, 1),
        ["0x1.0e0e2cp-3", "0x1.03977cp-3", "0x1.32c5f8p-2"],
    ),
    "geometric": (lambda: torch.empty(5).geometric_(0.3).to(torch.int64), [2, 1, 2, 2, 3]),
    "multinomial": (lambda: torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]), 3), [3, 2, 0]),
    "multinomial_with_replacement": (
        lambda: torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]), 6, True),
        [3, 3, 3, 3, 2, 3],
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name):
    draw, expected = GOLDEN[name]
    torch.manual_seed(1337)
    assert draw().tolist() == [float.fromhex(x) if isinstance(x, str) else x for x in expected]


def test_state_returns_to_its_place():
    torch.manual_seed(5)
    torch.randn(3)  # leaves a cached normal behind
    state = torch.get_rng_state()
    assert state.dtype == torch.uint8 and state.shape == (5056,)
    first = torch.randn(20).tolist() + torch.randn(3).tolist()
    torch.set_rng_state(state)
    assert torch.randn(20).tolist() + torch.randn(3).tolist() == first


def test_generators_are_apart():
    a, b = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    x = torch.rand(5, generator=a)
    torch.rand(1)
    assert torch.rand(5, generator=b).tolist() == x.tolist()
    copy = pickle.loads(pickle.dumps(a))
    clone = a.clone_state()
    y = torch.rand(5, generator=a).tolist()
    assert torch.rand(5, generator=copy).tolist() == y
    assert torch.rand(5, generator=clone).tolist() == y
    assert a.initial_seed() == 1 and a.device.type == "cpu"
    assert a.seed() == a.initial_seed()


def test_seed_from_the_system_varies():
    generator = torch.Generator()
    assert generator.seed() != generator.seed()


def test_long_draws_continue_short_ones():
    a, b = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    whole = torch.rand(5000, generator=a).tolist()
    parts = [x for n in (1, 623, 624, 625, 3127) for x in torch.rand(n, generator=b).tolist()]
    assert parts == whole


def test_in_place_draws_cut_the_gradient():
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    y.uniform_()
    (y * 3).sum().backward()
    assert x.grad.tolist() == [0, 0, 0, 0]
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.normal_()


def test_in_place_draws_are_counted():
    x = torch.ones(4, requires_grad=True)
    factor = torch.ones(4)
    y = x * factor
    factor.bernoulli_(0.5)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


def test_dropout_scales_what_it_keeps():
    torch.manual_seed(0)
    x = torch.ones(1000, requires_grad=True)
    y = torch.dropout(x, 0.25, True)
    y.sum().backward()
    assert set(y.tolist()) == {0.0, (torch.ones(1) / 0.75).item()}
    assert x.grad.tolist() == y.tolist()
    assert 700 < sum(v != 0 for v in y.tolist()) < 800
    assert torch.dropout(x, 0.25, False) is x
    whole = torch.feature_dropout(torch.ones(3, 50, 4), 0.5, True)
    assert all(len(set(row)) == 1 for image in whole.tolist() for row in image)


def test_messages():
    for call, message in [
        (lambda: torch.rand(3, dtype=torch.int64), "\"check_uniform_bounds\" not implemented for 'Long'"),
        (
            lambda: torch.zeros(3).uniform_(2, 1),
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
        ),
        (lambda: torch.zeros(3).normal_(0, -1), "normal expects std >= 0.0, but found std -1"),
        (lambda: torch.randint(5, 5, (3,)), "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
        (lambda: torch.dropout(torch.ones(3), 1.5, True), "dropout probability has to be between 0 and 1, but got 1.5"),
        (
            lambda: torch.multinomial(torch.rand(3), 5),
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        ),
    ]:
        with pytest.raises(RuntimeError) as info:
            call()
        assert str(info.value) == message
