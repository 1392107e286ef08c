"""Shuffling of channels. Follows torch/nn/modules/channelshuffle.py."""

from __future__ import annotations

from flambeau.nn import functional as F
from flambeau.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of x (N, C, *), in `groups` rows, read by columns"""

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
