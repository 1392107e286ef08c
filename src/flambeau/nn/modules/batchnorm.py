"""Batch normalization. Follows torch/nn/modules/batchnorm.py; SyncBatchNorm is left out."""

from __future__ import annotations

import flambeau
from flambeau.nn import functional as F
from flambeau.nn import init
from flambeau.nn.modules.lazy import LazyModuleMixin
from flambeau.nn.modules.module import Module
from flambeau.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
]


class _NormBase(Module):
    """Parameters and running statistics of batch and instance norms, one of each per channel."""

    # Since version 2 the number of batches is part of the state.
    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = Parameter(flambeau.empty(num_features, **factory_kwargs))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = Parameter(flambeau.empty(num_features, **factory_kwargs))
        else:
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean", flambeau.zeros(num_features, **factory_kwargs))
            self.register_buffer("running_var", flambeau.ones(num_features, **factory_kwargs))
            count = flambeau.tensor(0, dtype=flambeau.long, device=device)
            self.register_buffer("num_batches_tracked", count)
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                if count is None or count.is_meta:
                    count = flambeau.tensor(0, dtype=flambeau.long)
                state_dict[key] = count
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """The forward of all batch norms."""

    def forward(self, input):
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        track = self.training and self.track_running_stats
        if track and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # A cumulative average: every batch weighs the same.
                factor = 1.0 / float(self.num_batches_tracked)
        use_running = not self.training or self.track_running_stats
        running_mean = self.running_mean
        running_var = self.running_var
        use_batch = self.training or (running_mean is None and running_var is None)
        return F.batch_norm(
            input,
            running_mean if use_running else None,
            running_var if use_running else None,
            self.weight,
            self.bias,
            use_batch,
            factor,
            self.eps,
        )


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A norm that takes num_features from its first input."""

    def __init__(
        self,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        factory_kwargs = {"device": device, "dtype": dtype}
        # Affine and tracking come with the uninitialized tensors below.
        super().__init__(0, eps, momentum, False, False, **factory_kwargs)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**factory_kwargs)
            if bias:
                self.bias = UninitializedParameter(**factory_kwargs)
        if track_running_stats:
            # The buffers exist as None; filling them keeps their order in the state.
            self.register_buffer("running_mean", UninitializedBuffer(**factory_kwargs))
            self.register_buffer("running_var", UninitializedBuffer(**factory_kwargs))
            self.num_batches_tracked = flambeau.tensor(0, dtype=flambeau.long, device=device)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for t in (self.weight, self.bias) if self.affine else ():
            if t is not None:
                t.materialize((self.num_features,))
        if self.track_running_stats:
            self.running_mean.materialize((self.num_features,))
            self.running_var.materialize((self.num_features,))
        self.reset_parameters()


def _check_2d_or_3d(self, input):
    if input.dim() not in (2, 3):
        raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


def _check_4d(self, input):
    if input.dim() != 4:
        raise ValueError(f"expected 4D input (got {input.dim()}D input)")


def _check_5d(self, input):
    if input.dim() != 5:
        raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class BatchNorm1d(_BatchNorm):
    """y = (x - mean) / sqrt(var + eps) * weight + bias

    x (N, C) or (N, C, L); mean and var of the batch in training, running ones in evaluation; weight, bias (C).
    """

    _check_input_dim = _check_2d_or_3d


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for x (N, C, H, W)"""

    _check_input_dim = _check_4d


class BatchNorm3d(_BatchNorm):
    """BatchNorm1d for x (N, C, D, H, W)"""

    _check_input_dim = _check_5d


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d that takes num_features from its first input"""

    cls_to_become = BatchNorm1d
    _check_input_dim = _check_2d_or_3d


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d that takes num_features from its first input"""

    cls_to_become = BatchNorm2d
    _check_input_dim = _check_4d


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d that takes num_features from its first input"""

    cls_to_become = BatchNorm3d
    _check_input_dim = _check_5d
