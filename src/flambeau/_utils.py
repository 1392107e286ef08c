"""Taking tensors apart for pickle and deepcopy, and putting them together again.

Follows PyTorch's torch/_utils.py and the pickling part of torch/_tensor.py: the names and the
arguments of the rebuild functions are those found in files made by ``torch.save``. They are called
with whatever a file says, so every one of them checks before it builds.

Left out: sparse, quantized, nested and meta tensors. Hooks are never pickled (as in PyTorch).
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

from flambeau import _storage_bytes
from flambeau.storage import TypedStorage, UntypedStorage, typed_class

_MAX_INT = (1 << 63) - 1
_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")


def _reduce_tensor(tensor: Any, protocol: int) -> tuple[Any, tuple[Any, ...]]:
    """`Tensor.__reduce_ex__`: attributes and subclasses go along."""
    import flambeau

    function, arguments = _reduce_plain(tensor)
    state = _get_obj_state(tensor)
    if type(tensor) is flambeau.Tensor and not state:
        return function, arguments
    return _rebuild_from_type_v2, (function, type(tensor), arguments, state)


def _reduce_plain(tensor: Any) -> tuple[Any, tuple[Any, ...]]:
    dtype = tensor.dtype
    storage = tensor.untyped_storage()
    place = (tensor.storage_offset(), tuple(tensor.size()), tensor.stride())
    # The flag that says "conjugated" is not part of the bytes.
    extra = ({"conj": True},) if dtype.is_complex and tensor.is_conj() else ()
    rest: tuple[Any, ...] = (*place, tensor.requires_grad, OrderedDict())
    if typed_class(dtype) is None:
        return _rebuild_tensor_v3, (storage, *rest, dtype, *extra)
    typed = TypedStorage(wrap_storage=storage, dtype=dtype)
    return _rebuild_tensor_v2, (typed, *rest, *extra)


def _deepcopy_tensor(tensor: Any, memo: dict[int, Any]) -> Any:
    """`Tensor.__deepcopy__`: tensors that share a storage share its copy."""
    if id(tensor) in memo:
        return memo[id(tensor)]
    if not tensor.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    place = (tuple(tensor.size()), tensor.stride(), tensor.storage_offset())
    storage = _copy_storage(tensor.untyped_storage(), memo)
    result = _storage_bytes.tensor(storage, tensor.dtype, *place)
    if tensor.dtype.is_complex and tensor.is_conj():
        result = result.conj()
    if type(tensor) is not type(result):
        result = result.as_subclass(type(tensor))
    result.requires_grad = tensor.requires_grad
    memo[id(tensor)] = result
    if tensor.grad is not None:
        result.grad = _deepcopy_tensor(tensor.grad, memo)
    for name, value in _get_obj_state(tensor).items():
        setattr(result, name, copy.deepcopy(value, memo))
    return result


def _copy_storage(storage: Any, memo: dict[Any, Any]) -> Any:
    copies = memo.setdefault("flambeau storages", {})
    key = _storage_bytes.identity(storage)
    if key not in copies:
        copied = _storage_bytes.new(storage.nbytes())
        if storage.nbytes():
            _storage_bytes.view(copied)[:] = _storage_bytes.view(storage)
        # The original is kept as well: while it lives nothing else can have its address.
        copies[key] = (copied, storage)
    return copies[key][0]


def _get_obj_state(obj: Any) -> dict[str, Any]:
    """The attributes a user put on a tensor; hooks are kept there too, and stay behind."""
    attributes = getattr(obj, "__dict__", {})
    return {name: value for name, value in attributes.items() if not name.startswith(_HOOKS)}


def _set_obj_state(obj: Any, state: Any) -> Any:
    # PyTorch writes a pair where the class has __slots__.
    parts = state if isinstance(state, tuple) else (state,)
    for part in parts:
        for name, value in (part or {}).items():
            setattr(obj, name, value)
    return obj


def _rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    return _build(storage, storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Any:
    tensor = _build(storage, storage.dtype, storage_offset, size, stride)
    return _finish(tensor, requires_grad, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    return _finish(_build(storage, dtype, storage_offset, size, stride), requires_grad, metadata)


def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Any:
    from flambeau.nn.parameter import Parameter

    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Any, requires_grad: bool, backward_hooks: Any, state: Any) -> Any:
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_from_type_v2(function: Any, new_type: Any, arguments: Any, state: Any) -> Any:
    tensor = function(*arguments)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    set_state = getattr(new_type, "__setstate__", None)
    if set_state is not None and "__setstate__" in _python_names(new_type):
        set_state(tensor, state)
        return tensor
    return _set_obj_state(tensor, state)


def _build(storage: Any, dtype: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    import flambeau

    untyped = storage._untyped_storage if isinstance(storage, TypedStorage) else storage
    if not isinstance(untyped, UntypedStorage) or not isinstance(dtype, flambeau.dtype):
        raise RuntimeError("a tensor needs a storage and a dtype to be rebuilt from")
    size, stride = tuple(size), tuple(stride)
    _check_place(untyped.nbytes(), dtype.itemsize, storage_offset, size, stride)
    return _storage_bytes.tensor(untyped, dtype, size, stride, storage_offset)


def _check_place(nbytes: int, itemsize: int, offset: Any, size: Any, stride: Any) -> None:
    """Refuses sizes, strides and offsets that leave a storage of `nbytes` bytes."""
    if not all(type(number) is int for number in (offset, *size, *stride)):
        raise RuntimeError("sizes, strides and offsets of a tensor must be integers")
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if any(number < 0 for number in (*size, *stride)):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    numel = 1
    for length in size:
        numel *= max(length, 1)
    if max((numel, offset, *stride)) > _MAX_INT:
        raise RuntimeError("numel: integer multiplication overflow")
    if 0 in size:
        return
    last = offset + sum((length - 1) * step for length, step in zip(size, stride))
    needed = (last + 1) * itemsize
    if needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, "
            f"and itemsize {itemsize} requiring a storage size of {needed} are out of bounds for "
            f"storage of size {nbytes}"
        )


def _finish(tensor: Any, requires_grad: bool, metadata: Any) -> Any:
    metadata = metadata or {}
    if metadata.get("conj"):
        tensor = tensor.conj()
    if metadata.get("neg"):
        tensor = tensor._neg_view()
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def _python_names(cls: type) -> set[str]:
    """Names that `cls` or a base of it defines, below the tensor class itself."""
    import flambeau

    names: set[str] = set()
    for base in cls.__mro__:
        if base is flambeau.Tensor:
            break
        names.update(vars(base))
    return names
