"""Recurrent layers against loops in NumPy, their weights' layout and words, packed sequences."""

import numpy as np
import pytest

import flambeau as torch
from flambeau import nn
from flambeau.autograd import gradcheck
from flambeau.nn.utils import rnn


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, x, h, c, w):
    """One step in NumPy: x (N, I), h and c (N, H) -> h, c."""
    a = x @ w["weight_ih"].T + w.get("bias_ih", 0)
    b = h @ w["weight_hh"].T + w.get("bias_hh", 0)
    if mode == "LSTM":
        i, f, g, o = np.split(a + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (h @ w["weight_hr"].T if "weight_hr" in w else h), c
    if mode == "GRU":
        (ar, az, an), (br, bz, bn) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
        r, z = sigmoid(ar + br), sigmoid(az + bz)
        return (1 - z) * np.tanh(an + r * bn) + z * h, c
    return (np.tanh(a + b) if mode == "RNN_TANH" else np.maximum(a + b, 0)), c


def run(layer, x, h, c):
    """All layers and directions in NumPy; x (T, N, I)."""
    last_h, last_c = [], []
    directions = 2 if layer.bidirectional else 1
    for k in range(layer.num_layers):
        outs = []
        for d in range(directions):
            suffix = f"_l{k}" + ("_reverse" if d else "")
            w = {
                name.removesuffix(suffix): value.detach().numpy()
                for name, value in layer.named_parameters()
                if name.endswith(suffix)
            }
            hk, ck = h[k * directions + d], c[k * directions + d]
            out = [None] * len(x)
            for t in reversed(range(len(x))) if d else range(len(x)):
                hk, ck = step(layer.mode, x[t], hk, ck, w)
                out[t] = hk
            outs.append(np.stack(out))
            last_h.append(hk)
            last_c.append(ck)
        x = np.concatenate(outs, -1)
    return x, np.stack(last_h), np.stack(last_c)


LAYERS = [
    lambda **kw: nn.RNN(3, 4, **kw),
    lambda **kw: nn.RNN(3, 4, nonlinearity="relu", **kw),
    lambda **kw: nn.GRU(3, 4, **kw),
    lambda **kw: nn.LSTM(3, 4, **kw),
    lambda **kw: nn.LSTM(3, 4, proj_size=2, **kw),
]
OPTIONS = [{}, {"bias": False}, {"num_layers": 2}, {"bidirectional": True}, {"num_layers": 2, "bidirectional": True}]


def states(layer, count):
    runs = layer.num_layers * (2 if layer.bidirectional else 1)
    h = torch.randn(runs, count, layer.proj_size or layer.hidden_size, dtype=torch.float64)
    return h, torch.randn(runs, count, layer.hidden_size, dtype=torch.float64)


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize("options", OPTIONS)
def test_against_loops(make, options):
    torch.manual_seed(0)
    layer = make(dtype=torch.float64, **options)
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    h, c = states(layer, 2)
    y, state = layer(x, (h, c) if layer.mode == "LSTM" else h)
    wanted = run(layer, x.numpy(), h.numpy(), c.numpy())
    got = (y, *state) if layer.mode == "LSTM" else (y, state)
    for a, b in zip(got, wanted):
        np.testing.assert_allclose(a.detach().numpy(), b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("make", LAYERS)
def test_batch_first_unbatched_and_default_state(make):
    torch.manual_seed(1)
    layer = make(batch_first=True)
    x = torch.randn(2, 5, 3)
    y, state = layer(x)
    assert y.shape[:2] == (2, 5)
    single, single_state = layer(x[0])
    assert torch.allclose(single, y[0])
    for a, b in zip(single_state, state) if layer.mode == "LSTM" else [(single_state, state)]:
        assert torch.allclose(a, b[:, 0])


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize("options", OPTIONS)
def test_packed_equals_each_sequence_alone(make, options):
    torch.manual_seed(2)
    layer = make(dtype=torch.float64, **options)
    lengths = [2, 5, 1, 5]
    sequences = [torch.randn(n, 3, dtype=torch.float64) for n in lengths]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    y, state = layer(packed)
    state = state if layer.mode == "LSTM" else (state,)
    for i, (sequence, out) in enumerate(zip(sequences, rnn.unpack_sequence(y))):
        alone, alone_state = layer(sequence)
        assert torch.allclose(out, alone)
        for a, b in zip(state, alone_state if layer.mode == "LSTM" else (alone_state,)):
            assert torch.allclose(a[:, i], b)


@pytest.mark.parametrize("make", LAYERS[::2])
def test_gradients(make):
    torch.manual_seed(3)
    layer = make(dtype=torch.float64, bidirectional=True)
    x = torch.randn(3, 2, 3, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x, *weights: layer(x)[0], (x, *layer.parameters()))
    padded = x.detach().requires_grad_()
    assert gradcheck(lambda x: layer(rnn.pack_padded_sequence(x, [3, 1]))[0].data, (padded,))


@pytest.mark.parametrize("cell,layer", [(nn.RNNCell, nn.RNN), (nn.GRUCell, nn.GRU), (nn.LSTMCell, nn.LSTM)])
def test_cells_are_steps_of_layers(cell, layer):
    torch.manual_seed(4)
    one, many = cell(3, 4), layer(3, 4)
    many.load_state_dict({f"{name}_l0": value for name, value in one.state_dict().items()})
    x = torch.randn(5, 2, 3)
    state = None
    for t in range(5):
        state = one(x[t], state)
    h = state[0] if cell is nn.LSTMCell else state
    assert torch.allclose(h, many(x)[0][-1])
    single = one(x[0, 0])
    assert (single[0] if cell is nn.LSTMCell else single).shape == (4,)


def test_weights():
    layer = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    shapes = {name: tuple(weight.shape) for name, weight in layer.named_parameters()}
    assert list(shapes)[:6] == [
        "weight_ih_l0",
        "weight_hh_l0",
        "bias_ih_l0",
        "bias_hh_l0",
        "weight_hr_l0",
        "weight_ih_l0_reverse",
    ]
    assert shapes["weight_ih_l1_reverse"] == (16, 4) and shapes["weight_hr_l1"] == (2, 4)
    assert layer._flat_weights_names == list(shapes)
    assert all(weight.abs().max() <= 0.5 for weight in layer.parameters())
    assert repr(layer) == "LSTM(3, 4, proj_size=2, num_layers=2, bidirectional=True)"
    assert repr(nn.RNNCell(3, 4, bias=False, nonlinearity="relu")) == "RNNCell(3, 4, bias=False, nonlinearity=relu)"


def test_dropout_between_layers():
    torch.manual_seed(5)
    layer = nn.GRU(3, 4, num_layers=2, dropout=0.5)
    x = torch.randn(4, 2, 3)
    assert not torch.equal(layer(x)[0], layer(x)[0])
    layer.eval()
    assert torch.equal(layer(x)[0], layer(x)[0])
    with pytest.warns(UserWarning, match="non-zero dropout expects num_layers greater than 1, but got dropout=0.1"):
        nn.LSTM(3, 4, dropout=0.1)


WORDS = [
    (lambda: nn.LSTM(3, 4, 0), ValueError, "num_layers must be greater than zero"),
    (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
    (lambda: nn.LSTM(3, 2.0), TypeError, "hidden_size should be of type int, got: float"),
    (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller than hidden_size"),
    (lambda: nn.GRU(3, 4, proj_size=2), ValueError, "proj_size argument is only supported for LSTM, not RNN or GRU"),
    (lambda: nn.RNN(3, 4, nonlinearity="x"), ValueError, "Unknown nonlinearity 'x'. Select from 'tanh' or 'relu'."),
    (
        lambda: nn.GRU(3, 4)(torch.ones(2)),
        ValueError,
        "GRU: Expected input to be 2D or 3D, got 1D instead",
    ),
    (
        lambda: nn.GRU(3, 4)(torch.ones(2, 2, 4)),
        RuntimeError,
        "input.size(-1) must be equal to input_size. Expected 3, got 4",
    ),
    (
        lambda: nn.GRU(3, 4)(torch.ones(2, 2, 3), torch.ones(1, 1, 1)),
        RuntimeError,
        "Expected hidden size (1, 2, 4), got [1, 1, 1]",
    ),
    (
        lambda: nn.GRU(3, 4)(torch.ones(2, 3), torch.ones(1, 1, 1)),
        RuntimeError,
        "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor",
    ),
    (
        lambda: nn.LSTM(3, 4)(torch.ones(2, 2, 3), (torch.ones(1, 1), torch.ones(1, 1))),
        RuntimeError,
        "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors",
    ),
    (
        lambda: nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(3, 4)),
        RuntimeError,
        "Input batch size 2 doesn't match hidden0 batch size 3",
    ),
    (
        lambda: rnn.pack_padded_sequence(torch.ones(3, 2, 1), [2, 0]),
        RuntimeError,
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
    ),
    (
        lambda: rnn.pad_packed_sequence(rnn.pack_padded_sequence(torch.ones(3, 2, 1), [2, 1]), total_length=1),
        ValueError,
        "Expected total_length to be at least the length of the longest sequence in input, but got total_length=1 and "
        "max sequence length being 2",
    ),
]


@pytest.mark.parametrize("call,kind,words", WORDS)
def test_words(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == words


def test_packing_round_trip():
    x = torch.arange(24.0).reshape(4, 3, 2)
    packed = rnn.pack_padded_sequence(x, torch.tensor([4, 2, 1]))
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1]
    assert packed.data[:, 0].tolist() == [0, 2, 4, 6, 8, 12, 18]
    padded, lengths = rnn.pad_packed_sequence(packed, padding_value=-1.0)
    assert lengths.tolist() == [4, 2, 1]
    assert padded[:, 1, 0].tolist() == [2, 8, -1, -1]
    assert packed.to(torch.float64).data.dtype == torch.float64
