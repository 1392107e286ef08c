"""Operations defined by the user: forward and backward in Python; follows torch/autograd/function.py."""

from __future__ import annotations

from functools import wraps

from flambeau import _C
from flambeau.autograd.grad_mode import no_grad

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What forward hands on to backward."""

    needs_input_grad: tuple = ()
    materialize_grads: bool = True
    _function: type[Function]
    _tensor_places: list[int]
    _output_meta: list
    _saved: list

    def save_for_backward(self, *tensors) -> None:
        """Keep inputs or outputs; backward finds them in `saved_tensors`, checked for in-place changes."""
        self._to_save = tensors

    def save_for_forward(self, *tensors) -> None:
        """Accepted for forward-mode differentiation, which does not exist here."""

    def mark_dirty(self, *tensors) -> None:
        """Tell which inputs forward changed in place; they must be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """Tell which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple:
        saved = self.__dict__.get("_saved")
        if saved is None:
            if "_to_save" in self.__dict__ and "_released" not in self.__dict__:
                return tuple(self._to_save)
            if "_released" not in self.__dict__:
                return ()
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
                "if you need to access saved tensors after calling backward."
            )
        return tuple(None if s is None else s.unpack() for s in saved)

    saved_variables = saved_tensors

    # Called by the core.

    def _run_backward(self, grads: tuple) -> tuple:
        import flambeau

        if self.materialize_grads:
            grads = tuple(
                flambeau.zeros(shape, dtype=dtype) if grad is None and shape is not None else grad
                for grad, (shape, dtype) in zip(grads, self._output_meta)
            )
        results = self._function.backward(self, *grads)
        if not isinstance(results, tuple):
            results = (results,)
        expected = len(self.needs_input_grad)
        if len(results) > expected and all(result is None for result in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {type(self).__name__} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(results)})"
            )
        return tuple(results[index] for index in self._tensor_places)

    def _release_saved(self) -> None:
        self.__dict__.pop("_saved", None)
        self.__dict__.pop("_to_save", None)
        self._released = True


class Function:
    """Subclass with static `forward(ctx, ...)` (or `forward(...)` and `setup_context`) and `backward(ctx, *grads)`;
    call through `apply`."""

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward
    _backward_cls: type[FunctionCtx]

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            f"Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method: {type(self)} should not be instantiated."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward and record it as one operation."""
        ctx = _context_class(cls)()
        ctx._function = cls
        places = [i for i, arg in enumerate(args) if isinstance(arg, _C.TensorBase)]
        ctx._tensor_places = places
        ctx.needs_input_grad = tuple(isinstance(arg, _C.TensorBase) and arg.requires_grad for arg in args)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        return _record(ctx, cls, args, output)


def _context_class(cls: type[Function]) -> type[FunctionCtx]:
    made = cls.__dict__.get("_backward_cls")
    if made is None:
        made = type(cls.__name__ + "Backward", (FunctionCtx,), {"__module__": cls.__module__})
        if cls.backward is Function.backward and cls.vjp is not Function.vjp:
            cls.backward = cls.vjp  # type: ignore[method-assign]
        cls._backward_cls = made
    return made


def _record(ctx: FunctionCtx, cls: type[Function], args: tuple, output):
    single = not isinstance(output, tuple)
    outputs = [output] if single else list(output)
    dirty = {id(t) for t in ctx.__dict__.pop("_dirty", ())}
    given = {id(arg) for arg in args if isinstance(arg, _C.TensorBase)}
    requires_grad = _C.is_grad_enabled() and any(ctx.needs_input_grad)
    returned = tuple(outputs)
    for index, value in enumerate(outputs):
        if isinstance(value, _C.TensorBase) and id(value) in given and id(value) not in dirty:
            # An input handed back is another tensor with its own history.
            with no_grad():
                outputs[index] = value.view_as(value).detach()
    if requires_grad:
        non_differentiable = {id(t) for t in ctx.__dict__.pop("_non_differentiable", ())}
        # A mark is on what forward returned, even where that was an input.
        recorded = tuple(
            out
            if isinstance(out, _C.TensorBase) and id(value) not in non_differentiable and out.is_floating_point()
            else None
            for out, value in zip(outputs, returned)
        )
        ctx._output_meta = [
            (out.shape, out.dtype) if isinstance(out, _C.TensorBase) else (None, None) for out in outputs
        ]
        # Inputs are saved with the history they had; outputs after they got theirs.
        to_save = ctx.__dict__.pop("_to_save", None)
        places = {id(out): index for index, out in enumerate(outputs)}
        if to_save is not None:
            ctx._saved = [None if t is None else _C._save(t, -1) if id(t) not in places else t for t in to_save]
        inputs = tuple(args[index] for index in ctx._tensor_places)
        _C._make_node(ctx, cls.__name__ + "Backward", inputs, recorded)
        if to_save is not None:
            ctx._saved = [
                _C._save(t, places[id(t)]) if isinstance(t, _C.TensorBase) else t for t in ctx._saved
            ]
    return outputs[0] if single else tuple(outputs)


def once_differentiable(function):
    """Decorates a backward that can not be differentiated again."""

    @wraps(function)
    def backward(ctx, *grads):
        recording = _C.is_grad_enabled()
        with no_grad():
            outputs = function(ctx, *grads)
        if not recording or not any(isinstance(g, _C.TensorBase) and g.requires_grad for g in grads):
            return outputs
        single = not isinstance(outputs, tuple)
        listed = (outputs,) if single else outputs
        wrapped = tuple(_Refuse.apply(out, *grads) if isinstance(out, _C.TensorBase) else out for out in listed)
        return wrapped[0] if single else wrapped

    return backward


class _Refuse(Function):
    """Stands for a result that has no second derivative."""

    @staticmethod
    def forward(ctx, value, *sources):
        return value.clone()

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


