"""Flambeau: PyTorch's Python API on CPU in about two megabytes. ``import flambeau as torch``.

The top level holds the core's operators, the dtypes and a few constants. Everything else (nn, optim, utils ...) is
imported when first asked for, so that importing the package takes milliseconds.
"""

from __future__ import annotations

from flambeau import _C, _device, _missing
from flambeau._C import (
    Generator,
    Size,
    UntypedStorage,
    bfloat16,
    complex64,
    complex128,
    default_generator,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    get_num_threads,
    int8,
    int16,
    int32,
    int64,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    uint8,
)
from flambeau._device import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    sparse_csr,
    strided,
)
from flambeau._tensor import Tensor, from_array_like, from_numpy
from flambeau.version import __version__

_C._register(
    Tensor, _device.cpu, strided, contiguous_format, preserve_format, channels_last, channels_last_3d, from_array_like
)

# The operators, under their own names.
globals().update({name: op for name, op in vars(_C._VariableFunctions).items() if name[:2] != "__"})

from flambeau.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402

bool = _C.bool
float, double, half = float32, float64, float16
byte, char, short, int, long = uint8, int8, int16, int32, int64
cfloat, cdouble = complex64, complex128

e = 2.718281828459045
pi = 3.141592653589793
inf = 1e400
nan = inf - inf
newaxis = None

# Submodules, and where the names live that torch has at the top but that need not be loaded at once.
_SUBMODULES = frozenset(
    (
        "accelerator amp autograd backends compiler cpu cuda distributed distributions fft func functional futures hub "
        "jit linalg mps multiprocessing nn numerics onnx optim overrides profiler quantization random return_types "
        "serialization sparse special storage testing text trace types utils version xpu _dynamo _tensor _tensor_str "
        "_utils masked library export package"
    ).split()
)
_LAZY = {
    "autograd.anomaly_mode": "set_detect_anomaly",
    "serialization": "save load",
    "random": "manual_seed seed initial_seed get_rng_state set_rng_state fork_rng",
    "functional": (
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist "
        "chain_matmul einsum meshgrid norm split tensordot unique unique_consecutive unravel_index"
    ),
    "_recurrent": "lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
    "_tensor_str": "set_printoptions",
    "_dtype": "finfo iinfo",
    "_creation": "tensor as_tensor asarray frombuffer from_dlpack sparse_coo_tensor",
    "_settings": (
        "set_default_dtype set_default_device get_default_device set_default_tensor_type set_num_threads "
        "set_num_interop_threads get_num_interop_threads use_deterministic_algorithms "
        "are_deterministic_algorithms_enabled is_deterministic_algorithms_warn_only_enabled "
        "set_deterministic_debug_mode get_deterministic_debug_mode set_float32_matmul_precision "
        "get_float32_matmul_precision set_flush_denormal set_warn_always is_warn_always_enabled is_tensor is_storage "
        "numel typename get_device is_signed is_distributed imag conj_physical resize_as_ "
        "is_floating_point is_complex is_nonzero is_same_size is_inference is_conj is_neg conj real resolve_conj "
        "resolve_neg nonzero"
    ),
    "_install": "install",
    "storage": (
        "FloatStorage DoubleStorage HalfStorage BFloat16Storage ByteStorage CharStorage ShortStorage IntStorage "
        "LongStorage BoolStorage TypedStorage"
    ),
    "_legacy": (
        "FloatTensor DoubleTensor HalfTensor BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor "
        "BoolTensor"
    ),
    "amp": "autocast GradScaler",
    "amp.autocast_mode": (
        "get_autocast_dtype is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled set_autocast_dtype"
    ),
    "_composites": "gradient isin kaiser_window pdist",
    "compiler": "compile",
}
_HOME = {name: module for module, names in _LAZY.items() for name in names.split()}
for _name in _HOME:
    globals().pop(_name, None)
del _name


def __getattr__(name: str):
    from importlib import import_module

    home = _HOME.get(name)
    if home is not None:
        value = getattr(import_module(f"flambeau.{home}"), name)
    elif name in _SUBMODULES:
        try:
            value = import_module(f"flambeau.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"flambeau.{name}":
                raise
            raise _missing.attribute_error(__name__, name) from None
    else:
        raise _missing.attribute_error(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOME, *_SUBMODULES})


def _follow_environment() -> None:
    from os import environ

    if wanted := environ.get("FLAMBEAU_NUMERICS"):
        from flambeau import numerics

        numerics.use(wanted)


_follow_environment()
