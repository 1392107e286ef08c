"""Distribution: shapes, checks of arguments and what all distributions offer. Follows torch/distributions."""

from __future__ import annotations

import warnings

import flambeau
from flambeau.distributions import constraints
from flambeau.distributions.utils import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """A batch of distributions of shape `batch_shape` over events of shape `event_shape`."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Whether distributions made from now on check their arguments."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=flambeau.Size(), event_shape=flambeau.Size(), validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self):
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation."
            )
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def arg_constraints(self):
        raise NotImplementedError

    @property
    def support(self):
        raise NotImplementedError

    @property
    def mean(self):
        raise NotImplementedError

    @property
    def mode(self):
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self):
        raise NotImplementedError

    @property
    def stddev(self):
        return self.variance.sqrt()

    def expand(self, batch_shape, _instance=None):
        """The same distributions repeated to `batch_shape`."""
        raise NotImplementedError

    def sample(self, sample_shape=flambeau.Size()):
        """Samples of shape sample_shape + batch_shape + event_shape, without history."""
        with flambeau.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=flambeau.Size()):
        """The same, differentiable with respect to the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2)
        return self.sample(flambeau.Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density or probability of `value`."""
        raise NotImplementedError

    def cdf(self, value):
        raise NotImplementedError

    def icdf(self, value):
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def perplexity(self):
        return flambeau.exp(self.entropy())

    def _extended_shape(self, sample_shape=flambeau.Size()):
        return flambeau.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value):
        if not isinstance(value, flambeau.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        event_dim = len(self._event_shape)
        if event_dim and value.shape[-event_dim:] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{flambeau.Size(value.shape)} vs {self._event_shape}."
            )
        for i, j in zip(reversed(value.shape), reversed(self._batch_shape + self._event_shape)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.shape} vs {self._batch_shape + self._event_shape}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _expanded(self, cls, batch_shape, _instance, names, event_shape=()):
        """A copy with the parameters `names`, those of them that are known, expanded to `batch_shape`."""
        new = self._get_checked_instance(cls, _instance)
        batch_shape = flambeau.Size(batch_shape)
        for name in names:
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand((*batch_shape, *event_shape)))
        super(cls, new).__init__(batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def __repr__(self):
        names = [name for name in self.arg_constraints if name in self.__dict__]
        args = ", ".join(
            f"{name}: {value if value.numel() == 1 else value.size()}"
            for name, value in ((name, self.__dict__[name]) for name in names)
        )
        return f"{self.__class__.__name__}({args})"
