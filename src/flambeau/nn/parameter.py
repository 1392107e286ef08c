"""Tensors that a module keeps: parameters and buffers, and their uninitialized forms for lazy modules.

Follows torch/nn/parameter.py.
"""

from __future__ import annotations

from collections import OrderedDict

import flambeau
from flambeau import Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "is_lazy",
]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """Lets a tensor subclass be a parameter without being of the class, by its attribute `_is_param`."""

    def __instancecheck__(self, instance):
        if super().__instancecheck__(instance):
            return True
        return self is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that becomes part of a module's parameters when assigned to one of its attributes.

    It shares its storage with `data` and requires gradients unless told otherwise.
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = flambeau.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        t = data.detach().requires_grad_(requires_grad)
        if type(t) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(t).__name__} was found instead. To use the type "
                "as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        t._is_param = True
        return t

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        data = self.data.clone(memory_format=flambeau.preserve_format)
        result = type(self)(data, self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto):
        from flambeau import _utils

        # Hooks are not saved, but their place in the arguments is part of PyTorch's file format.
        hooks = OrderedDict()
        state = _utils._get_obj_state(self)
        if state:
            return _utils._rebuild_parameter_with_state, (self.data, self.requires_grad, hooks, state)
        return _utils._rebuild_parameter, (self.data, self.requires_grad, hooks)


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """Lets a plain tensor be a buffer by its attribute `_is_buffer`."""

    def __instancecheck__(self, instance):
        if super().__instancecheck__(instance):
            return True
        return self is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes one of a module's buffers when assigned to one of its attributes.

    `persistent` says whether it is part of the module's state_dict.
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = flambeau.empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet; `materialize` gives it one."""

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def materialize(self, shape, device=None, dtype=None):
        """Become an ordinary parameter or buffer of `shape`, uninitialized in value."""
        device = self.data.device if device is None else device
        dtype = self.data.dtype if dtype is None else dtype
        self.data = flambeau.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents=None):
        return f"<{self.__class__.__name__}>"


def is_lazy(param):
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter of a lazy module before its first forward."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        data = flambeau.empty(0, device=device, dtype=dtype)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        memo[id(self)] = result
        return result

    def __reduce_ex__(self, proto):
        return type(self), (self.requires_grad, self.data.device, self.data.dtype)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer of a lazy module before its first forward."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        data = flambeau.empty(0, device=device, dtype=dtype)
        result = Tensor._make_subclass(cls, data, requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result
