"""Process-wide settings and small questions about tensors that torch has at its top level."""

from __future__ import annotations

from flambeau import _C
from flambeau._device import cpu
from flambeau._tensor import Tensor, _check_device

_deterministic = {"enabled": False, "warn_only": False}
_matmul_precision = "highest"
_warn_always = False


def set_default_dtype(d) -> None:
    """The floating-point dtype of new tensors."""
    _C._set_default_dtype(d)


def set_default_tensor_type(t) -> None:
    from flambeau._tensor import _dtype_of

    _C._set_default_dtype(_dtype_of(t))


def set_default_device(device) -> None:
    _check_device(device)


def get_default_device():
    return cpu


def set_num_threads(count: int) -> None:
    """Threads that compute, which is also the logical count of the numerics profile."""
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count <= 0:
        raise RuntimeError("Expected positive number of threads")
    _C._set_num_threads(count)


_interop_threads = 1


def set_num_interop_threads(count: int) -> None:
    global _interop_threads
    _interop_threads = count


def get_num_interop_threads() -> int:
    return _interop_threads


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accepted: every algorithm here is deterministic."""
    _deterministic.update(enabled=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    return _deterministic["enabled"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _deterministic["warn_only"]


def set_deterministic_debug_mode(debug_mode) -> None:
    modes = {"default": 0, "warn": 1, "error": 2}
    value = modes.get(debug_mode, debug_mode)
    if value not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    _deterministic.update(enabled=value > 0, warn_only=value == 1)


def get_deterministic_debug_mode() -> int:
    return 0 if not _deterministic["enabled"] else 1 if _deterministic["warn_only"] else 2


def set_float32_matmul_precision(precision: str) -> None:
    """Accepted for compatibility: float32 products are always computed in float32."""
    global _matmul_precision
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"Invalid value for float32 matmul precision: {precision}")
    _matmul_precision = precision


def get_float32_matmul_precision() -> str:
    return _matmul_precision


def set_flush_denormal(mode: bool) -> bool:
    """Denormals are kept, as PyTorch's default is; flushing is not supported."""
    return not mode


def set_warn_always(b: bool) -> None:
    global _warn_always
    _warn_always = b


def is_warn_always_enabled() -> bool:
    return _warn_always


def is_tensor(obj) -> bool:
    return isinstance(obj, Tensor)


def is_storage(obj) -> bool:
    from flambeau.storage import TypedStorage

    return isinstance(obj, (_C.UntypedStorage, TypedStorage))


def numel(input) -> int:
    return input.numel()


def is_floating_point(input) -> bool:
    return input.is_floating_point()


def is_complex(input) -> bool:
    return input.is_complex()


def is_nonzero(input) -> bool:
    return input.is_nonzero()


def is_same_size(input, other) -> bool:
    return input.shape == other.shape


def is_inference(input) -> bool:
    return input.is_inference()


def is_signed(input) -> bool:
    return input.is_signed()


def is_distributed(input) -> bool:
    return False


def get_device(input) -> int:
    return input.get_device()


def is_conj(input) -> bool:
    return False


def is_neg(input) -> bool:
    return False


def conj(input):
    """Itself: there are no complex tensors yet."""
    return input


real = resolve_conj = resolve_neg = conj_physical = conj


def imag(input):
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


def resize_as_(input, the_template, *, memory_format=None):
    return input.resize_as_(the_template, memory_format=memory_format)


def nonzero(input, *, out=None, as_tuple: bool = False):
    if as_tuple:
        return input.nonzero(as_tuple=True)
    return _C._VariableFunctions.nonzero(input, out=out)


def typename(obj) -> str:
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
