"""Recurrent operators: rnn_tanh, rnn_relu, lstm, gru and their cells, composed from the core's operators.

Follows ATen/native/RNN.cpp: the input's product is taken for all steps at once, then step by step the hidden state's.
PyTorch's float32 LSTM runs in oneDNN instead, which rounds differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flambeau import _C

_VF = _C._VariableFunctions
_linear = _C._nn.linear

# One step: (the input's product or, in a cell, the input; the state; the weights) -> the new state.
# The state is h (N, H), or (h, c) in an LSTM; weights are [w_ih, w_hh, b_ih, b_hh, w_hr], None where absent.
Step = Callable[[Any, Any, Sequence[Any]], Any]


def _step_tanh(gates: Any, h: Any, weights: Sequence[Any]) -> Any:
    return _linear(h, weights[1], weights[3]).add_(gates).tanh_()


def _step_relu(gates: Any, h: Any, weights: Sequence[Any]) -> Any:
    return _linear(h, weights[1], weights[3]).add_(gates).relu_()


def _step_lstm(gates: Any, state: Any, weights: Sequence[Any]) -> Any:
    h, c = state
    chunks = _linear(h, weights[1], weights[3]).add_(gates).unsafe_chunk(4, 1)
    ingate = chunks[0].sigmoid()
    forgetgate = chunks[1].sigmoid()
    cellgate = chunks[2].tanh()
    outgate = chunks[3].sigmoid()
    c = (forgetgate * c).add_(ingate * cellgate)
    h = outgate * c.tanh()
    return (h if weights[4] is None else _linear(h, weights[4])), c


def _step_gru(gates: Any, h: Any, weights: Sequence[Any]) -> Any:
    hidden = _linear(h, weights[1], weights[3])
    # PyTorch takes the sigmoids of both gates where they lie, row by row: so they stay side by side here.
    both = 2 * h.size(1)
    reset, update = (hidden.narrow(1, 0, both) + gates.narrow(1, 0, both)).unsafe_chunk(2, 1)
    reset, update = reset.sigmoid(), update.sigmoid()
    from_input, from_hidden = gates.narrow(1, both, h.size(1)), hidden.narrow(1, both, h.size(1))
    new = from_input.add(from_hidden * reset).tanh_()
    return (h - new).mul_(update).add_(new)


def _output(state: Any) -> Any:
    return state[0] if isinstance(state, tuple) else state


def _narrow(state: Any, start: int, length: int) -> Any:
    """The states of some of the sequences."""
    if isinstance(state, tuple):
        return tuple(part.narrow(0, start, length) for part in state)
    return state.narrow(0, start, length)


def _join(states: Sequence[Any], join: Callable[[Sequence[Any]], Any]) -> Any:
    """join() of the hidden states, and of the cell states where there are any."""
    if isinstance(states[0], tuple):
        return tuple(join(parts) for parts in zip(*states))
    return join(states)


def _run(step: Step, inputs: Any, state: Any, weights: Sequence[Any], reverse: bool) -> tuple[Any, Any]:
    """One direction of a layer: inputs (T, N, I) -> outputs (T, N, H) and the last state."""
    steps = _linear(inputs, weights[0], weights[2]).unbind(0)
    outputs = []
    for gates in reversed(steps) if reverse else steps:
        state = step(gates, state, weights)
        outputs.append(_output(state))
    return _VF.stack(outputs[::-1] if reverse else outputs, 0), state


def _run_packed(
    step: Step, data: Any, sizes: list[int], state: Any, weights: Sequence[Any], reverse: bool
) -> tuple[Any, Any]:
    """The same for packed steps: data (sum of sizes, I), of which step t has the first sizes[t] sequences."""
    steps = _linear(data, weights[0], weights[2]).split_with_sizes(sizes)
    outputs = []
    if reverse:
        # The longest sequences begin; others join at their last step.
        size = sizes[-1]
        whole, state = state, _narrow(state, 0, size)
        for gates, wanted in zip(reversed(steps), reversed(sizes)):
            if wanted > size:
                state = _join((state, _narrow(whole, size, wanted - size)), _VF.cat)
                size = wanted
            state = step(gates, state, weights)
            outputs.append(_output(state))
        return _VF.cat(outputs[::-1], 0), state
    ended = []
    size = sizes[0]
    for gates, wanted in zip(steps, sizes):
        if wanted < size:
            ended.append(_narrow(state, wanted, size - wanted))
            state = _narrow(state, 0, wanted)
            size = wanted
        state = step(gates, state, weights)
        outputs.append(_output(state))
    ended.append(state)
    return _VF.cat(outputs, 0), _join(ended[::-1], _VF.cat)


def _weights_by_run(params: Sequence[Any], has_biases: bool, projects: bool) -> list[list[Any]]:
    """The flat list of weights cut into one list of five for each layer and direction."""
    width = 2 + 2 * has_biases + projects
    runs = []
    for at in range(0, len(params), width):
        run = list(params[at : at + width])
        biases = run[2:4] if has_biases else [None, None]
        runs.append([*run[:2], *biases, run[-1] if projects else None])
    return runs


def _layers(
    step: Step,
    inputs: Any,
    sizes: list[int] | None,
    states: Sequence[Any],
    runs: Sequence[Sequence[Any]],
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
) -> tuple[Any, Any]:
    """All layers: the last one's outputs, and every run's last state, stacked (L * D, N, H)."""
    directions = 2 if bidirectional else 1
    last = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            if sizes is None:
                output, state = _run(step, inputs, states[at], runs[at], direction == 1)
            else:
                output, state = _run_packed(step, inputs, sizes, states[at], runs[at], direction == 1)
            outputs.append(output)
            last.append(state)
        inputs = _VF.cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            inputs = _VF.dropout(inputs, dropout, True)
    return inputs, _join(last, lambda parts: _VF.stack(parts, 0))


def _call(name: str, step: Step, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Both overloads of an operator: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first) and, for packed sequences, (data, batch_sizes, hx, params, ..., bidirectional)."""
    if len(args) != 9:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    packed = isinstance(args[3], (list, tuple))
    sizes = None
    batch_first = False
    if packed:
        inputs, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional = args
        sizes = batch_sizes.tolist()
    else:
        inputs, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = args
        if batch_first:
            inputs = inputs.transpose(0, 1)
    states = list(zip(*(part.unbind(0) for part in hx))) if name == "lstm" else list(hx.unbind(0))
    projects = name == "lstm" and hx[0].size(2) != hx[1].size(2)
    runs = _weights_by_run(params, has_biases, projects)
    output, state = _layers(step, inputs, sizes, states, runs, num_layers, dropout, train, bidirectional)
    if batch_first:
        output = output.transpose(0, 1)
    return (output, *state) if name == "lstm" else (output, state)


