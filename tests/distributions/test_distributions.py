"""Distributions: densities and entropies against sums and formulas in NumPy, gradients, shapes, PyTorch's words."""

import math

import numpy as np
import pytest

import flambeau as torch
from flambeau.distributions import Bernoulli, Categorical, Independent, Normal, Uniform, kl_divergence


def close(a, b):
    np.testing.assert_allclose(a.detach().numpy(), b, rtol=2e-6, atol=1e-7)


def test_normal():
    loc, scale = torch.tensor([0.5, -1.0]), torch.tensor([1.0, 0.5])
    d = Normal(loc, scale)
    x = np.array([0.0, 1.0], dtype=np.float32)
    density = np.exp(-((x - loc.numpy()) ** 2) / (2 * scale.numpy() ** 2)) / (scale.numpy() * math.sqrt(2 * math.pi))
    close(d.log_prob(torch.from_numpy(x)), np.log(density))
    close(d.entropy(), 0.5 * np.log(2 * math.pi * math.e * scale.numpy() ** 2))
    close(d.icdf(d.cdf(loc + 0.25)), (loc + 0.25).numpy())
    assert d.mean is d.loc and d.mode is d.loc and d.stddev is d.scale
    close(kl_divergence(d, Normal(0.0, 1.0)), 0.5 * (scale**2 + loc**2 - 1 - (scale**2).log()).numpy())


def test_samples_are_those_of_the_generator():
    loc, scale = torch.tensor([0.5, -1.0]), torch.tensor([1.0, 0.5])
    torch.manual_seed(0)
    sample = Normal(loc, scale).sample((3,))
    torch.manual_seed(0)
    assert torch.equal(sample, torch.normal(loc.expand(3, 2), scale.expand(3, 2)))
    torch.manual_seed(0)
    index = Categorical(torch.tensor([0.2, 0.3, 0.5])).sample((4,))
    torch.manual_seed(0)
    assert torch.equal(index, torch.multinomial(torch.tensor([[0.2, 0.3, 0.5]]), 4, True).view(4))
    torch.manual_seed(0)
    coin = Bernoulli(torch.tensor([0.2, 0.8])).sample()
    torch.manual_seed(0)
    assert torch.equal(coin, torch.bernoulli(torch.tensor([0.2, 0.8])))


def test_rsample_is_differentiable():
    loc = torch.zeros(3, requires_grad=True)
    scale = torch.ones(3, requires_grad=True)
    x = Normal(loc, scale).rsample((5,))
    x.sum().backward()
    assert loc.grad.tolist() == [5, 5, 5]
    close(scale.grad, x.detach().sum(0).numpy())
    assert not Normal(loc, scale).sample().requires_grad


def test_categorical():
    logits = torch.tensor([[0.1, -0.5, 2.0], [0.0, 0.0, 0.0]], requires_grad=True)
    d = Categorical(logits=logits)
    e = np.exp(logits.detach().numpy())
    p = e / e.sum(-1, keepdims=True)
    close(d.probs, p)
    close(d.log_prob(torch.tensor([2, 1])), np.log(p[[0, 1], [2, 1]]))
    close(d.entropy(), -(p * np.log(p)).sum(-1))
    assert d.mode.tolist()[0] == 2
    assert d.enumerate_support().shape == (3, 2)
    d.log_prob(torch.tensor([2, 1])).sum().backward()
    close(logits.grad, np.eye(3, dtype=np.float32)[[2, 1]] - p)
    q = Categorical(torch.tensor([0.25, 0.25, 0.5]))
    close(kl_divergence(d, q), (p * np.log(p / q.probs.numpy())).sum(-1))
    certain = Categorical(torch.tensor([0.0, 1.0]))
    assert 0 < certain.entropy() < 2e-7  # probabilities are kept away from 0 and 1, as in PyTorch
    assert kl_divergence(Categorical(torch.tensor([0.5, 0.5])), certain) == math.inf


def test_bernoulli():
    p = np.array([0.2, 0.5], dtype=np.float32)
    d = Bernoulli(torch.from_numpy(p))
    close(d.log_prob(torch.tensor([1.0, 0.0])), np.log([p[0], 1 - p[1]]))
    close(d.entropy(), -(p * np.log(p) + (1 - p) * np.log(1 - p)))
    close(d.variance, p * (1 - p))
    assert d.mode[0] == 0 and math.isnan(d.mode[1])
    q = Bernoulli(logits=torch.tensor([0.3, -0.2]))
    r = q.probs.numpy()
    close(kl_divergence(d, q), p * np.log(p / r) + (1 - p) * np.log((1 - p) / (1 - r)))


def test_uniform():
    d = Uniform(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 3.0]))
    close(d.log_prob(torch.tensor([1.0, 1.0])), [-math.log(2)] * 2)
    close(d.cdf(torch.tensor([0.5, 2.0])), [0.25, 0.5])
    assert ((d.sample((100,)) >= d.low) & (d.sample((100,)) < d.high)).all()
    close(kl_divergence(d, Uniform(0.0, 4.0)), [math.log(2)] * 2)
    assert kl_divergence(d, Uniform(0.5, 4.0)).tolist()[0] == math.inf
    x = np.linspace(0, 2, 200001)
    mean = np.mean(math.log(0.5) - (-(x**2) / 2 - 0.5 * math.log(2 * math.pi)))
    np.testing.assert_allclose(kl_divergence(Uniform(0.0, 2.0), Normal(0.0, 1.0)).item(), mean, rtol=1e-4)


def test_independent_and_expand():
    d = Independent(Normal(torch.zeros(4, 3), torch.ones(3)), 1)
    assert d.batch_shape == (4,) and d.event_shape == (3,)
    x = d.sample((2,))
    assert x.shape == (2, 4, 3) and d.log_prob(x).shape == (2, 4)
    assert torch.allclose(d.log_prob(x), d.base_dist.log_prob(x).sum(-1))
    assert kl_divergence(d, d).tolist() == [0] * 4
    wide = d.expand((2, 4))
    assert wide.batch_shape == (2, 4) and wide.log_prob(x).shape == (2, 4)
    assert Categorical(torch.ones(3)).expand((2, 4)).sample().shape == (2, 4)


WORDS = [
    (
        lambda: Normal(torch.tensor([0.0]), torch.tensor([-1.0])),
        ValueError,
        "Expected parameter scale (Tensor of shape (1,)) of distribution Normal(loc: tensor([0.]), scale: tensor([-1.])) "
        "to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\ntensor([-1.])",
    ),
    (
        lambda: Bernoulli(0.5).log_prob(torch.tensor(3.0)),
        ValueError,
        "Expected value argument (Tensor of shape ()) to be within the support (Boolean()) of the distribution "
        "Bernoulli(probs: 0.5), but found invalid values:\n3.0",
    ),
    (
        lambda: Categorical(),
        ValueError,
        "Either `probs` or `logits` must be specified, but not both.",
    ),
    (
        lambda: kl_divergence(Bernoulli(0.5), Normal(0.0, 1.0)),
        NotImplementedError,
        "No KL(p || q) is implemented for p type Bernoulli and q type Normal",
    ),
]


@pytest.mark.parametrize("call,kind,words", WORDS)
def test_words(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == words


def test_checks_can_be_left_out():
    assert Normal(0.0, -1.0, validate_args=False).scale == -1
    with pytest.raises(AttributeError, match="torch.distributions.Dirichlet"):
        torch.distributions.Dirichlet  # noqa: B018
