"""Autograd functions behind modules. Follows torch/nn/modules/_functions.py."""

from __future__ import annotations

import flambeau
from flambeau.autograd import Function

__all__ = ["BackwardHookFunction", "CrossMapLRN2d"]


class BackwardHookFunction(Function):
    """The identity, as a node of its own in the graph for hooks to hang on."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *grads):
        return grads


class CrossMapLRN2d(Function):
    """x * scale ** -beta, scale = k + alpha / size * sum of x ** 2 over neighbouring channels; x (N, C, H, W).

    The sum moves from channel to channel by adding what enters the window and subtracting what leaves it.
    """

    @staticmethod
    def forward(ctx, input, size, alpha=1e-4, beta=0.75, k=1):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels = input.size(1)
        square = flambeau.pow(input, 2)
        scale = flambeau.zeros_like(square)
        ahead = (size - 1) // 2 + 1
        first = scale.select(1, 0)
        for c in range(min(ahead, channels)):
            first.add_(square.select(1, c))
        for c in range(1, channels):
            current = scale.select(1, c)
            current.copy_(scale.select(1, c - 1))
            if c < channels - ahead + 1:
                current.add_(square.select(1, c + ahead - 1))
            if c > ahead:
                current.sub_(square.select(1, c - ahead))
        scale.mul_(alpha / size).add_(k)
        output = flambeau.pow(scale, -beta).mul_(input)
        ctx.save_for_backward(input, output, scale)
        ctx.size = size
        ctx.alpha = alpha
        ctx.beta = beta
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output, scale = ctx.saved_tensors
        size = ctx.size
        batch, channels, height, width = input.shape
        factor = 2 * ctx.alpha * ctx.beta / size
        grad_input = flambeau.pow(scale, -ctx.beta).mul_(grad_output)
        # One sample's grad * y / scale, with zeros for the channels that a window reaches beyond the ends.
        padded = flambeau.zeros((channels + size - 1, height, width), dtype=input.dtype, device=input.device)
        center = padded.narrow(0, int(size - (size - 1) / 2), channels)
        for n in range(batch):
            center.copy_(flambeau.mul(grad_output[n], output[n]))
            center.div_(scale[n])
            total = flambeau.sum(padded.narrow(0, 0, size - 1), 0)
            for c in range(channels):
                total.add_(padded[c + size - 1])
                grad_input[n][c].addcmul_(input[n][c], total, value=-factor)
                total.sub_(padded[c])
        return grad_input, None, None, None, None
