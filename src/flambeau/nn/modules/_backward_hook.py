"""The plumbing of full backward hooks on modules. Part of torch/utils/hooks.py."""

from __future__ import annotations

import warnings

import flambeau
from flambeau.nn.modules._functions import BackwardHookFunction

__all__ = ["BackwardHook"]


class BackwardHook:
    """Calls a module's full backward hooks once, with the gradients of all its inputs and outputs.

    Inputs and outputs pass through an identity node each. The node behind the outputs sees grad_output, the node
    before the inputs sees grad_input; the hooks hang on those two nodes.
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs = None
        self.n_inputs = -1
        self.input_tensors_index = None
        self.n_outputs = -1
        self.output_tensors_index = None

    def setup_input_hook(self, args):
        """The arguments of forward, to be used in place of `args`."""
        self.n_inputs = len(args)
        result, self.input_tensors_index = _through_identity(args, self._hang_on_inputs)
        return result

    def setup_output_hook(self, args):
        """The result of forward, to be used in place of `args`."""
        is_tuple = isinstance(args, tuple)
        if not is_tuple:
            args = (args,)
        self.n_outputs = len(args)
        result, self.output_tensors_index = _through_identity(args, self._hang_on_outputs)
        return result if is_tuple else result[0]

    def _hang_on_inputs(self, grad_fn):
        def hook(grad_input, _):
            if self.grad_outputs is None:
                # The graph was entered behind the module's outputs: there is no grad_output to hand over.
                return None
            grads = _spread(self.input_tensors_index, grad_input, self.n_inputs)
            for user_hook in self.user_hooks:
                replaced = user_hook(self.module, grads, self.grad_outputs)
                if replaced is not None:
                    grads = _same_length(replaced, grads, "Backward hook", "grad_input")
            self.grad_outputs = None
            return tuple(grads[i] for i in self.input_tensors_index)

        grad_fn.register_hook(hook)

    def _hang_on_outputs(self, grad_fn):
        def hook(_, grad_output):
            grads = _spread(self.output_tensors_index, grad_output, self.n_outputs)
            for pre_hook in self.user_pre_hooks:
                replaced = pre_hook(self.module, grads)
                if replaced is not None:
                    grads = _same_length(replaced, grads, "Backward pre hook", "grad_output")
            self.grad_outputs = grads
            if self.input_tensors_index is None:
                self._call_without_grad_input()
            if self.user_pre_hooks:
                return tuple(grads[i] for i in self.output_tensors_index)
            return None

        grad_fn.register_hook(hook)

    def _call_without_grad_input(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details.",
            stacklevel=5,
        )
        grad_inputs = (None,) * self.n_inputs
        for user_hook in self.user_hooks:
            replaced = user_hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is not None and not (isinstance(replaced, tuple) and all(g is None for g in replaced)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )
        self.grad_outputs = None


def _spread(indices, values, length):
    """A tuple of `length` with `values` at `indices` and None elsewhere."""
    spread = [None] * length
    for index, value in zip(indices, values):
        spread[index] = value
    return tuple(spread)


def _same_length(replaced, grads, who, what):
    if not isinstance(replaced, tuple):
        replaced = (replaced,)
    if len(replaced) != len(grads):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got {len(replaced)}, but expected {len(grads)}"
        )
    return replaced


def _through_identity(args, hang):
    """`args` with its tensors sent through one identity node, on which `hang` puts its hook; and their indices."""
    indices = [i for i, arg in enumerate(args) if isinstance(arg, flambeau.Tensor)]
    if not (flambeau.is_grad_enabled() and any(args[i].requires_grad for i in indices)):
        return args, None
    outputs = BackwardHookFunction.apply(*(args[i] for i in indices))
    nodes = [out.grad_fn for out in outputs if out.grad_fn is not None]
    nodes = [node for node in nodes if node.name() == "BackwardHookFunctionBackward"]
    if not nodes:
        raise RuntimeError(
            "Error while setting up backward hooks. Please open an issue with a code sample to reproduce this."
        )
    hang(nodes[0])
    result = list(args)
    for index, out in zip(indices, outputs):
        result[index] = out
    if type(args) is tuple:
        return tuple(result), indices
    return type(args)(*result), indices
