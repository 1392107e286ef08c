"""Calling a module: forward with the hooks around it, of the module and of all modules.

Part of torch/nn/modules/module.py.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict

from flambeau import Tensor
from flambeau.nn.modules._backward_hook import BackwardHook
from flambeau.utils.hooks import RemovableHandle

__all__ = [
    "Calling",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

buffer_registration_hooks: OrderedDict = OrderedDict()
module_registration_hooks: OrderedDict = OrderedDict()
parameter_registration_hooks: OrderedDict = OrderedDict()
_global_backward_pre_hooks: OrderedDict = OrderedDict()
_global_backward_hooks: OrderedDict = OrderedDict()
_global_forward_pre_hooks: OrderedDict = OrderedDict()
_global_forward_hooks: OrderedDict = OrderedDict()
_global_forward_hooks_always_called: OrderedDict = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict = OrderedDict()
_global_is_full_backward_hook = None

_MIXED_HOOKS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)
_MIXED_GLOBAL_HOOKS = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


class Calling:
    """What Module knows about being called."""

    def forward(self, *input):
        """What the module computes; every module defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        # Through the dictionary, because attributes are slow on classes with __getattr__: 0.4 us less a call.
        slots = self.__dict__
        try:
            hooked = (
                slots["_backward_hooks"]
                or slots["_backward_pre_hooks"]
                or slots["_forward_hooks"]
                or slots["_forward_pre_hooks"]
                or _global_backward_pre_hooks
                or _global_backward_hooks
                or _global_forward_hooks
                or _global_forward_pre_hooks
            )
        except KeyError as missing:
            # Module.__init__ has not been called.
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {missing}") from None
        if hooked:
            return self._call_impl(*args, **kwargs)
        return self.forward(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        called = set()
        try:
            return self._call_with_hooks(called, args, kwargs)
        except Exception:
            self._call_remaining_hooks(called, args, kwargs)
            raise

    def _call_with_hooks(self, called, args, kwargs):
        """Forward between its hooks; `called` collects the ids of the forward hooks that were reached."""
        full_hooks, simple_hooks = self._get_backward_hooks()
        pre_hooks = self._get_backward_pre_hooks()
        args, kwargs = self._run_forward_pre_hooks(args, kwargs)
        backward_hook = None
        if full_hooks or pre_hooks:
            backward_hook = BackwardHook(self, full_hooks, pre_hooks)
            args = backward_hook.setup_input_hook(args)
        result = self.forward(*args, **kwargs)
        for hook_id, hook, with_kwargs, always in self._all_forward_hooks():
            if always:
                called.add(hook_id)
            replaced = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if replaced is not None:
                result = replaced
        if backward_hook is not None:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(result)}",
                    stacklevel=2,
                )
            result = backward_hook.setup_output_hook(result)
        if simple_hooks:
            self._hang_simple_hooks(simple_hooks, args, result)
        return result

    def _run_forward_pre_hooks(self, args, kwargs):
        for hook in _global_forward_pre_hooks.values():
            replaced = hook(self, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
        for hook_id, hook in self._forward_pre_hooks.items():
            if hook_id in self._forward_pre_hooks_with_kwargs:
                replaced = hook(self, args, kwargs)
                if replaced is None:
                    continue
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                args, kwargs = replaced
            else:
                replaced = hook(self, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
        return args, kwargs

    def _all_forward_hooks(self):
        """(id, hook, takes kwargs, always called) of the global hooks and then of the module's own."""
        for hook_id, hook in list(_global_forward_hooks.items()):
            with_kwargs = hook_id in _global_forward_hooks_with_kwargs
            yield hook_id, hook, with_kwargs, hook_id in _global_forward_hooks_always_called
        for hook_id, hook in list(self._forward_hooks.items()):
            with_kwargs = hook_id in self._forward_hooks_with_kwargs
            yield hook_id, hook, with_kwargs, hook_id in self._forward_hooks_always_called

    def _call_remaining_hooks(self, called, args, kwargs):
        """After an error: the hooks that asked to be called always and were not reached."""
        for hook_id, hook, with_kwargs, always in self._all_forward_hooks():
            if not always or hook_id in called:
                continue
            try:
                if with_kwargs:
                    hook(self, args, kwargs, None)
                else:
                    hook(self, args, None)
            except Exception as e:
                which = "global module" if hook_id in _global_forward_hooks else "module"
                warnings.warn(
                    f"{which} forward hook with ``always_call=True`` raised an exception that was silenced as another "
                    f"error was raised in forward: {e!s}",
                    stacklevel=2,
                )

    # Backward hooks

    def _get_backward_hooks(self):
        """The full backward hooks and the simple ones, global ones first."""
        full_hooks = []
        simple_hooks = []
        if _global_is_full_backward_hook is True:
            full_hooks += _global_backward_hooks.values()
        if self._is_full_backward_hook is True:
            full_hooks += self._backward_hooks.values()
        if _global_is_full_backward_hook is False:
            simple_hooks += _global_backward_hooks.values()
        if self._is_full_backward_hook is False:
            simple_hooks += self._backward_hooks.values()
        return full_hooks, simple_hooks

    def _get_backward_pre_hooks(self):
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _hang_simple_hooks(self, hooks, args, result):
        """Simple backward hooks hang on the node of the first tensor in the result."""
        var = result
        while not isinstance(var, Tensor):
            if isinstance(var, dict):
                var = next(v for v in var.values() if isinstance(v, Tensor))
            else:
                var = var[0]
        grad_fn = var.grad_fn
        if grad_fn is None:
            return
        for hook in hooks:
            grad_fn.register_hook(_bound(hook, self))
        self._maybe_warn_non_full_backward_hook(args, result, grad_fn)

    def _maybe_warn_non_full_backward_hook(self, inputs, result, grad_fn):
        message = _trouble_of_simple_hooks(inputs, result, grad_fn)
        if message is not None:
            warnings.warn(message, FutureWarning, stacklevel=2)

    def register_backward_hook(self, hook):
        """A hook on the last node of forward; `register_full_backward_hook` is the better one."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(_MIXED_HOOKS)
        self._is_full_backward_hook = False
        return _add(self._backward_hooks, hook)

    def register_full_backward_hook(self, hook, prepend=False):
        """`hook(module, grad_input, grad_output)` may return new gradients of the inputs."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(_MIXED_HOOKS)
        self._is_full_backward_hook = True
        return _add(self._backward_hooks, hook, prepend=prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """`hook(module, grad_output)` may return new gradients of the outputs."""
        return _add(self._backward_pre_hooks, hook, prepend=prepend)

    # Forward hooks

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """`hook(module, args)` before forward may return new arguments."""
        extra = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return _add(self._forward_pre_hooks, hook, extra, prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """`hook(module, args, output)` after forward may return a new output."""
        extra = []
        if with_kwargs:
            extra.append(self._forward_hooks_with_kwargs)
        if always_call:
            extra.append(self._forward_hooks_always_called)
        return _add(self._forward_hooks, hook, extra, prepend)


def _add(hooks, hook, marks=(), prepend=False):
    """Register `hook`; its id is entered as true in each of `marks`, too."""
    handle = RemovableHandle(hooks, extra_dict=list(marks))
    hooks[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _bound(hook, module):
    def call(*args, **kwargs):
        return hook(module, *args, **kwargs)

    return call


def _trouble_of_simple_hooks(inputs, result, grad_fn):
    """Why a simple backward hook will not see all gradients, or None."""
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(r, Tensor) for r in results):
        if isinstance(result, tuple):
            return (
                "Using a non-full backward hook when outputs are nested in python data structure is deprecated and "
                "will be removed in future versions. This hook will be missing some grad_output."
            )
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is "
            "deprecated and will be removed in future versions. This hook will be missing some of the grad_output. "
            "Please use register_full_backward_hook to get the documented behavior."
        )
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    if not all(isinstance(i, Tensor) for i in inputs):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            "Tensors is deprecated and will be removed in future versions. This hook will be missing some of the "
            "grad_input. Please use register_full_backward_hook to get the documented behavior."
        )
    if any(r.grad_fn is not None and r.grad_fn != grad_fn for r in results):
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes is deprecated and "
            "will be removed in future versions. This hook will be missing some grad_output."
        )
    of_inputs = {i.grad_fn for i in inputs if i.grad_fn is not None}
    before = {next_node[0] for next_node in grad_fn.next_functions}
    if of_inputs != before:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will "
            "be removed in future versions. This hook will be missing some grad_input. Please use "
            "register_full_backward_hook to get the documented behavior."
        )
    return None


