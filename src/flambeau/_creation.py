"""Tensors from Python data: torch.tensor, as_tensor, asarray, frombuffer."""

from __future__ import annotations

from flambeau import _C
from flambeau._tensor import Tensor, _check_device, from_array_like


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A copy of `data`: a number, nested sequences of numbers, an array or a tensor."""
    if device is not None:
        _check_device(device)
    if isinstance(data, Tensor):
        import warnings

        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            stacklevel=2,
        )
    made = _C._tensor_from_data(data, dtype)
    return made.requires_grad_() if requires_grad else made


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, without a copy where its memory can be shared."""
    _check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype == dtype else data.to(dtype)
    if hasattr(data, "__array_interface__") and getattr(data, "ndim", 0):
        shared = from_array_like(data)
        return shared if dtype is None or shared.dtype == dtype else shared.to(dtype)
    return _C._tensor_from_data(data, dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor: tensors, arrays, buffers and sequences; shares memory unless `copy` or a cast is asked for."""
    _check_device(device)
    if isinstance(obj, Tensor):
        made = obj if dtype is None or dtype == obj.dtype else obj.to(dtype)
        if copy and made is obj:
            made = made.clone()
        if not requires_grad:
            made = made.detach()
    elif hasattr(obj, "__array_interface__"):
        made = as_tensor(obj, dtype)
        made = made.clone() if copy else made
    elif isinstance(obj, _C.UntypedStorage):
        made = _C._tensor_from_storage(obj, _C.uint8, (obj.nbytes(),), (1,), 0)
        made = made.to(dtype or _C.int64, copy=bool(copy))
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        made = frombuffer(obj, dtype=dtype or _C.get_default_dtype())
        made = made.clone() if copy else made
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        made = _C._tensor_from_data(obj, dtype)
    return made.requires_grad_() if requires_grad else made


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-D tensor over the memory of an object with a buffer."""
    view = memoryview(buffer)
    size = view.nbytes
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) - 1"
        )
    if count < 0:
        if (size - offset) % dtype.itemsize:
            raise ValueError(
                f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element "
                f"size ({dtype.itemsize})"
            )
        count = (size - offset) // dtype.itemsize
    if offset + count * dtype.itemsize > size:
        raise ValueError(
            f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({size} bytes)"
        )
    part = view.cast("B")[offset : offset + count * dtype.itemsize]
    made = _C._tensor_from_storage(_C._storage_from_buffer(part), dtype, (count,), (1,), 0)
    return made.requires_grad_() if requires_grad else made


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of an object with `__dlpack__` (on the CPU; NumPy reads the capsule)."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()
    import numpy

    return from_array_like(numpy.from_dlpack(ext_tensor))


def sparse_coo_tensor(*args, **kwargs):
    raise NotImplementedError("flambeau has strided tensors only: sparse tensors are not supported")
