"""FloatTensor and its kin: constructors by element type, as scripts from PyTorch's early days use them."""

from __future__ import annotations

from flambeau import _C
from flambeau._tensor import _LEGACY, Tensor


class _LegacyType(type):
    dtype: _C.dtype

    def __instancecheck__(cls, value) -> bool:
        return isinstance(value, Tensor) and value.dtype == cls.dtype

    def __call__(cls, *args, **kwargs):
        if len(args) == 1 and not isinstance(args[0], (int, _C.Size)):
            return _C._tensor_from_data(args[0], cls.dtype)
        if not args:
            return _C._tensor_from_data([], cls.dtype)
        return _C._VariableFunctions.empty(args[0] if isinstance(args[0], _C.Size) else args, dtype=cls.dtype)


for _dtype, _name in _LEGACY.items():
    globals()[f"{_name}Tensor"] = _LegacyType(f"{_name}Tensor", (), {"dtype": _dtype, "__module__": "flambeau"})