# Hooks of all modules


def registered(hooks, module, name, member):
    """`member`, or what the registration hooks make of it."""
    for hook in hooks.values():
        replaced = hook(module, name, member)
        if replaced is not None:
            member = replaced
    return member


def register_module_buffer_registration_hook(hook):
    """`hook(module, name, buffer)` at every registration may return another buffer."""
    return _add(buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """`hook(module, name, submodule)` at every registration may return another module."""
    return _add(module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """`hook(module, name, param)` at every registration may return another parameter."""
    return _add(parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """`register_forward_pre_hook` for all modules."""
    return _add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """`register_forward_hook` for all modules."""
    extra = []
    if with_kwargs:
        extra.append(_global_forward_hooks_with_kwargs)
    if always_call:
        extra.append(_global_forward_hooks_always_called)
    return _add(_global_forward_hooks, hook, extra)


def register_module_backward_hook(hook):
    """`register_backward_hook` for all modules."""
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is True:
        raise RuntimeError(_MIXED_GLOBAL_HOOKS)
    _global_is_full_backward_hook = False
    return _add(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook):
    """`register_full_backward_pre_hook` for all modules."""
    return _add(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook):
    """`register_full_backward_hook` for all modules."""
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is False:
        raise RuntimeError(_MIXED_GLOBAL_HOOKS)
    _global_is_full_backward_hook = True
    return _add(_global_backward_hooks, hook)
