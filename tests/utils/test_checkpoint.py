"""Checkpointed blocks: the gradients of the plain block, and the same random numbers."""

from __future__ import annotations

import pytest

import flambeau as torch
from flambeau.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential


def block(x, w):
    return torch.nn.functional.dropout(torch.tanh(x @ w), 0.5).exp()


def gradients(run):
    torch.manual_seed(0)
    x = torch.tensor([[0.5, -1.0]], requires_grad=True)
    w = torch.tensor([[1.0, 0.5], [-0.5, 2.0]], requires_grad=True)
    run(x, w).sum().backward()
    return x.grad.tolist(), w.grad.tolist(), torch.rand(1).item()


@pytest.mark.parametrize("reentrant", [True, False])
def test_gradients(reentrant):
    plain = gradients(block)
    assert gradients(lambda x, w: checkpoint(block, x, w, use_reentrant=reentrant)) == plain


@pytest.mark.parametrize("reentrant", [True, False])
def test_sequential(reentrant):
    parts = [torch.sin, torch.cos, torch.exp, torch.tanh, torch.sigmoid]
    results = []
    for segments in (1, 2, 5):
        x = torch.tensor([0.1, 0.2], requires_grad=True)
        checkpoint_sequential(parts, segments, x, use_reentrant=reentrant).sum().backward()
        results.append(x.grad.tolist())
    assert results[0] == results[1] == results[2]


def test_a_block_that_changes():
    calls = []

    def changing(x):
        calls.append(1)
        return x.sin().cos() if len(calls) == 1 else x.sin()

    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(changing, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="A different number of tensors was saved"):
        y.sum().backward()


def test_arguments():
    x = torch.tensor([0.5], requires_grad=True)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: other"):
        checkpoint(torch.sin, x, use_reentrant=True, other=1)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(torch.sin, x, use_reentrant=False, determinism_check="x")
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(torch.sin, x)
