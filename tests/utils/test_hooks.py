"""Handles of hooks."""

from __future__ import annotations

import pickle
from collections import OrderedDict

import pytest

from flambeau.utils.hooks import RemovableHandle


def test_remove():
    table, extra = OrderedDict(), OrderedDict()
    handle = RemovableHandle(table, extra_dict=extra)
    table[handle.id] = extra[handle.id] = print
    handle.remove()
    assert not table
    assert not extra
    handle.remove()


def test_ids_differ_and_with_removes():
    table = OrderedDict()
    first = RemovableHandle(table)
    with RemovableHandle(table, extra_dict=[OrderedDict()]) as second:
        table[second.id] = print
        assert second.id > first.id
    assert not table


def test_a_table_that_is_gone():
    handle = RemovableHandle(OrderedDict())
    handle.remove()
    assert pickle.loads(pickle.dumps(handle)).id == handle.id


def test_tensorboard_is_elsewhere():
    with pytest.raises(ImportError, match="tensorboardX"):
        import flambeau.utils.tensorboard  # noqa: F401
