"""The accumulation tree is found by probing: known trees, and our own operators'."""

import sys
from pathlib import Path

import pytest

import flambeau as torch

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
reveal_order = pytest.importorskip("reveal_order")


def single(value):
    import ctypes

    return ctypes.c_float(value).value


def chain(values):
    total = values[0]
    for value in values[1:]:
        total = single(total + value)
    return total


def halves(values):
    if len(values) == 1:
        return values[0]
    middle = (len(values) + 1) // 2
    return single(halves(values[:middle]) + halves(values[middle:]))


def lanes(values, count=4):
    sums = [chain(values[lane::count]) for lane in range(count)]
    return single(single(sums[0] + sums[2]) + single(sums[1] + sums[3]))


def test_known_trees():
    assert str(reveal_order.reveal(chain, 5)) == "((((0+1)+2)+3)+4)"
    assert str(reveal_order.reveal(halves, 4)) == "((0+1)+(2+3))"
    assert str(reveal_order.reveal(lanes, 8)) == "(((0+4)+(2+6))+((1+5)+(3+7)))"
    assert str(reveal_order.reveal(lambda v: v[0], 1)) == "0"
    assert reveal_order.draw(reveal_order.reveal(chain, 40)) == "chain of 40: 0, 1 ... 39"


def test_summands_added_at_once():
    import math

    tree = reveal_order.reveal(lambda v: single(math.fsum(v)), 4)
    assert len(tree.children) == 4


def test_a_long_chain():
    assert reveal_order.draw(reveal_order.reveal(chain, 300)).startswith("chain of 300")


def test_our_matrix_product_is_a_chain_in_blocks():
    with torch.numerics.use("amd-avx512", threads=1):
        product = reveal_order.as_total(lambda x: (x.expand(4, -1) @ torch.ones(len(x), 16))[0, 0], torch)
        assert reveal_order.draw(reveal_order.reveal(product, 24)) == "chain of 24: 0, 1 ... 23"
        # From 192 on K is cut in two: 100 and 100.
        tree = reveal_order.reveal(product, 200)
    assert [len(child.leaves) for child in tree.children] == [100, 100]


def test_dot_source():
    text = reveal_order.to_dot(reveal_order.reveal(halves, 4))
    assert text.startswith("digraph") and text.count("->") == 6
