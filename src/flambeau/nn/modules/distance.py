"""Distances. Follows torch/nn/modules/distance.py."""

from __future__ import annotations

from flambeau.nn import functional as F
from flambeau.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """y = norm(x1 - x2 + eps, p) over the last dimension; x1, x2 (N, D) or (D) -> y (N), or ()"""

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """y = x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along dim, which y lacks"""

    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
