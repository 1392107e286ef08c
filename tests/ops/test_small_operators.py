"""Views, their copies, aliases and other operators of one line each, against NumPy or against the operator they alias.

Every row is an expression in `torch` and x (2, 3, 4), and what it gives: an expression in `np` and the same x.
"""

from __future__ import annotations

import numpy as np
import pytest

import flambeau as torch

F = torch.nn.functional

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
I = np.array([[5, 3, -2], [7, 0, 1]])

ROWS = [
    ("x.view_as(torch.zeros(6, 4))", "x.reshape(6, 4)"),
    ("x.reshape_as(torch.zeros(6, 4))", "x.reshape(6, 4)"),
    ("x[:1].expand_as(x)", "np.broadcast_to(x[:1], x.shape)"),
    ("torch.movedim(x, 0, 2)", "np.moveaxis(x, 0, 2)"),
    ("torch.swapdims(x, 0, 1)", "x.swapaxes(0, 1)"),
    ("torch.adjoint(x)", "x.swapaxes(1, 2)"),
    ("torch.narrow(x, 2, 1, 2)", "x[:, :, 1:3]"),
    ("torch.narrow_copy(x, 2, 1, 2)", "x[:, :, 1:3]"),
    ("torch.select(x, 1, 2)", "x[:, 2]"),
    ("torch.select_copy(x, 1, 2)", "x[:, 2]"),
    ("torch.slice_copy(x, 1, 0, 3, 2)", "x[:, 0:3:2]"),
    ("torch.diagonal(x, 0, 1, 2)", "np.diagonal(x, 0, 1, 2)"),
    ("torch.diagonal_copy(x, 1, 1, 2)", "np.diagonal(x, 1, 1, 2)"),
    ("torch.permute_copy(x, (2, 0, 1))", "x.transpose(2, 0, 1)"),
    ("torch.t_copy(x[0])", "x[0].T"),
    ("torch.expand_copy(x[:1], (2, 3, 4))", "np.broadcast_to(x[:1], x.shape)"),
    ("torch.unfold_copy(x, 2, 2, 2)", "x.reshape(2, 3, 2, 2)"),
    ("torch.unsqueeze_copy(x, 1)", "x[:, None]"),
    ("torch.squeeze(x[:1], 0)", "x[0]"),
    ("torch.squeeze_copy(x[:1])", "x[0]"),
    ("torch.alias_copy(x)", "x"),
    ("torch.detach_copy(x)", "x"),
    ("torch.as_strided_copy(x, (2, 2), (1, 4), 1)", "np.array([[1, 5], [2, 6]])"),
    ("torch.as_strided_scatter(x, torch.zeros(2), (2,), (1,))", "np.where(x < 2, 0, x)"),
    ("torch.unflatten(x, 2, (2, 2))", "x.reshape(2, 3, 2, 2)"),
    ("torch.atleast_1d(torch.tensor(3.0))", "np.array([3.0])"),
    ("torch.flipud(x)", "np.flipud(x)"),
    ("torch.conj(x)", "x"),
    ("x.conj_physical()", "x"),
    ("torch.resolve_conj(x)", "x"),
    ("torch.resolve_neg(x)", "x"),
    ("torch.chunk(x, 2, 1)[1]", "x[:, 2:]"),
    ("torch.unsafe_chunk(x, 2, 1)[0]", "x[:, :2]"),
    ("torch.split_copy(x, 2, 1)[0]", "x[:, :2]"),
    ("torch.unsafe_split(x, 2, 1)[1]", "x[:, 2:]"),
    ("torch.split_with_sizes(x, (1, 2), 1)[1]", "x[:, 1:]"),
    ("torch.split_with_sizes_copy(x, (1, 2), 1)[0]", "x[:, :1]"),
    ("torch.unsafe_split_with_sizes(x, (1, 2), 1)[1]", "x[:, 1:]"),
    ("torch.row_stack((x[0], x[1]))", "np.vstack((x[0], x[1]))"),
    ("torch.fill(x, 3.0)", "np.full_like(x, 3)"),
    ("torch.empty_like(x).fill_(1)", "np.ones_like(x)"),
    ("x.new_empty(3).fill_(1)", "np.ones(3)"),
    ("x.new_empty_strided((2, 3), (1, 2)).fill_(1)", "np.ones((2, 3))"),
    ("torch.rsub(x, 1)", "1 - x"),
    ("torch.fix(x / 3)", "np.trunc(x / np.float32(3))"),
    ("(x / 3).fix_()", "np.trunc(x / np.float32(3))"),
    ("torch.isposinf(x / 0)", "np.isposinf(np.divide(x, 0))"),
    ("torch.isneginf(-x / 0)", "np.isposinf(np.divide(x, 0))"),
    ("torch.isreal(x)", "np.ones_like(x, dtype=bool)"),
    ("torch.vdot(x[0, 0], x[1, 1])", "np.vdot(x[0, 0], x[1, 1])"),
    ("torch.ger(x[0, 0], x[0, 1])", "np.outer(x[0, 0], x[0, 1])"),
    ("torch.linalg.vecdot(x, x)", "(x * x).sum(-1)"),
    ("torch.norm_except_dim(x, 2, 0)", "np.sqrt((x * x).sum((1, 2), keepdims=True))"),
    ("torch.special.expit(x / 9)", "1 / (1 + np.exp(-x / 9))"),
    ("torch.special.xlog1py(x, x)", "x * np.log1p(x)"),
    ("torch.special.gammaln(torch.tensor([1.0, 5.0]))", "np.log([1.0, 24.0])"),
    ("torch.special.psi(torch.tensor([1.0]))", "[-0.5772156649]"),
    ("torch.special.multigammaln(torch.tensor([3.0]), 1)", "np.log([2.0])"),
    ("F.logsigmoid(x / 9)", "-np.log1p(np.exp(-x / 9))"),
    ("torch._C._nn.log_sigmoid(x / 9)", "-np.log1p(np.exp(-x / 9))"),
    ("torch.constant_pad_nd(x, (1, 0), 7)", "np.pad(x, ((0, 0), (0, 0), (1, 0)), constant_values=7)"),
    ("torch._C._nn.reflection_pad1d(x, (1, 2))", "np.pad(x, ((0, 0), (0, 0), (1, 2)), 'reflect')"),
    ("torch._C._nn.reflection_pad2d(x, (1, 2, 1, 1))", "np.pad(x, ((0, 0), (1, 1), (1, 2)), 'reflect')"),
    ("torch._C._nn.reflection_pad3d(x[None], (1, 2, 1, 1, 1, 0))",
     "np.pad(x[None], ((0, 0), (1, 0), (1, 1), (1, 2)), 'reflect')"),
    ("torch._C._nn.replication_pad1d(x, (1, 2))", "np.pad(x, ((0, 0), (0, 0), (1, 2)), 'edge')"),
    ("torch._C._nn.replication_pad2d(x, (1, 2, 1, 1))", "np.pad(x, ((0, 0), (1, 1), (1, 2)), 'edge')"),
    ("torch._C._nn.replication_pad3d(x[None], (1, 2, 1, 1, 1, 0))",
     "np.pad(x[None], ((0, 0), (1, 0), (1, 1), (1, 2)), 'edge')"),
    ("torch._C._nn.upsample_nearest3d(x[None, None], (4, 3, 4))", "x[None, None].repeat(2, 2)"),
    ("torch._C._nn.im2col(x[None], (1, 2), (1, 1), (0, 0), (1, 2))",
     "x.reshape(2, 6, 2).transpose(0, 2, 1).reshape(1, 4, 6)"),
    ("torch._C._nn.col2im(torch.ones(1, 4, 6), (3, 4), (1, 2), (1, 1), (0, 0), (1, 2))", "np.ones((1, 2, 3, 4))"),
    ("torch.conv3d(x[None, None], torch.ones(1, 1, 2, 3, 4))", "x.sum().reshape(1, 1, 1, 1, 1)"),
    ("torch.native_channel_shuffle(torch.arange(4.0).view(1, 4, 1, 1), 2).flatten()", "np.array([0.0, 2, 1, 3])"),
    ("torch.native_dropout(x, 0.5, False)[0]", "x"),
    ("torch.unique_dim(torch.ones(3, 2), 0)[0]", "np.ones((1, 2))"),
    ("torch.bitwise_or(i, 4)", "i | 4"),
    ("torch.bitwise_xor(i, 4)", "i ^ 4"),
    ("torch.bitwise_not(i)", "~i"),
    ("torch.bitwise_left_shift(i, 2)", "i << 2"),
    ("torch.bitwise_right_shift(i, 1)", "i >> 1"),
    ("i.clone().bitwise_or_(4)", "i | 4"),
    ("i.clone().bitwise_xor_(4)", "i ^ 4"),
    ("i.clone().bitwise_not_()", "~i"),
    ("i.clone().bitwise_left_shift_(2)", "i << 2"),
    ("i.clone().bitwise_right_shift_(1)", "i >> 1"),
    ("torch.stack(i.nonzero_numpy())", "np.stack(i.nonzero())"),
    ("torch.frobenius_norm(x, (1, 2))", "np.sqrt((x * x).sum((1, 2)))"),
    ("torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[1]", "x.mean((0, 2))"),
    ("F.max_unpool3d(*F.max_pool3d(x[None], (2, 3, 4), return_indices=True), (2, 3, 4))",
     "np.where(x == x.max(), x, 0)[None]"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "expected"), ROWS)
def test_value(ours, expected):
    with np.errstate(all="ignore"):
        wanted = np.asarray(eval(expected, {"np": np, "x": X, "i": I}))
        got = eval(ours, {"torch": torch, "F": F, "x": torch.tensor(X), "i": torch.tensor(I)})
        assert tuple(got.shape) == wanted.shape
        np.testing.assert_allclose(got.numpy(), wanted, rtol=2e-6, atol=1e-7)
