"""Finds in which order a function adds: its accumulation tree, by numerical probing.

    python tools/reveal_order.py "lambda x: x.sum()" --size 40
    python tools/reveal_order.py "lambda x: (x.view(1, -1) @ torch.ones(len(x), 16))[0, 0]" --size 24 --library torch
    python tools/reveal_order.py "lambda x: x.sum()" --size 16 --dot tree.dot

The function takes a 1-D float32 tensor of --size summands and returns one sum of them all, each with factor one.
In it, `torch` is the library named (flambeau or torch) and `np` is NumPy.

The idea is FPRev's (Xie and others, "Revealing floating-point accumulation orders in software and hardware"): put M at
place i and -M at place j, with M so large that anything added to it is lost, and ones elsewhere. Whatever joins i or j
before the two cancel is swallowed; the result counts the ones that join later. So n minus the result is the number of
summands under the node where i and j meet, and all pairs give the tree. A node joined by fused additions of several
terms at once shows as a node with more than two children.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MASK = 2.0**100


@dataclass
class Node:
    """A sum of its children; a leaf has the number of its summand."""

    leaves: list[int]
    children: list[Node] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.children:
            return str(self.leaves[0])
        return "(" + "+".join(str(child) for child in self.children) + ")"


def meeting_size(total: Callable[[list[float]], float], n: int, i: int, j: int) -> int:
    """How many summands lie under the node where i and j meet."""
    values = [1.0] * n
    values[i], values[j] = MASK, -MASK
    return n - round(total(values))


def reveal(total: Callable[[list[float]], float], n: int) -> Node:
    """The accumulation tree of a function that sums n numbers.

    For one leaf of a group, the sizes at which it meets the others cut the group into nested rings: all that it meets
    at one size form the other children of one node on its way up. About n log n probes for balanced trees, n^2 / 2 for
    chains.
    """
    if n < 1:
        raise ValueError("there is nothing to sum")
    return _grow(total, n, list(range(n)))


def _grow(total: Callable[[list[float]], float], n: int, group: Sequence[int]) -> Node:
    # Iterative over the rings: a chain of a thousand must not nest a thousand calls.
    first = group[0]
    node = Node([first])
    if len(group) == 1:
        return node
    rings: dict[int, list[int]] = {}
    for other in group[1:]:
        rings.setdefault(meeting_size(total, n, first, other), []).append(other)
    for size in sorted(rings):
        ring = rings[size]
        met = Node(sorted([*node.leaves, *ring]), [node])
        # Those in a ring that meet each other below this node are one child each.
        while ring:
            head, *rest = ring
            inside = [other for other in rest if meeting_size(total, n, head, other) < size]
            met.children.append(_grow(total, n, [head, *inside]))
            ring = [other for other in rest if other not in inside]
        met.children.sort(key=lambda child: child.leaves[0])
        node = met
    return node


def draw(node: Node) -> str:
    """The tree as text: a line a node, children indented, chains on one line."""
    lines: list[str] = []
    stack = [(node, 0)]
    while stack:
        current, depth = stack.pop()
        lines.append("  " * depth + _describe(current))
        if _is_flat(current) or _chain(current):
            continue
        stack.extend((child, depth + 1) for child in reversed(current.children))
    return "\n".join(lines)


def _is_flat(node: Node) -> bool:
    return all(not child.children for child in node.children)


def _chain(node: Node) -> list[int] | None:
    """The summands of a chain ((a+b)+c)+d in its order; None for other trees."""
    tail: list[int] = []
    while node.children:
        inner = [child for child in node.children if child.children]
        single = [child.leaves[0] for child in node.children if not child.children]
        if len(node.children) != 2 or len(inner) > 1:
            return None
        if not inner:
            return sorted(single) + tail[::-1]
        tail.append(single[0])
        node = inner[0]
    return None


def _describe(node: Node) -> str:
    if not node.children:
        return f"x{node.leaves[0]}"
    chain = _chain(node)
    if chain:
        return f"chain of {len(chain)}: {_numbers(chain)}"
    kind = "sum" if len(node.children) == 2 else f"sum of {len(node.children)} at once"
    return f"{kind} over {len(node.leaves)}" + (f": {_numbers(node.leaves)}" if _is_flat(node) else "")


def _numbers(values: Sequence[int]) -> str:
    """0, 4, 8 ... 36 for even steps, else the numbers."""
    step = values[1] - values[0] if len(values) > 1 else 0
    if len(values) > 4 and all(b - a == step for a, b in zip(values, values[1:])):
        return f"{values[0]}, {values[1]} ... {values[-1]}"
    return ", ".join(map(str, values))


def to_dot(node: Node) -> str:
    """Graphviz source."""
    lines = ["digraph order {", "  node [shape=circle, label=\"+\"];"]
    count = 0
    stack: list[tuple[Node, int | None]] = [(node, None)]
    while stack:
        current, parent = stack.pop()
        number, count = count, count + 1
        if not current.children:
            lines.append(f'  n{number} [shape=box, label="{current.leaves[0]}"];')
        else:
            lines.append(f"  n{number};")
        if parent is not None:
            lines.append(f"  n{parent} -> n{number};")
        stack.extend((child, number) for child in reversed(current.children))
    return "\n".join([*lines, "}"])


def as_total(function: Callable, library) -> Callable[[list[float]], float]:
    """The function over Python numbers."""

    def total(values: list[float]) -> float:
        return float(function(library.tensor(values, dtype=library.float32)))

    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("function", help="a Python expression: a callable on a 1-D tensor")
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--library", choices=("flambeau", "torch"), default="flambeau")
    parser.add_argument("--profile", help="flambeau's numerics profile")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dot", help="write Graphviz source to this file")
    options = parser.parse_args()
    import importlib

    torch = importlib.import_module(options.library)
    torch.set_num_threads(options.threads)
    if options.profile:
        torch.numerics.use(options.profile, threads=options.threads)
    try:
        import numpy as np
    except ImportError:
        np = None
    function = eval(options.function, {"torch": torch, "np": np})
    total = as_total(function, torch)
    if total([1.0] * options.size) != options.size:
        parser.error(
            f"the function of {options.size} ones must be {options.size}: it has to sum its argument, each once"
        )
    tree = reveal(total, options.size)
    print(draw(tree))
    if options.dot:
        from pathlib import Path

        Path(options.dot).write_text(to_dot(tree) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
