"""The dropout family. Part of torch/nn/functional.py."""

from __future__ import annotations

from flambeau.nn._operators import _VF

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """Zero each element with probability p and scale the others by 1 / (1 - p)."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if inplace:
        return _VF.dropout_(input, p, training)
    return _VF.dropout(input, p, training)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of SELU's outputs."""
    _check_probability(p)
    if inplace:
        return _VF.alpha_dropout_(input, p, training)
    return _VF.alpha_dropout(input, p, training)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Alpha dropout of whole channels."""
    _check_probability(p)
    if inplace:
        return _VF.feature_alpha_dropout_(input, p, training)
    return _VF.feature_alpha_dropout(input, p, training)


def _feature_dropout(input, p, training, inplace):
    if inplace:
        return _VF.feature_dropout_(input, p, training)
    return _VF.feature_dropout(input, p, training)


def _unbatched_feature_dropout(input, p, training, inplace):
    """The same for an input that lacks the batch dimension."""
    input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _feature_dropout(input, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels: (N, C, L) or (C, L)."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    if ndim == 2:
        return _unbatched_feature_dropout(input, p, training, inplace)
    return _feature_dropout(input, p, training, inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels: (N, C, H, W); a 3D input is taken as (N, C, L)."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        _warn_about_dims("dropout2d", ndim, 2, "3D or 4D")
    if ndim == 3:
        import warnings

        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _feature_dropout(input, p, training, inplace)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels: (N, C, D, H, W) or (C, D, H, W)."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        _warn_about_dims("dropout3d", ndim, 3, "4D or 5D")
    if ndim == 5:
        return _feature_dropout(input, p, training, inplace)
    return _unbatched_feature_dropout(input, p, training, inplace)


def _warn_about_dims(name, ndim, spatial, expected):
    import warnings

    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        f"release. To retain the behavior and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel dimension, and "
        f"an optional batch dimension (i.e. {expected} inputs).",
        stacklevel=3,
    )
