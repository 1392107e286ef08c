"""Small helpers of layers. Follows torch/nn/modules/utils.py."""

from __future__ import annotations

from flambeau.nn._sizes import (  # noqa: F401
    _list_with_default,
    _ntuple,
    _pair,
    _quadruple,
    _reverse_repeat_tuple,
    _single,
    _triple,
)

__all__ = ["consume_prefix_in_state_dict_if_present"]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Take `prefix` off the keys of a state_dict, in place."""
    for key in list(state_dict.keys()):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in list(metadata.keys()):
        # The entry of the wrapper itself is the prefix without its dot, or empty.
        if key in ("", prefix.rstrip(".")):
            value = metadata.pop(key)
            if key:
                metadata[""] = value
        elif key.startswith(prefix):
            metadata[key[len(prefix) :]] = metadata.pop(key)
