"""Kullback-Leibler divergences, by pairs of types. Part of torch/distributions/kl.py."""

from __future__ import annotations

import math

import flambeau
from flambeau.distributions.bernoulli import Bernoulli
from flambeau.distributions.categorical import Categorical
from flambeau.distributions.distribution import Distribution
from flambeau.distributions.independent import Independent
from flambeau.distributions.normal import Normal
from flambeau.distributions.uniform import Uniform
from flambeau.distributions.utils import _sum_rightmost
from flambeau.nn.functional import softplus

__all__ = ["kl_divergence", "register_kl"]

_FORMULAS: dict = {}


def register_kl(type_p, type_q):
    """Decorator of a function of (p, q): the formula for these types and their subclasses."""
    for type_ in (type_p, type_q):
        if not isinstance(type_, type) or not issubclass(type_, Distribution):
            which = "type_p" if type_ is type_p else "type_q"
            raise TypeError(f"Expected {which} to be a Distribution subclass but got {type_}")

    def decorator(function):
        _FORMULAS[type_p, type_q] = function
        return function

    return decorator


def _formula(type_p, type_q):
    """The formula of the nearest ancestors, p's first."""
    for base_p in type_p.__mro__:
        for base_q in type_q.__mro__:
            if (base_p, base_q) in _FORMULAS:
                return _FORMULAS[base_p, base_q]
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type_p.__name__} and q type {type_q.__name__}")


def kl_divergence(p, q):
    """KL(p || q), the mean under p of log p(x) - log q(x), of shape batch_shape."""
    return _formula(type(p), type(q))(p, q)


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p, q):
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one[q.probs == 0] = flambeau.inf
    one[p.probs == 0] = 0
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zero[q.probs == 1] = flambeau.inf
    zero[p.probs == 1] = 0
    return one + zero


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = flambeau.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = flambeau.inf
    return result


@register_kl(Normal, Uniform)
def _kl_normal_uniform(p, q):
    return flambeau.full_like(p.loc, flambeau.inf)  # p reaches beyond q


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p, q):
    width = p.high - p.low
    scales = (math.sqrt(math.pi * 2) * q.scale / width).log()
    distance = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return scales + 0.5 * (width.pow(2) / 12 + distance) / q.scale.pow(2)


@register_kl(Independent, Independent)
def _kl_independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
