"""Sequences of different lengths in one tensor, padded or packed. Follows torch/nn/utils/rnn.py."""

from __future__ import annotations

from collections import namedtuple

import flambeau
from flambeau import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_PackedSequence = namedtuple("_PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_PackedSequence):
    """The steps of several sequences one after the other, and how many sequences have each step.

    data (sum of lengths, *), batch_sizes (T); sorted_indices puts the sequences in order of falling length,
    unsorted_indices puts them back.
    """

    __slots__ = ()

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def double(self):
        return self.to(dtype=flambeau.float64)

    def float(self):
        return self.to(dtype=flambeau.float32)

    def half(self):
        return self.to(dtype=flambeau.float16)

    def long(self):
        return self.to(dtype=flambeau.int64)

    def int(self):
        return self.to(dtype=flambeau.int32)

    def short(self):
        return self.to(dtype=flambeau.int16)

    def char(self):
        return self.to(dtype=flambeau.int8)

    def byte(self):
        return self.to(dtype=flambeau.uint8)

    def cpu(self, *args, **kwargs):
        return self

    def pin_memory(self):
        return type(self)(self.data.pin_memory(), *self[1:])

    def is_pinned(self):
        return self.data.is_pinned()

    @property
    def is_cuda(self):
        return False


def invert_permutation(permutation):
    """The permutation that undoes this one; None for None."""
    if permutation is None:
        return None
    inverse = flambeau.empty_like(permutation)
    inverse[permutation] = flambeau.arange(permutation.numel(), dtype=permutation.dtype)
    return inverse


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Padded sequences (T, N, *), or (N, T, *) with batch_first, packed."""
    lengths = flambeau.as_tensor(lengths, dtype=flambeau.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = flambeau.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    if batch_first:
        input = input.transpose(0, 1)
    lengths = lengths.tolist()
    _check_lengths(input, lengths)
    # Sequences that end after the same step leave together: what lies between two ends is one rectangle.
    rectangles = []
    batch_sizes = []
    start = 0
    for count in range(len(lengths), 0, -1):
        end = lengths[count - 1]
        if end > start:
            rectangles.append(input[start:end, :count].reshape((end - start) * count, *input.shape[2:]))
            batch_sizes += [count] * (end - start)
            start = end
    return PackedSequence(flambeau.cat(rectangles), flambeau.tensor(batch_sizes), sorted_indices)


def _check_lengths(input, lengths):
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(lengths) != input.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={input.size(1)})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(before < after for before, after in zip(lengths, lengths[1:])):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded tensor (T, N, *), or (N, T, *) with batch_first, and the lengths."""
    data, batch_sizes, _, unsorted_indices = sequence
    sizes = batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    out = data.new_full((longest, sizes[0], *data.shape[1:]), padding_value)
    start = at = 0
    for step, count in enumerate(sizes, 1):
        if step == len(sizes) or sizes[step] != count:
            part = data.narrow(0, at, (step - start) * count)
            out[start:step, :count] = part.view(step - start, count, *data.shape[1:])
            at += (step - start) * count
            start = step
    lengths = (batch_sizes.unsqueeze(1) > flambeau.arange(sizes[0])).sum(0)
    if batch_first:
        out = out.transpose(0, 1)
    if unsorted_indices is not None:
        return out.index_select(0 if batch_first else 1, unsorted_indices), lengths[unsorted_indices]
    return out, lengths


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
    return [sequence[: int(length)] for sequence, length in zip(padded_sequences.unbind(0), lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Sequences (L_i, *), packed; the longest first unless enforce_sorted is False."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
