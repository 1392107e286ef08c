"""Probability distributions that can be sampled and scored. Part of torch/distributions.

There are Bernoulli, Categorical, Normal and Uniform, Independent around one of them, and kl_divergence between two.
"""

from __future__ import annotations

from flambeau._missing import module_getattr
from flambeau.distributions import constraints, kl, utils
from flambeau.distributions.bernoulli import Bernoulli
from flambeau.distributions.categorical import Categorical
from flambeau.distributions.distribution import Distribution
from flambeau.distributions.independent import Independent
from flambeau.distributions.kl import kl_divergence, register_kl
from flambeau.distributions.normal import Normal
from flambeau.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Independent",
    "Normal",
    "Uniform",
    "constraints",
    "kl",
    "kl_divergence",
    "register_kl",
    "utils",
]

__getattr__ = module_getattr(__name__)
