"""Handles of registered hooks; follows torch/utils/hooks.py."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict


class RemovableHandle:
    """Takes a hook out of its table: by `remove`, or at the end of a `with` block.

    extra_dict: further tables, one or a list, that are keyed by the same id.
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict, *, extra_dict=None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if extra_dict is None:
            extra_dict = []
        elif isinstance(extra_dict, dict):
            extra_dict = [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dict)

    def remove(self) -> None:
        """Take the hook out; nothing happens if it, or its table, is gone."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = ref()
            if table is not None and self.id in table:
                del table[self.id]

    def __getstate__(self):
        return (self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref))

    def __setstate__(self, state) -> None:
        table = state[0] if state[0] is not None else OrderedDict()
        self.hooks_dict_ref = weakref.ref(table)
        self.id = state[1]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        extra = state[2] if len(state) > 2 and state[2] is not None else ()
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        self.remove()


def unserializable_hook(f):
    """Mark a hook of a tensor as one that need not be saved with it."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor) -> None:
    """Warn about hooks that are lost when the tensor is saved."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook "
                "to suppress this warning",
                stacklevel=2,
            )
