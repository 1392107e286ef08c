"""The recorded graph: nodes, and hooks on what it saves; follows torch/autograd/graph.py."""

from __future__ import annotations

from collections import OrderedDict

from flambeau import _C
from flambeau.utils.hooks import RemovableHandle

__all__ = ["Node", "saved_tensors_hooks", "save_on_cpu", "get_gradient_edge", "GradientEdge"]

Node = _C.Node


class saved_tensors_hooks:
    """Inside, what operations save for backward goes through `pack_hook`, and through `unpack_hook` when used."""

    def __init__(self, pack_hook, unpack_hook) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        _C._push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exc) -> None:
        _C._pop_saved_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Saves copies; everything is on the CPU already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)


class GradientEdge(tuple):
    """A node and the number of its output: where a gradient goes."""

    __slots__ = ()
    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])


def get_gradient_edge(tensor) -> GradientEdge:
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge((_C._gradient_node(tensor), tensor.output_nr))


def _register(node, hook, before: bool) -> RemovableHandle:
    hooks: OrderedDict = OrderedDict()
    node._add_hooks(hooks, before)
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    # The node keeps the table alive, the handle only knows it weakly.
    return handle


def _register_hook(node, hook) -> RemovableHandle:
    """Calls hook(grad_inputs, grad_outputs) after this node ran."""
    return _register(node, hook, False)


def _register_prehook(node, hook) -> RemovableHandle:
    """Calls hook(grad_outputs) before this node runs."""
    return _register(node, hook, True)