def rnn_tanh(*args: Any) -> tuple[Any, ...]:
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh)"""
    return _call("rnn_tanh", _step_tanh, args)


def rnn_relu(*args: Any) -> tuple[Any, ...]:
    """h_t = relu(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh)"""
    return _call("rnn_relu", _step_relu, args)


def lstm(*args: Any) -> tuple[Any, ...]:
    """Long short-term memory; see nn.LSTM for the formula."""
    return _call("lstm", _step_lstm, args)


def gru(*args: Any) -> tuple[Any, ...]:
    """Gated recurrent unit; see nn.GRU for the formula."""
    return _call("gru", _step_gru, args)


def _check_cell(input: Any, w_ih: Any, w_hh: Any, hidden: Sequence[Any]) -> None:
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    for i, h in enumerate(hidden):
        if input.size(0) != h.size(0):
            raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{i} batch size {h.size(0)}")
        if h.size(1) != w_hh.size(1):
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {h.size(1)}, expected {w_hh.size(1)}")


def _cell(step: Step, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    _check_cell(input, w_ih, w_hh, hx if isinstance(hx, tuple) else (hx,))
    return step(_linear(input, w_ih, b_ih), hx, (w_ih, w_hh, b_ih, b_hh, None))


def rnn_tanh_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step of rnn_tanh: input (N, I), hx (N, H) -> (N, H)."""
    return _cell(_step_tanh, input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_relu_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step of rnn_relu: input (N, I), hx (N, H) -> (N, H)."""
    return _cell(_step_relu, input, hx, w_ih, w_hh, b_ih, b_hh)


def lstm_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step of lstm: input (N, I), hx two of (N, H) -> two of (N, H)."""
    return _cell(_step_lstm, input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step of gru: input (N, I), hx (N, H) -> (N, H)."""
    return _cell(_step_gru, input, hx, w_ih, w_hh, b_ih, b_hh)
