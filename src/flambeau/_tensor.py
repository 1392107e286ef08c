"""Tensor: the class users see, over the core's TensorBase. What is here is Python because it is rare or composite."""

from __future__ import annotations

from flambeau import _C
from flambeau._device import cpu, preserve_format
from flambeau._device import device as _device_class

_NUMPY_KINDS = {
    _C.bool: "|b1",
    _C.uint8: "|u1",
    _C.int8: "|i1",
    _C.int16: "<i2",
    _C.int32: "<i4",
    _C.int64: "<i8",
    _C.float16: "<f2",
    _C.float32: "<f4",
    _C.float64: "<f8",
}
_FROM_NUMPY = {kind: dtype for dtype, kind in _NUMPY_KINDS.items()}


class _ArraySource:
    """Tells NumPy where a tensor's memory is, and keeps it alive."""

    __slots__ = ("__array_interface__", "_owner")


class Tensor(_C.TensorBase):
    """A strided array of numbers of one type that can record what is done with it."""

    __module__ = "flambeau"
    _backward_hooks = None
    is_sparse = is_sparse_csr = is_quantized = is_meta = is_nested = is_mkldnn = False
    is_cuda = is_mps = is_xpu = is_ipu = is_vulkan = is_maia = is_xla = is_mtia = False
    is_cpu = True
    names = property(lambda self: (None,) * self.ndim)
    __array_priority__ = 1000

    def __new__(cls, *args, **kwargs):
        return _legacy_tensor(cls, args, kwargs)

    # Printing, copying, pickling

    def __repr__(self, *, tensor_contents=None):
        from flambeau._tensor_str import _str

        return _str(self, tensor_contents=tensor_contents)

    def __format__(self, format_spec):
        if self.dim() == 0:
            return self.item().__format__(format_spec)
        return object.__format__(self, format_spec)

    def __reduce_ex__(self, protocol):
        from flambeau._utils import _reduce_tensor

        return _reduce_tensor(self, protocol)

    def __deepcopy__(self, memo):
        from flambeau._utils import _deepcopy_tensor

        return _deepcopy_tensor(self, memo)

    def __setstate__(self, state):
        self.__dict__.update(state if isinstance(state, dict) else {})

    # Sequences and numbers

    def __iter__(self):
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        if isinstance(element, (Tensor, int, float, bool)):
            return bool((element == self).any())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __reversed__(self):
        return self if self.dim() == 0 else self.flip(0)

    def __complex__(self):
        return complex(self.item())

    def __rmatmul__(self, other):
        return _C._VariableFunctions.matmul(other, self) if isinstance(other, Tensor) else NotImplemented

    # NumPy, DLPack, buffers

    def numpy(self, *, force=False):
        """The same memory as a NumPy array."""
        tensor = self
        if force:
            tensor = tensor.detach()
        elif tensor.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        kind = _NUMPY_KINDS.get(tensor.dtype)
        if kind is None:
            name = {"bfloat16": "BFloat16"}.get(str(tensor.dtype).rpartition(".")[2], str(tensor.dtype))
            raise TypeError(f"Got unsupported ScalarType {name}")
        import numpy

        if tensor.numel() == 0:
            return numpy.empty(tuple(tensor.shape), dtype=kind)
        source = _ArraySource()
        itemsize = tensor.itemsize
        # A view of the storage, so that it stays where it is while the array lives.
        source._owner = _C._storage_view(tensor.untyped_storage())
        source.__array_interface__ = {
            "data": (tensor.data_ptr(), False),
            "shape": tuple(tensor.shape),
            "strides": tuple(step * itemsize for step in tensor.stride()),
            "typestr": kind,
            "version": 3,
        }
        return numpy.asarray(source)

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if array.dtype == bool:
            array = array.astype("uint8")
        return from_numpy(array)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        # NumPy speaks the protocol for memory on the CPU.
        return self.detach().numpy().__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)

    # Moving and casting

    def to(self, *args, **kwargs):
        """Another dtype: `to(dtype)`, `to(device, dtype)`, `to(other)`; itself when nothing changes."""
        copy = kwargs.pop("copy", False)
        kwargs.pop("non_blocking", None)
        memory_format = kwargs.pop("memory_format", None)
        dtype = kwargs.pop("dtype", None)
        place = kwargs.pop("device", None)
        other = kwargs.pop("other", None)
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
        for position, arg in enumerate(args):
            if isinstance(arg, _C.TensorBase):
                dtype, place = arg.dtype, arg.device
            elif isinstance(arg, _C.dtype) or arg in (float, int, bool):
                dtype = arg
            elif isinstance(arg, bool):
                copy = arg if position == len(args) - 1 and position > 1 else copy
            elif arg is not None:
                place = arg
        if other is not None:
            dtype = other.dtype
        _check_device(place)
        if dtype is None or dtype == self.dtype:
            if memory_format is not None and memory_format is not preserve_format:
                return self.contiguous(memory_format=memory_format)
            return self.clone() if copy else self
        made = self._to_dtype(dtype)
        return made if memory_format is None else made.clone(memory_format=memory_format)

    def cpu(self, memory_format=None):
        return self

    def cuda(self, device=None, non_blocking=False, memory_format=None):
        raise AssertionError("Torch not compiled with CUDA enabled")

    def type(self, dtype=None, non_blocking=False):
        """The legacy type's name, such as torch.FloatTensor; or the tensor cast to `dtype`."""
        if dtype is None:
            return f"torch.{_LEGACY[self.dtype]}Tensor"
        return self.to(_dtype_of(dtype))

    def type_as(self, other):
        return self.to(other.dtype)

    def is_shared(self):
        return False

    def share_memory_(self):
        return self

    def pin_memory(self, device=None):
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def is_pinned(self, device=None):
        return False

    def get_device(self):
        return -1

    def is_neg(self):
        return False

    def is_conj(self):
        return False

    def is_distributed(self):
        return False

    def conj(self):
        return self

    resolve_conj = resolve_neg = conj_physical = conj_physical_ = conj
    real = property(conj, doc="Itself, since it is real.")

    @property
    def imag(self):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")

    def is_signed(self):
        return self.dtype.is_signed

    def is_same_size(self, other):
        return self.shape == other.shape

    def is_nonzero(self):
        return bool(self)

    def has_names(self):
        return False

    def dim_order(self):
        return tuple(sorted(range(self.ndim), key=lambda d: -self.stride(d)))

    def storage(self):
        from flambeau.storage import typed_class

        return typed_class(self.dtype)(wrap_storage=self.untyped_storage(), dtype=self.dtype)

    def _typed_storage(self):
        return self.storage()

    def apply_(self, function):
        """Replace each element by function(element), in Python."""
        self.copy_(
            _C._tensor_from_data([function(x) for x in self.reshape(-1).tolist()], self.dtype).reshape(self.shape)
        )
        return self

    def map_(self, other, function):
        pairs = zip(self.reshape(-1).tolist(), other.expand_as(self).reshape(-1).tolist())
        self.copy_(_C._tensor_from_data([function(a, b) for a, b in pairs], self.dtype).reshape(self.shape))
        return self

    # Autograd

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Add the gradients of this tensor to the `.grad` of the leaves it was computed from."""
        from flambeau import autograd

        autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        """Call hook(grad) when this tensor's gradient is computed; what it returns, if anything, replaces it."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return _add_hook(self, "_backward_hooks", hook, False)

    def register_post_accumulate_grad_hook(self, hook):
        """Call hook(tensor) after its `.grad` was updated."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return _add_hook(self, "_post_accumulate_grad_hooks", hook, True)

    @staticmethod
    def _make_subclass(cls, data, require_grad=False, **kwargs):
        return _C._make_subclass(cls, data, require_grad)

    def as_subclass(self, cls):
        return _C._make_subclass(cls, self, self.requires_grad)

    def set_(self, source=None, storage_offset=0, size=None, stride=()):
        """Look at other memory."""
        if source is None:
            self.data = _C._tensor_from_data([], self.dtype)
            return self
        if isinstance(source, _C.TensorBase):
            self.data = source
            return self
        storage = getattr(source, "_untyped_storage", source)
        if size is None:
            size = (storage.nbytes() // self.itemsize,)
        if not stride:
            stride, step = [], 1
            for length in reversed(size):
                stride.insert(0, step)
                step *= max(length, 1)
        self.data = _C._tensor_from_storage(storage, self.dtype, tuple(size), tuple(stride), storage_offset)
        return self

    def resize_(self, *sizes, memory_format=None):
        """Change the sizes in place; new elements are uninitialised."""
        size = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        count = 1
        for length in size:
            count *= length
        storage = self.untyped_storage()
        needed = (self.storage_offset() + count) * self.itemsize
        if storage.nbytes() < needed:
            storage.resize_(needed)
        return self.set_(storage, self.storage_offset(), size)

    def resize_as_(self, the_template, *, memory_format=None):
        return self.resize_(tuple(the_template.shape))

    # Composites that torch keeps in Python

    def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
        from flambeau.functional import norm

        return norm(self, p, dim, keepdim, dtype=dtype)

    def split(self, split_size, dim=0):
        if isinstance(split_size, (tuple, list)):
            return self.split_with_sizes(list(split_size), dim)
        return _C.TensorBase.split(self, int(split_size), dim)

    def polygamma(self, n):
        return _C._VariableFunctions.polygamma(n, self)

    def polygamma_(self, n):
        return self.copy_(self.polygamma(n))

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        from flambeau.functional import unique

        return unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
        from flambeau.functional import unique_consecutive

        return unique_consecutive(self, return_inverse, return_counts, dim)

    def nonzero(self, *, as_tuple=False):
        if as_tuple:
            return _C._VariableFunctions.nonzero_numpy(self)
        return _C.TensorBase.nonzero(self)

    def expand_as(self, other):
        return self.expand(other.shape)

    def view_as(self, other):
        return self.view(other.shape)

    def reshape_as(self, other):
        return self.reshape(other.shape)

    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
        _check_device(device)
        return _C._tensor_from_data(data, dtype or self.dtype).requires_grad_(requires_grad)

    def new(self, *args, device=None):
        if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], _C.Size):
            return _C._tensor_from_data(args[0], self.dtype)
        return self.new_empty(*args) if args else self.new_empty(0)

    def requires_grad_(self, requires_grad=True):
        return _C.TensorBase.requires_grad_(self, requires_grad)

    __torch_function__ = classmethod(
        lambda cls, function, types, args=(), kwargs=None: function(*args, **(kwargs or {}))
    )


def _cast(name: str, dtype) -> None:
    def cast(self, memory_format=None):
        return self if self.dtype == dtype else self._to_dtype(dtype)

    cast.__name__ = name
    setattr(Tensor, name, cast)


_LEGACY = {
    _C.float32: "Float",
    _C.float64: "Double",
    _C.float16: "Half",
    _C.bfloat16: "BFloat16",
    _C.uint8: "Byte",
    _C.int8: "Char",
    _C.int16: "Short",
    _C.int32: "Int",
    _C.int64: "Long",
    _C.bool: "Bool",
    _C.complex64: "ComplexFloat",
    _C.complex128: "ComplexDouble",
}
for _dtype, _legacy_name in _LEGACY.items():
    if not _dtype.is_complex:
        _cast(_legacy_name.lower(), _dtype)
del _dtype, _legacy_name


def _dtype_of(value):
    if isinstance(value, str):
        for dtype, name in _LEGACY.items():
            if value in (f"torch.{name}Tensor", f"flambeau.{name}Tensor"):
                return dtype
        raise ValueError(f"invalid type: '{value}'")
    return getattr(value, "dtype", value) if isinstance(value, type) else value


def _check_device(place) -> None:
    if place is None or place is cpu:
        return
    kind = _device_class(place).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise RuntimeError(f"flambeau computes on the CPU only: device '{place}' is not available")


def _add_hook(tensor, table: str, hook, post_accumulate: bool):
    from collections import OrderedDict

    from flambeau.utils.hooks import RemovableHandle

    # The table belongs to the operation that made the tensor: after an in-place change it is another one. It is known
    # by its number, since a reference to it would close a cycle that the collector can't see.
    node = None if post_accumulate else tensor.grad_fn
    owner = None if node is None else node._sequence_nr()
    hooks, known_owner = tensor.__dict__.get(table + "_owner", (None, None))
    if hooks is None or known_owner != owner:
        hooks = OrderedDict()
        _C._attach_hooks(tensor, hooks, post_accumulate)
        tensor.__dict__[table + "_owner"] = (hooks, owner)
        tensor.__dict__[table] = hooks
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def _legacy_tensor(cls, args, kwargs):
    """torch.Tensor(...): sizes, or data, always in the default dtype."""
    kwargs = dict(kwargs)
    _check_device(kwargs.pop("device", None))
    if kwargs:
        args = (*args, *kwargs.values())
    dtype = _C.get_default_dtype()
    if not args:
        made = _C._tensor_from_data([], dtype)
    elif len(args) == 1 and isinstance(args[0], _C.TensorBase):
        made = args[0].detach() if args[0].dtype == dtype else args[0].detach().to(dtype)
    elif len(args) == 1 and not isinstance(args[0], (int, _C.Size)):
        if isinstance(args[0], float):
            raise TypeError("new(): data must be a sequence (got float)")
        made = _C._tensor_from_data(args[0], dtype)
    else:
        made = _C._VariableFunctions.empty(args[0] if isinstance(args[0], _C.Size) else args, dtype=dtype)
    return made if cls is Tensor else _C._make_subclass(cls, made, False)


def from_numpy(array):
    """A tensor over the same memory as a NumPy array."""
    if not hasattr(array, "__array_interface__"):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    interface = array.__array_interface__
    dtype = _FROM_NUMPY.get(interface["typestr"].replace("=", "<"))
    if dtype is None:
        raise TypeError(
            f"can't convert np.ndarray of type {getattr(array, 'dtype', interface['typestr'])}. The only supported "
            "types are: float64, float32, float16, int64, int32, int16, int8, uint8, and bool."
        )
    shape = tuple(interface["shape"])
    itemsize = dtype.itemsize
    strides = interface.get("strides")
    if strides is None:
        steps, step = [], 1
        for length in reversed(shape):
            steps.insert(0, step)
            step *= max(length, 1)
    else:
        if any(step < 0 for step in strides):
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            )
        if any(step % itemsize and length > 1 for step, length in zip(strides, shape)):
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
                "the memory."
            )
        steps = [step // itemsize for step in strides]
    extent = 0 if 0 in shape else (1 + sum((length - 1) * step for length, step in zip(shape, steps))) * itemsize
    storage = _C._storage_from_address(interface["data"][0] or 0, extent, array)
    return _C._tensor_from_storage(storage, dtype, shape, tuple(steps), 0)


def from_array_like(value):
    """What the core calls for arrays and lists of arrays: native byte order, non-negative strides."""
    import numpy

    array = numpy.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if any(step < 0 for step in array.strides) or any(step % max(array.itemsize, 1) for step in array.strides):
        array = array.copy()
    return from_numpy(array)
