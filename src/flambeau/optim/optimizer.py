"""The base of all optimizers: parameter groups, state, hooks and checkpoints.

Follows torch/optim/optimizer.py in behaviour, messages and the layout of state dicts.
Left out: profiler ranges, graph capture, and the choice between loop, `foreach` and `fused`
(`_options.py` says why).
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain

import flambeau
from flambeau.utils.hooks import RemovableHandle

_global_pre_hooks: dict = OrderedDict()
_global_post_hooks: dict = OrderedDict()


class _RequiredParameter:
    """The default of an option that every parameter group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of any optimizer."""
    return _register(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of any optimizer."""
    return _register(_global_post_hooks, hook)


def _register(table, hook, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def _use_grad_for_differentiable(step):
    """Run a step without autograd, unless the optimizer was made with differentiable=True."""

    @functools.wraps(step)
    def with_grad_mode(self, *args, **kwargs):
        with flambeau.set_grad_enabled(self.defaults["differentiable"]):
            return step(self, *args, **kwargs)

    return with_grad_mode


class Optimizer:
    """Holds parameter groups and per-parameter state; subclasses define `step`.

    params: tensors, (name, tensor) pairs, or dicts that each describe one group.
    defaults: the options of groups that do not set them.
    """

    # The tables of hooks, from handle to function; `_add_hook_tables` makes those named here.
    _optimizer_step_pre_hooks: OrderedDict
    _optimizer_step_post_hooks: OrderedDict
    _optimizer_state_dict_pre_hooks: OrderedDict
    _optimizer_state_dict_post_hooks: OrderedDict
    _optimizer_load_state_dict_pre_hooks: OrderedDict
    _optimizer_load_state_dict_post_hooks: OrderedDict

    def __init__(self, params, defaults: dict) -> None:
        self.defaults = defaults
        self._add_hook_tables()
        self._patch_step_function()
        if isinstance(params, flambeau.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be "
                "an iterable of Tensors or dicts, but got " + flambeau.typename(params)
            )
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict] = []
        groups = list(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _add_hook_tables(self) -> None:
        # Hooks are not pickled, but stay when a state dict is loaded, which ends here, too.
        for name in Optimizer.__annotations__:
            self.__dict__.setdefault(name, OrderedDict())

    def __getstate__(self) -> dict:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._add_hook_tables()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines = [self.__class__.__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"

    # -- steps and their hooks

    @staticmethod
    def profile_hook_step(func):
        """Wrap a `step` so that the registered hooks run around it."""

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            self = args[0]
            before = chain(_global_pre_hooks.values(), self._optimizer_step_pre_hooks.values())
            for hook in before:
                result = hook(self, args, kwargs)
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                args, kwargs = result
            out = func(*args, **kwargs)
            after = chain(self._optimizer_step_post_hooks.values(), _global_post_hooks.values())
            for hook in after:
                hook(self, args, kwargs)
            return out

        return wrapper

    def _patch_step_function(self) -> None:
        # On first use of a class, not when it is defined: a step that calls the step of its
        # parent class shall run the hooks once.
        cls = self.__class__
        if not getattr(cls.step, "hooked", None):
            step = self.profile_hook_step(cls.step)
            step.hooked = True
            setattr(cls, "step", step)  # noqa: B010 (mypy would not have a method replaced)

    def step(self, closure=None):
        """Update all parameters once; `closure` recomputes and returns the loss."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros if `set_to_none` is false."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                    continue
                if p.grad.grad_fn is not None:
                    p.grad.detach_()
                else:
                    p.grad.requires_grad_(False)
                p.grad.zero_()

    def register_step_pre_hook(self, hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return both anew."""
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _register(self._optimizer_step_post_hooks, hook)

    # -- checkpoints

    def register_state_dict_pre_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict`."""
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after `state_dict`; it may return another one."""
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another one."""
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after loading."""
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict:
        """State and groups, with parameters replaced by their position over all groups."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        position: dict[int, int] = {}
        start = 0
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            for i, p in enumerate(group["params"], start):
                position.setdefault(id(p), i)
            packed["params"] = [position[id(p)] for p in group["params"]]
            start += len(packed["params"])
            groups.append(packed)
        state = {
            position[id(key)] if isinstance(key, flambeau.Tensor) else key: value for key, value in self.state.items()
        }
        packed_all = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = hook(self, packed_all)
            if result is not None:
                packed_all = result
        return packed_all

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over what `state_dict` gave; tensors become of their parameter's type."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        groups = self.param_groups
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        sizes = [len(group["params"]) for group in groups]
        if sizes != [len(group["params"]) for group in saved_groups]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        saved_ids = chain.from_iterable(group["params"] for group in saved_groups)
        params = chain.from_iterable(group["params"] for group in groups)
        param_of = dict(zip(saved_ids, params, strict=True))

        state: defaultdict = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in param_of:
                policy = _CastPolicy(param_of[key], key, state_dict["param_groups"])
                state[param_of[key]] = policy.cast(value)
            else:
                state[key] = value
        for group, saved in zip(groups, saved_groups, strict=True):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # -- parameter groups

    def add_param_group(self, param_group: dict) -> None:
        """Add one group: a dict with "params" and the options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _separate_names(param_group)
        for p in param_group["params"]:
            self._check_param(p)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        present: set = set()
        for group in self.param_groups:
            present.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer"
                )
        if not present.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _check_param(self, p) -> None:
        if not isinstance(p, flambeau.Tensor):
            raise TypeError("optimizer can only optimize Tensors, but one of the params is " + flambeau.typename(p))
        if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")


class _CastPolicy:
    """How the saved state of one parameter is fitted to that parameter."""

    def __init__(self, param, saved_id, saved_groups) -> None:
        self.param = param
        group: dict = next((g for g in saved_groups if saved_id in g["params"]), {})
        self.step_on_device = group.get("fused", False) or group.get("capturable", False)

    def cast(self, value, key=None):
        if isinstance(value, flambeau.Tensor):
            return self._cast_tensor(value, key)
        if isinstance(value, dict):
            return {k: self.cast(v, k) for k, v in value.items()}
        if isinstance(value, Iterable) and not isinstance(value, str):
            return type(value)(self.cast(v) for v in value)
        return value

    def _cast_tensor(self, value, key):
        # The step count keeps its type: in half precision it would stop growing at 2048.
        if key == "step":
            if not self.step_on_device:
                return value
            return value.to(dtype=flambeau.float32, device=self.param.device)
        if self.param.is_floating_point():
            return value.to(dtype=self.param.dtype, device=self.param.device)
        return value.to(device=self.param.device)


def _separate_names(param_group: dict) -> None:
    """Make "params" a list of tensors; names of (name, tensor) pairs go to "param_names"."""
    params = param_group["params"]
    if isinstance(params, flambeau.Tensor):
        params = [params]
    elif isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but "
            "the ordering of tensors in sets will change between runs. Please use a list instead."
        )
    else:
        params = list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    param_group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
    if names:
        if len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        param_group["param_names"] = names
