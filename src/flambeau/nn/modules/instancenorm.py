"""Instance normalization. Follows torch/nn/modules/instancenorm.py."""

from __future__ import annotations

import warnings

from flambeau.nn import functional as F
from flambeau.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """What all instance norms share. `_no_batch_dim` is the number of dimensions of one sample."""

    _no_batch_dim: int

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _get_no_batch_dim(self):
        return self._no_batch_dim

    def _check_input_dim(self, input):
        n = self._no_batch_dim
        if input.dim() not in (n, n + 1):
            raise ValueError(f"expected {n}D or {n + 1}D input (got {input.dim()}D input)")

    def _apply_instance_norm(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        # Before 0.4 the running statistics were there even where they were not tracked.
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            keys = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if keys:
                names = " and ".join(f'"{key}"' for key in keys)
                error_msgs.append(_UNEXPECTED_STATS.format(names=names, klass=type(self).__name__))
                for key in keys:
                    state_dict.pop(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input):
        self._check_input_dim(input)
        feature_dim = input.dim() - self._get_no_batch_dim()
        if input.size(feature_dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={feature_dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(feature_dim)}."
                )
            warnings.warn(
                f"input's size at dim={feature_dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if input.dim() == self._get_no_batch_dim():
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


_UNEXPECTED_STATS = (
    "Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If state_dict is a "
    "checkpoint saved before 0.4.0, this may be expected because {klass} does not track running stats by default since "
    "0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
    "track_running_stats=True in {klass} to enable them. See the documentation of {klass} for details."
)


class InstanceNorm1d(_InstanceNorm):
    """y = (x - mean) / sqrt(var + eps) * weight + bias

    x (N, C, L) or (C, L); mean and var of each channel of each sample; weight, bias (C) if affine.
    """

    _no_batch_dim = 2


class InstanceNorm2d(_InstanceNorm):
    """InstanceNorm1d for x (N, C, H, W) or (C, H, W)"""

    _no_batch_dim = 3


class InstanceNorm3d(_InstanceNorm):
    """InstanceNorm1d for x (N, C, D, H, W) or (C, D, H, W)"""

    _no_batch_dim = 4


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d that takes num_features from its first input"""

    cls_to_become = InstanceNorm1d
    _no_batch_dim = 2


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d that takes num_features from its first input"""

    cls_to_become = InstanceNorm2d
    _no_batch_dim = 3


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d that takes num_features from its first input"""

    cls_to_become = InstanceNorm3d
    _no_batch_dim = 4
