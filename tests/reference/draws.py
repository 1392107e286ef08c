"""Cases of the random stream: draws, initialisers, dropout; a number drawn after each tells where the stream stands."""

from __future__ import annotations

from reference.frame import SIZES, case


def draws(torch, *makes) -> list:
    results = []
    for make in makes:
        results += [make(), torch.rand(1)]
    return results


@case("randn normal_ randn_like normal")
def normal(torch):
    results = draws(torch, *(lambda n=n: torch.randn(n) for n in SIZES))
    return results + draws(
        torch,
        lambda: torch.empty(15).normal_(0.5, 2.0),
        lambda: torch.empty(65, 33).normal_(0.0, 0.02),
        lambda: torch.randn_like(torch.empty(5, 7)),
        lambda: torch.normal(1.0, 2.0, (33,)),
        lambda: torch.normal(torch.zeros(33), torch.ones(33)),
        lambda: torch.randn(17, dtype=torch.float64),
    )


@case("rand uniform_ rand_like")
def uniform(torch):
    results = draws(torch, *(lambda n=n: torch.rand(n) for n in SIZES))
    return results + draws(
        torch,
        lambda: torch.empty(65, 33).uniform_(-0.3, 0.7),
        lambda: torch.rand_like(torch.empty(5, 7)),
        lambda: torch.rand(17, dtype=torch.float64),
        lambda: torch.rand(9, dtype=torch.bfloat16).float(),
    )


@case("randint random_ randperm randint_like")
def integers(torch):
    results = draws(torch, *(lambda n=n: torch.randint(n * 10, (n,)) for n in SIZES))
    results += draws(torch, *(lambda n=n: torch.randperm(n) for n in SIZES))
    return results + draws(
        torch,
        lambda: torch.randint(-5, 1 << 40, (33,)),
        lambda: torch.empty(33, dtype=torch.int64).random_(),
        lambda: torch.empty(33).random_(),
    )


@case("multinomial")
def multinomial(torch):
    p = torch.rand(7, 65).softmax(1)
    return draws(
        torch,
        lambda: torch.multinomial(p, 1),
        lambda: torch.multinomial(p, 5),
        lambda: torch.multinomial(p, 9, replacement=True),
        lambda: torch.multinomial(p[0], 3),
    )


@case("bernoulli bernoulli_")
def bernoulli(torch):
    return draws(
        torch,
        *(lambda n=n: torch.empty(n).bernoulli_(0.3) for n in SIZES),
        lambda: torch.bernoulli(torch.rand(1003)),
        lambda: torch.empty(33, dtype=torch.bool).bernoulli_(0.5),
    )


@case("exponential_ geometric_ log_normal_ cauchy_")
def other_distributions(torch):
    return draws(
        torch,
        *(lambda n=n: torch.empty(n).exponential_(1.5) for n in (1, 7, 17, 1003)),
        lambda: torch.empty(33).geometric_(0.3),
        lambda: torch.empty(33).log_normal_(),
        lambda: torch.empty(33).cauchy_(),
    )


@case("dropout")
def dropout(torch):
    results = []
    for n in SIZES:
        x = torch.randn(n, requires_grad=True)
        y = torch.nn.functional.dropout(x, 0.2)
        results += [y, *torch.autograd.grad(y, x, torch.randn(n)), torch.rand(1)]
    x = torch.randn(33, 21).t()
    return [*results, torch.nn.functional.dropout(x, 0.5), torch.nn.functional.dropout2d(torch.randn(3, 5, 4, 4), 0.5)]


@case("normal_ uniform_")
def initialisers(torch):
    init = torch.nn.init
    names = (
        "xavier_uniform_",
        "xavier_normal_",
        "kaiming_uniform_",
        "kaiming_normal_",
        "trunc_normal_",
        "normal_",
        "uniform_",
    )
    return draws(
        torch, *(lambda f=getattr(init, n), s=s: f(torch.empty(s)) for n in names for s in ((33, 17), (8, 3, 3, 3)))
    )


@case("normal_ uniform_")
def layers_as_made(torch):
    nn = torch.nn
    modules = [
        nn.Linear(33, 17),
        nn.Embedding(65, 24),
        nn.Conv2d(3, 8, 3),
        nn.LayerNorm(8),
        nn.BatchNorm2d(4),
        nn.Bilinear(3, 4, 5),
    ]
    return [*(p for m in modules for p in m.parameters()), torch.rand(1)]
