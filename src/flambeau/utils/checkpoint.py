"""Activation checkpointing: memory saved in forward by computing it again in backward.

Follows torch/utils/checkpoint.py. Both of its ways are here: use_reentrant=True is a Function
whose backward runs forward and backward of the block; use_reentrant=False replaces what autograd
saves inside the block. Left out: selective checkpointing, debug traces, other devices.
"""

from __future__ import annotations

import contextlib
import warnings

import flambeau

_DEBUG_TIP = (
    "\nTip: the block has to do the same in forward and in recomputation; check for what changes "
    "between them, such as state that the block itself updates.\n"
)

_early_stop_override: bool | None = None


class CheckpointError(RuntimeError):
    """Forward and recomputation did not agree."""


def noop_context_fn():
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool):
    """Override the `early_stop` of all calls of `checkpoint` within."""
    global _early_stop_override
    before = _early_stop_override
    _early_stop_override = enable
    try:
        yield
    finally:
        _early_stop_override = before


def detach_variable(inputs: tuple) -> tuple:
    """The tensors detached, with their requires_grad; other values as they are."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    out = []
    for value in inputs:
        if isinstance(value, flambeau.Tensor):
            detached = value.detach()
            detached.requires_grad = value.requires_grad
            value = detached
        out.append(value)
    return tuple(out)


def check_backward_validity(inputs) -> None:
    if not any(isinstance(x, flambeau.Tensor) and x.requires_grad for x in inputs):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


@contextlib.contextmanager
def _random_state(state):
    """Run with the generator in `state`, then put it back; None changes nothing."""
    if state is None:
        yield
        return
    before = flambeau.get_rng_state()
    flambeau.set_rng_state(state)
    try:
        yield
    finally:
        flambeau.set_rng_state(before)


class CheckpointFunction(flambeau.autograd.Function):
    """Forward without a graph; backward makes the graph and goes back through it."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng_state = flambeau.get_rng_state() if preserve_rng_state else None
        # Tensors go through save_for_backward, for its checks; the rest stays in its place.
        ctx.inputs = [None if isinstance(x, flambeau.Tensor) else x for x in args]
        ctx.tensor_indices = [i for i, x in enumerate(args) if isinstance(x, flambeau.Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.tensor_indices))
        with flambeau.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        inputs = list(ctx.inputs)
        for i, tensor in zip(ctx.tensor_indices, ctx.saved_tensors):
            inputs[i] = tensor
        with _random_state(ctx.rng_state):
            detached = detach_variable(tuple(inputs))
            with flambeau.enable_grad():
                outputs = ctx.run_function(*detached)
        if isinstance(outputs, flambeau.Tensor):
            outputs = (outputs,)
        pairs = [
            (output, grad)
            for output, grad in zip(outputs, grads)
            if isinstance(output, flambeau.Tensor) and output.requires_grad
        ]
        if len(pairs) == 0:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        flambeau.autograd.backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None) + tuple(x.grad if isinstance(x, flambeau.Tensor) else None for x in detached)


def checkpoint(
    function,
    *args,
    use_reentrant: bool | None = None,
    context_fn=noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs,
):
    """`function(*args, **kwargs)` whose intermediate results are computed again in backward.

    preserve_rng_state: whether recomputation draws the same random numbers (default: True).
    context_fn: a pair of contexts, for forward and for recomputation.
    determinism_check: "default" compares shapes, types and devices; "none" does not.
    early_stop: end the recomputation once all that backward needs is there.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception. use_reentrant=False is recommended, but if you need to preserve the "
            "current default behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise NotImplementedError("checkpoint: debug=True is not supported")
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    if not flambeau.is_grad_enabled():
        return function(*args, **kwargs)

    rng_state = flambeau.get_rng_state() if preserve else None

    def recompute():
        with _random_state(rng_state), recompute_context:
            function(*args, **kwargs)

    if _early_stop_override is not None:
        early_stop = _early_stop_override
    block = _Block(recompute, early_stop, determinism_check == "default")
    hooks = flambeau.autograd.graph.saved_tensors_hooks(block.pack, block.unpack)
    with hooks, forward_context:
        result = function(*args, **kwargs)
    return result


class _StopRecomputation(Exception):
    """All that backward needs is there."""


class _Block:
    """What autograd saves in one checkpointed call: positions in the order of saving.

    The first tensor that backward asks for runs the block again, and keeps what is saved then,
    each until it is asked for. Asked for a second time, by another backward, it runs once more.
    """

    def __init__(self, recompute, early_stop: bool, check: bool) -> None:
        self.recompute = recompute
        self.early_stop = early_stop
        self.check = check
        self.saved: list = []  # what is compared of each tensor saved in forward
        self.recomputed: list = []

    def pack(self, tensor) -> int:
        self.saved.append(_description(tensor))
        self.recomputed.append(None)
        return len(self.saved) - 1

    def unpack(self, position: int):
        if self.recomputed[position] is None:
            self.recomputed = self._run_again()
        tensor = self.recomputed[position]
        self.recomputed[position] = None
        return tensor

    def _run_again(self) -> list:
        tensors: list = []

        def keep(tensor):
            if len(tensors) >= len(self.saved):
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation "
                    f"than during the original forward pass.\n{_DEBUG_TIP}"
                )
            tensor = tensor.detach() if tensor.requires_grad else tensor
            tensors.append(tensor)
            if self.early_stop and len(tensors) == len(self.saved):
                raise _StopRecomputation
            return tensor

        hooks = flambeau.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
        with contextlib.suppress(_StopRecomputation), hooks, flambeau.enable_grad():
            self.recompute()
        self._compare(tensors)
        return tensors

    def _compare(self, tensors: list) -> None:
        if len(tensors) != len(self.saved):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.saved)}\n"
                f"Number of tensors saved during recomputation: {len(tensors)}.\n{_DEBUG_TIP}"
            )
        if not self.check:
            return
        differences = ""
        for i, (before, tensor) in enumerate(zip(self.saved, tensors)):
            now = _description(tensor)
            if now != before:
                differences += f"tensor at position {i}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
        if differences:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{differences}.\n{_DEBUG_TIP}"
            )


def _description(tensor) -> dict:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


def checkpoint_sequential(functions, segments: int, input, use_reentrant=None, **kwargs):
    """Run modules one after the other, in `segments` blocks that are checkpointed but the last."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be "
            "passed explicitly. In version 2.9 we will raise an exception if use_reentrant is not "
            "passed. use_reentrant=False is recommended, but if you need to preserve the current "
            "default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
            "the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if isinstance(functions, flambeau.nn.Sequential):
        functions = list(functions.children())

    def block(part):
        def forward(x):
            for function in part:
                x = function(x)
            return x

        return forward

    size = len(functions) // segments
    done = 0
    for done in range(size, size * segments, size):
        part = functions[done - size : done]
        input = checkpoint(block(part), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return block(functions[done:])(input)
