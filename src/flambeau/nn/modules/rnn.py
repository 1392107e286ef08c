"""Recurrent layers and cells: RNN, LSTM, GRU. Follows torch/nn/modules/rnn.py."""

from __future__ import annotations

import math
import numbers
import warnings

import flambeau
from flambeau import _recurrent
from flambeau.nn import init
from flambeau.nn.modules.module import Module
from flambeau.nn.parameter import Parameter
from flambeau.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_RUN = {
    "RNN_TANH": _recurrent.rnn_tanh,
    "RNN_RELU": _recurrent.rnn_relu,
    "LSTM": _recurrent.lstm,
    "GRU": _recurrent.gru,
}
_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """Layers of recurrent cells, in one direction or two.

    x (T, N, I), with batch_first (N, T, I), without a batch (T, I) -> y of the same shape with D * H_out in the place
    of I, and the last states (num_layers * D, N, H); D is 2 where bidirectional, H_out is proj_size or else H.
    Weights of layer k: weight_ih_l{k} (G * H, I), weight_hh_l{k} (G * H, H_out), biases (G * H), with proj_size
    weight_hr_l{k} (H_out, H); names of the reverse direction end in _reverse. G counts the gates.
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        gates = _GATES.get(mode)
        if gates is None:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        out_size = proj_size or hidden_size
        self._all_weights = []
        for layer in range(num_layers):
            layer_size = input_size if layer == 0 else out_size * self._directions
            for suffix in ("", "_reverse")[: self._directions]:
                shapes = {"weight_ih": (gates * hidden_size, layer_size), "weight_hh": (gates * hidden_size, out_size)}
                if bias:
                    shapes.update(bias_ih=(gates * hidden_size,), bias_hh=(gates * hidden_size,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in shapes]
                for name, shape in zip(names, shapes.values()):
                    setattr(self, name, Parameter(flambeau.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)
        self.reset_parameters()

    def _check_options(self, dropout):
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        if not isinstance(self.hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(self.hidden_size).__name__}")
        if self.hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    @property
    def _directions(self):
        return 2 if self.bidirectional else 1

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @property
    def all_weights(self):
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self):
        """Nothing to do: weights in one buffer help on GPUs only."""

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input, batch_sizes):
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype and not flambeau.is_autocast_enabled("cpu"):
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input, batch_sizes):
        if batch_sizes is not None:
            count = int(batch_sizes[0])
        else:
            count = input.size(0) if self.batch_first else input.size(1)
        return (self.num_layers * self._directions, count, self.proj_size or self.hidden_size)

    def get_expected_cell_size(self, input, batch_sizes):
        return (*self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        return hx if permutation is None else hx.index_select(1, permutation)

    def _initial(self, input, batch_sizes):
        return input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))

    def _check_batched(self, hx, batched):
        """Raise unless the state's dimensions go with the input's."""
        wanted = 3 if batched else 2
        if hx.dim() != wanted:
            kind = f"{'batched' if batched else 'unbatched'} {wanted}-D input, hx should also be {wanted}-D"
            raise RuntimeError(f"For {kind} but got {hx.dim()}-D tensor")

    def _map_state(self, hx, function):
        return function(hx)

    def forward(self, input, hx=None):
        packed = isinstance(input, PackedSequence)
        batched = True
        if packed:
            data, batch_sizes, sorted_indices, unsorted_indices = input
        else:
            if input.dim() not in (2, 3):
                name = type(self).__name__
                raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
            data, batch_sizes, sorted_indices, unsorted_indices = input, None, None, None
            batched = input.dim() == 3
            batch_dim = 0 if self.batch_first else 1
            if not batched:
                data = data.unsqueeze(batch_dim)
        if hx is None:
            hx = self._initial(data, batch_sizes)
        else:
            if not packed:
                self._check_batched(hx, batched)
            if not batched:
                hx = self._map_state(hx, lambda part: part.unsqueeze(1))
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(data, hx, batch_sizes)
        run = _RUN[self.mode]
        options = (self.num_layers, self.dropout, self.training, self.bidirectional)
        if packed:
            output, *state = run(data, batch_sizes, hx, self._flat_weights, self.bias, *options)
        else:
            output, *state = run(data, hx, self._flat_weights, self.bias, *options, self.batch_first)
        state = tuple(state) if self.mode == "LSTM" else state[0]
        if packed:
            output = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        elif not batched:
            output = output.squeeze(batch_dim)
            return output, self._map_state(state, lambda part: part.squeeze(1))
        return output, self.permute_hidden(state, unsorted_indices)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        defaults = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}
        for name, default in defaults.items():
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


def _refuse_projection(kwargs):
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh), or relu with nonlinearity="relu".

    Arguments: input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, device=None, dtype=None.
    """

    def __init__(self, *args, **kwargs):
        _refuse_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = (*args[:3], *args[4:])
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)


