"""A module's state: state_dict, load_state_dict and the hooks around them.

Part of torch/nn/modules/module.py.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, namedtuple

import flambeau
from flambeau import Tensor
from flambeau.nn.parameter import Parameter, is_lazy
from flambeau.utils.hooks import RemovableHandle

__all__ = ["State"]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict returns."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class State:
    """What Module knows about saving and loading."""

    def get_extra_state(self):
        """More state than tensors, for modules that have it; goes into the state_dict."""
        raise RuntimeError(_NEVER_CALLED.format("get"))

    def set_extra_state(self, state):
        """The counterpart of `get_extra_state` when loading."""
        raise RuntimeError(_NEVER_CALLED.format("set"))

    # Saving

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Parameters and persistent buffers of the tree by path, detached unless `keep_vars`."""
        if args:
            import warnings

            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args))
            destination = given.get("destination", destination)
            prefix = given.get("prefix", prefix)
            keep_vars = given.get("keep_vars", keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if replaced is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """The module's own part of the state, without its submodules."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    # Loading

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy a state into the parameters and buffers; `assign` puts its tensors in their place instead."""
        if not hasattr(state_dict, "keys") or not hasattr(state_dict, "__getitem__"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing_keys = []
        unexpected_keys = []
        error_msgs = []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, local_state_dict, prefix=""):
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(
                local_state_dict, prefix, local_metadata, True, missing_keys, unexpected_keys, error_msgs
            )
            for name, child in module._modules.items():
                if child is not None:
                    child_prefix = prefix + name + "."
                    child_state = {k: v for k, v in local_state_dict.items() if k.startswith(child_prefix)}
                    load(child, child_state, child_prefix)
            incompatible_keys = _IncompatibleKeys(missing_keys, unexpected_keys)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, incompatible_keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                        "values, if incompatible_keys need to be modified, it should be done inplace."
                    )

        load(self, state_dict)
        if strict:
            if unexpected_keys:
                error_msgs.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected_keys)}. ")
            if missing_keys:
                error_msgs.insert(0, f"Missing key(s) in state_dict: {_quoted(missing_keys)}. ")
        if error_msgs:
            raise RuntimeError(
                "Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(error_msgs))
            )
        return _IncompatibleKeys(missing_keys, unexpected_keys)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Load the module's own part of the state, without its submodules."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = [item for item in self._buffers.items() if item[0] not in self._non_persistent_buffers_set]
        local_state = {k: v for k, v in itertools.chain(self._parameters.items(), persistent) if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, param in local_state.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, param, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not State.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    name = key[len(prefix) :].split(".", 1)
                    # The part before a dot must be a module, a name without one a parameter or buffer.
                    if len(name) > 1:
                        if name[0] not in self._modules:
                            unexpected_keys.append(key)
                    elif name[0] not in local_state:
                        unexpected_keys.append(key)

    def _load_one(self, name, param, key, given, assign, error_msgs):
        """Load one parameter or buffer, or append why that cannot be done."""
        if not isinstance(given, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            return
        lazy = is_lazy(param)
        # Checkpoints from before 0.4 hold scalars as tensors of one element.
        if not lazy and len(param.shape) == 0 and len(given.shape) == 1:
            given = given[0]
        if not lazy and given.shape != param.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {param.shape}."
            )
            return
        if param.is_meta and not given.is_meta and not assign:
            import warnings

            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                "to their corresponding key in the module instead of copying them in place?)",
                stacklevel=2,
            )
        try:
            with flambeau.no_grad():
                if assign:
                    self._assign_one(name, param, given)
                else:
                    param.copy_(given)
        except Exception as ex:
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {param.size()} and '
                f"whose dimensions in the checkpoint are {given.size()}, an exception occurred : {ex.args}."
            )

    def _assign_one(self, name, param, given):
        if isinstance(param, Parameter):
            if not isinstance(given, Parameter):
                given = Parameter(given, requires_grad=param.requires_grad)
            else:
                given.requires_grad_(param.requires_grad)
        setattr(self, name, given)

    # Hooks

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """`hook(module, state_dict, prefix, local_metadata)` after saving may change the state in place."""
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook):
        """`hook(module, prefix, keep_vars)` before saving."""
        return _add(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return _add(self._load_state_dict_pre_hooks, _LoadHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook):
        """`hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """`hook(module, incompatible_keys)` after loading may change the lists in place."""
        return _add(self._load_state_dict_post_hooks, hook)


_NEVER_CALLED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


class _LoadHook:
    """A hook before loading, with the module in front of its arguments if it wants it; can be copied and pickled."""

    def __init__(self, hook, module):
        self.hook = hook
        self.module = module

    def __call__(self, *args):
        if self.module is None:
            return self.hook(*args)
        return self.hook(self.module, *args)


def _add(hooks, hook):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def _quoted(keys):
    return ", ".join(f'"{key}"' for key in keys)
