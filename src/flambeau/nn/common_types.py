"""Types of sizes in signatures: a number, or one for each dimension. Follows torch/nn/common_types.py."""

from __future__ import annotations

from flambeau import Tensor

_size_any_t = int | tuple[int, ...]
_size_1_t = int | tuple[int]
_size_2_t = int | tuple[int, int]
_size_3_t = int | tuple[int, int, int]
_size_4_t = int | tuple[int, int, int, int]
_size_5_t = int | tuple[int, int, int, int, int]
_size_6_t = int | tuple[int, int, int, int, int, int]

_size_any_opt_t = int | None | tuple[int | None, ...]
_size_2_opt_t = int | None | tuple[int | None, int | None]
_size_3_opt_t = int | None | tuple[int | None, int | None, int | None]

_ratio_any_t = float | tuple[float, ...]
_ratio_2_t = float | tuple[float, float]
_ratio_3_t = float | tuple[float, float, float]

_tensor_list_t = Tensor | tuple[Tensor, ...]
_maybe_indices_t = Tensor | tuple[Tensor, Tensor]