class GRU(RNNBase):
    """r = sigmoid(W_ir x + b_ir + W_hr h + b_hr), z the same with its own weights,
    n = tanh(W_in x + b_in + r * (W_hn h + b_hn)), h' = (1 - z) * n + z * h

    Arguments: input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    device=None, dtype=None. The gates r, z, n lie one below the other in the weights.
    """

    def __init__(self, *args, **kwargs):
        _refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """i, f, o = sigmoid(W x + b + U h + d) and g = tanh(...), each with its own weights,
    c' = f * c + i * g, h' = o * tanh(c'), with proj_size h' = W_hr (o * tanh(c'))

    Arguments: input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    proj_size=0, device=None, dtype=None. The gates i, f, g, o lie one below the other in the weights.
    States are pairs (h, c).
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        hidden_size = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], hidden_size, "Expected hidden[0] size {}, got {}")
        cell_size = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], cell_size, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx, permutation):
        return self._map_state(hx, lambda part: RNNBase.permute_hidden(self, part, permutation))

    def _initial(self, input, batch_sizes):
        h = input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))
        return h, input.new_zeros(self.get_expected_cell_size(input, batch_sizes))

    def _check_batched(self, hx, batched):
        wanted = 3 if batched else 2
        if hx[0].dim() != wanted or hx[1].dim() != wanted:
            kind = f"{'batched' if batched else 'unbatched'} {wanted}-D input, hx and cx should also be {wanted}-D"
            raise RuntimeError(f"For {kind} but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")

    def _map_state(self, hx, function):
        return function(hx[0]), function(hx[1])


class RNNCellBase(Module):
    """One step of a recurrent layer: weight_ih (G * H, I), weight_hh (G * H, H), biases (G * H); G counts the gates."""

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        shapes = {
            "weight_ih": (rows, input_size),
            "weight_hh": (rows, hidden_size),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
        }
        for name, shape in shapes.items():
            if bias or name.startswith("weight"):
                setattr(self, name, Parameter(flambeau.empty(shape, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check_dims(self, part, what):
        if part.dim() not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {part.dim()}D instead")

    def _step(self, cell, input, hx):
        """cell() of one state, with a batch of one where the input has none."""
        self._check_dims(input, "input")
        if hx is not None:
            self._check_dims(hx, "hidden")
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = input.new_zeros(input.size(0), self.hidden_size)
        elif not batched:
            hx = hx.unsqueeze(0)
        h = cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return h if batched else h.squeeze(0)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        if nonlinearity != "tanh":
            text += f", nonlinearity={nonlinearity}"
        return text


class RNNCell(RNNCellBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu; x (N, I) or (I), h (N, H) or (H)."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = _recurrent.rnn_tanh_cell if self.nonlinearity == "tanh" else _recurrent.rnn_relu_cell
        return self._step(cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of GRU: x (N, I) or (I), h (N, H) or (H) -> h'."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_recurrent.gru_cell, input, hx)


class LSTMCell(RNNCellBase):
    """One step of LSTM: x (N, I) or (I), (h, c) of (N, H) or (H) -> (h', c')."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        self._check_dims(input, "input")
        if hx is not None:
            for i, part in enumerate(hx):
                self._check_dims(part, f"hx[{i}]")
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = input.new_zeros(input.size(0), self.hidden_size)
            hx = (zeros, zeros)
        elif not batched:
            hx = tuple(part.unsqueeze(0) for part in hx)
        state = _recurrent.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return state if batched else tuple(part.squeeze(0) for part in state)
