"""Samples into batches; follows torch/utils/data/_utils/collate.py."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import flambeau

_UNFIT = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data):
    """Turn NumPy arrays and scalars within `data` into tensors; the rest stays."""
    if isinstance(data, flambeau.Tensor):
        return data
    if type(data).__module__ == "numpy" and type(data).__name__ not in ("str_", "string_"):
        if type(data).__name__ == "ndarray" and _holds_objects(data):
            return data
        return flambeau.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(d) for d in data))
    if isinstance(data, tuple):
        return [default_convert(d) for d in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuild_sequence(data, [default_convert(d) for d in data])
    return data


def default_collate(batch):
    """Stack a list of samples: tensors along a new first dimension, containers item by item."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch, *, collate_fn_map=None):
    """`default_collate` with other functions for some types.

    collate_fn_map: from types, or tuples of types, to functions of (batch, collate_fn_map).
    """
    elem = batch[0]
    for kind, fn in (collate_fn_map or {}).items():
        if type(elem) is kind:
            return fn(batch, collate_fn_map=collate_fn_map)
    for kind, fn in (collate_fn_map or {}).items():
        if isinstance(elem, kind):
            return fn(batch, collate_fn_map=collate_fn_map)
    if collate_fn_map is default_collate_fn_map and _is_numpy(elem):
        return _collate_numpy(batch, elem)

    if isinstance(elem, Mapping):
        items = {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map) for key in elem}
        return _rebuild_mapping(elem, items)
    if isinstance(elem, tuple) and hasattr(elem, "_fields"):
        return type(elem)(*(collate(samples, collate_fn_map=collate_fn_map) for samples in zip(*batch)))
    if isinstance(elem, Sequence):
        if any(len(sample) != len(elem) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(samples, collate_fn_map=collate_fn_map) for samples in zip(*batch)]
        return columns if isinstance(elem, tuple) else _rebuild_sequence(elem, columns)
    raise TypeError(_UNFIT.format(type(elem)))


def _rebuild_mapping(like, items: dict):
    """A mapping of the type of `like`, or a dict where that type cannot be made."""
    try:
        if isinstance(like, MutableMapping):
            clone = copy.copy(like)
            clone.update(items)
            return clone
        return type(like)(items)
    except TypeError:
        return items


def _rebuild_sequence(like, items: list):
    """A sequence of the type of `like`, or a list where that type cannot be made."""
    try:
        if isinstance(like, MutableSequence):
            clone = copy.copy(like)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        return type(like)(items)
    except TypeError:
        return items


def _collate_tensors(batch, *, collate_fn_map=None):
    return flambeau.stack(batch, 0)


def _collate_floats(batch, *, collate_fn_map=None):
    return flambeau.tensor(batch, dtype=flambeau.float64)


def _collate_ints(batch, *, collate_fn_map=None):
    return flambeau.tensor(batch)


def _keep(batch, *, collate_fn_map=None):
    return batch


# NumPy stays optional: data of its types only exist where it has been imported.
def _is_numpy(data) -> bool:
    numpy = sys.modules.get("numpy")
    kinds = ("ndarray", "bool_", "number", "object_")
    return numpy is not None and isinstance(data, tuple(getattr(numpy, kind) for kind in kinds))


def _holds_objects(array) -> bool:
    return any(letter in array.dtype.str for letter in "SaUO")


def _collate_numpy(batch, elem):
    if not isinstance(elem, sys.modules["numpy"].ndarray):
        return flambeau.as_tensor(batch)
    if _holds_objects(elem):
        raise TypeError(_UNFIT.format(elem.dtype))
    return _collate_tensors([flambeau.as_tensor(array) for array in batch])


default_collate_fn_map = {
    flambeau.Tensor: _collate_tensors,
    float: _collate_floats,
    int: _collate_ints,
    str: _keep,
    bytes: _keep,
}
