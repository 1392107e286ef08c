"""The autocast context; follows torch/amp/autocast_mode.py in checks, defaults and messages.

Operators do not cast their inputs yet. So an autocast that is enabled on the CPU raises
NotImplementedError when it is entered; a disabled one, and one for CUDA, which PyTorch disables
where there is no CUDA device, do nothing, as in PyTorch.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable, Mapping

import flambeau

_DEVICES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga",
    "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip

# PyTorch's default types; devices that are not listed have no autocast.
_DEFAULT_DTYPE = {
    "cpu": "bfloat16",
    "cuda": "float16",
    "hpu": "bfloat16",
    "ipu": "float16",
    "maia": "bfloat16",
    "mps": "float16",
    "mtia": "float16",
    "xla": "bfloat16",
    "xpu": "float16",
}

_chosen_dtype: dict = {}


def _device_type(device: str) -> str:
    kind = device.partition(":")[0]
    if kind not in _DEVICES:
        raise RuntimeError(f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {device}")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch knows autocast for this type of device."""
    return _device_type(device_type) in _DEFAULT_DTYPE


def get_autocast_dtype(device_type: str):
    """The type that an autocast without `dtype` has."""
    kind = _device_type(device_type)
    if kind not in _DEFAULT_DTYPE:
        raise RuntimeError("unsupported scalarType")
    return _chosen_dtype.get(kind) or getattr(flambeau, _DEFAULT_DTYPE[kind])


def set_autocast_dtype(device_type: str, dtype) -> None:
    _chosen_dtype[_device_type(device_type)] = dtype


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operators cast their inputs here: never yet."""
    _device_type(device_type)
    return False


def is_autocast_cpu_enabled() -> bool:
    """The old name of is_autocast_enabled("cpu")."""
    return is_autocast_enabled("cpu")


def is_autocast_cache_enabled() -> bool:
    """PyTorch's default. There is nothing to cache."""
    return True


class autocast:
    """A context, or a decorator, in which matrix products and the like run in `dtype`.

    enabled: whether it does anything; see the head of this file.
    """

    def __init__(self, device_type: str, dtype=None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if cache_enabled is None:
            cache_enabled = is_autocast_cache_enabled()
        self._cache_enabled = cache_enabled
        self._enabled = enabled and self._usable()

    def _usable(self) -> bool:
        if self.device == "cuda":
            warnings.warn(
                "CUDA is not available or torch_xla is imported. Disabling autocast.",
                stacklevel=3,
            )
            return False
        supported = [flambeau.bfloat16, flambeau.float16]
        if self.fast_dtype in supported:
            return True
        name = self.device.upper()
        warnings.warn(
            f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
            f"{name} Autocast only supports dtypes of " + ", ".join(map(str, supported)) + " currently.",
            stacklevel=3,
        )
        return False

    def __enter__(self) -> autocast:
        if self._enabled:
            raise NotImplementedError(
                f"autocast: device_type='{self.device}' with enabled=True is not supported, "
                "because operators do not cast their inputs; pass enabled=False, or convert "
                "the model with .to(dtype)"
            )
        return self

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        pass

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @functools.wraps(func)
        def with_autocast(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return with_autocast


def custom_fwd(fwd=None, *, device_type: str, cast_inputs=None):
    """For `forward` of an autograd.Function. Inside an autocast, inputs become `cast_inputs`."""
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx, *args, **kwargs):
        enabled = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            args = _cast(args, device_type, cast_inputs)
            return fwd(ctx, *args, **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type: str):
    """For `backward` of an autograd.Function: runs it under the autocast of `forward`."""
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx, *args, **kwargs):
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return backward


def _check_device_type(device_type) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value, device_type: str, dtype):
    """Floating-point tensors within `value` converted, except those in double."""
    if isinstance(value, flambeau.Tensor):
        fits = value.is_floating_point() and value.device.type == device_type
        return value.to(dtype) if fits and value.dtype != flambeau.float64 else value
    if isinstance(value, (str, bytes)) or hasattr(value, "__array_interface__"):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        items = (_cast(v, device_type, dtype) for v in value)
        return type(value)(items) if isinstance(value, (list, tuple)) else items
    return value
