"""Sequences of different lengths in one tensor. Part of torch/nn/utils/rnn.py.

Packing is left out as long as there are no recurrent layers; the type exists for code that asks for it.
"""

from __future__ import annotations

from collections import namedtuple

from flambeau import Tensor

__all__ = ["PackedSequence", "pad_sequence", "unpad_sequence"]

_PackedSequence = namedtuple(
    "_PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"], defaults=(None, None, None)
)


class PackedSequence(_PackedSequence):
    """The steps of several sequences one after the other, and how many sequences have each step."""

    __slots__ = ()


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences (L_i, *) -> (T, N, *) for the longest length T, or (N, T, *) with batch_first."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest = max(sequence.size(0) for sequence in sequences)
    trailing = tuple(sequences[0].shape[1:])
    count = len(sequences)
    shape = (count, longest, *trailing) if batch_first else (longest, count, *trailing)
    out = sequences[0].new_full(shape, padding_value)
    for i, sequence in enumerate(sequences):
        length = sequence.size(0)
        start = longest - length if padding_side == "left" else 0
        row = out.select(0 if batch_first else 1, i)
        row.narrow(0, start, length).copy_(sequence)
    return out


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded tensor, in the order of its batch."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [
        sequence[: int(length)] for sequence, length in zip(padded_sequences.unbind(0), lengths)
    ]
