"""Losses as functions. Part of torch/nn/functional.py.

`size_average` and `reduce` are the old names of `reduction`, which is one of none, mean and sum.
"""

from __future__ import annotations

import math
import warnings

import flambeau
from flambeau.nn._operators import _VF, _nn
from flambeau.nn._reduction import get_enum, legacy_get_string, number_of

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy",
    "ctc_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


# Classification


def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """nll_loss(log_softmax(x), target); logits (N, C, *) with classes (N, *) or probabilities (N, C, *)."""
    return _nn.cross_entropy_loss(
        input, target, weight, number_of(reduction, size_average, reduce), ignore_index, label_smoothing
    )


def nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):
    """-weight[target] * x[target] of log-probabilities x (N, C, *) and classes (N, *)."""
    return _nn.nll_loss_nd(input, target, weight, number_of(reduction, size_average, reduce), ignore_index)


def binary_cross_entropy(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """-weight * (t * log(x) + (1 - t) * log(1 - x)) of probabilities x."""
    number = number_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = _VF.broadcast_tensors([target, weight])[1]
    return _nn.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """binary_cross_entropy(sigmoid(x), target), computed stably."""
    number = number_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """t * (log(t) - x) of log-probabilities x."""
    if size_average is not None or reduce is not None:
        number = number_of(reduction, size_average, reduce)
        reduction = None
    elif reduction == "batchmean":
        number = get_enum("sum")
    else:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size."
                "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                stacklevel=2,
            )
        number = get_enum(reduction)
    loss = _VF.kl_div(input, target, number, log_target=log_target)
    if reduction == "batchmean" and input.dim() != 0:
        loss = loss / input.size()[0]
    return loss


def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False
):
    """-log of the probability of `targets` over all alignments with log_probs (T, N, C)."""
    return _VF.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, get_enum(reduction), zero_infinity
    )


def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """mean over the other classes of max(0, margin - x[target] + x) ** p"""
    number = number_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, number)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """mean over pairs of a target class and another one of max(0, 1 - (x[target] - x))"""
    return _nn.multilabel_margin_loss(input, target, number_of(reduction, size_average, reduce))


def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """binary_cross_entropy_with_logits, averaged over the classes in the last dimension."""
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    class_dim = input.dim() - 1
    loss = loss.sum(dim=class_dim) / input.size(class_dim)
    return _reduced(loss, reduction, " is not valid")


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-t * x)) of targets 1 and -1."""
    return _nn.soft_margin_loss(input, target, number_of(reduction, size_average, reduce))


# Regression


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(x - t) ** 2"""
    input, target, reduction = _same_size(input, target, size_average, reduce, reduction)
    if weight is None:
        return _nn.mse_loss(input, target, get_enum(reduction))
    return _weighted(_nn.mse_loss(input, target, 0), input, weight, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|x - t|"""
    input, target, reduction = _same_size(input, target, size_average, reduce, reduction)
    if weight is None:
        return _nn.l1_loss(input, target, get_enum(reduction))
    return _weighted(_nn.l1_loss(input, target, 0), input, weight, reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d ** 2 / 2 where |d| < delta, else delta * (|d| - delta / 2), for d = x - t."""
    input, target, reduction = _same_size(input, target, None, None, reduction)
    if weight is None:
        return _nn.huber_loss(input, target, get_enum(reduction), delta)
    loss = _nn.huber_loss(input, target, 0, delta)
    # Unlike the other two, PyTorch divides by the number of elements here, not by the sum of the weights.
    if reduction == "mean" and weight.size() == input.size():
        return _VF.mean(loss * weight)
    return _weighted(loss, input, weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """d ** 2 / (2 * beta) where |d| < beta, else |d| - beta / 2, for d = x - t."""
    input, target, reduction = _same_size(input, target, size_average, reduce, reduction)
    if beta == 0.0:
        return _nn.l1_loss(input, target, get_enum(reduction))
    return _nn.smooth_l1_loss(input, target, get_enum(reduction), beta)


def _same_size(input, target, size_average, reduce, reduction):
    """Input and target broadcast to one size, with a warning if they had two; and the reduction's name."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
        input, target = _VF.broadcast_tensors([input, target])
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    return input, target, reduction


def _weighted(losses, input, weight, reduction):
    """The losses of the elements, weighted and reduced."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    weighted = losses * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return _VF.sum(weighted)
    if reduction == "mean":
        return _VF.sum(weighted) / _VF.sum(weight)
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def poisson_nll_loss(
    input,
    target,
    log_input=True,
    full=False,
    size_average=None,
    eps=1e-8,
    reduce=None,
    reduction="mean",
):
    """exp(x) - t * x of log-rates x, or x - t * log(x + eps) of rates; `full` adds Stirling's term."""
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    return _VF.poisson_nll_loss(input, target, log_input, full, eps, get_enum(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log(var) + (x - t) ** 2 / var) / 2, var at least eps; `full` adds the constant log(2 * pi) / 2."""
    if not isinstance(var, flambeau.Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * _VF.ones_like(input)
    elif _VF.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = _VF.unsqueeze(var, -1)
        elif input.ndim != var.ndim or not _is_of_ones_where_different(var.size(), input.size()):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with flambeau.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (_VF.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction, " is not valid")


def _is_of_ones_where_different(size, other):
    """Whether exactly one dimension differs, being 1 in `size`: one variance for all of it."""
    different = [n for n, m in zip(size, other) if n != m]
    return different == [1]


# Embeddings and rankings


def margin_ranking_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """max(0, -t * (x1 - x2) + margin)"""
    number = number_of(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _VF.margin_ranking_loss(input1, input2, target, margin, number)


def hinge_embedding_loss(
    input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"
):
    """x where t is 1, max(0, margin - x) where t is -1."""
    return _VF.hinge_embedding_loss(input, target, margin, number_of(reduction, size_average, reduce))


def cosine_embedding_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """1 - cos(x1, x2) where t is 1, max(0, cos(x1, x2) - margin) where t is -1."""
    return _VF.cosine_embedding_loss(
        input1, input2, target, margin, number_of(reduction, size_average, reduce)
    )


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """max(0, |anchor - positive| - |anchor - negative| + margin)"""
    number = number_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _VF.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """triplet_margin_loss with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = _VF.pairwise_distance if distance_function is None else distance_function
    a_dim = anchor.ndim
    p_dim = positive.ndim
    n_dim = negative.ndim
    if not a_dim == p_dim == n_dim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a_dim}D, positive {p_dim}D, and negative {n_dim}D inputs"
        )
    to_positive = distance(anchor, positive)
    to_negative = distance(anchor, negative)
    if swap:
        to_negative = _VF.minimum(to_negative, distance(positive, negative))
    loss = _VF.clamp_min(margin + to_positive - to_negative, 0)
    return _reduced(loss, reduction, " is not valid")


def _reduced(loss, reduction, complaint):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(reduction + complaint)
