"""torch.functional's argument forms beside PyTorch's: values, and errors word for word."""

import pytest

import flambeau
from flambeau import functional

torch = pytest.importorskip("torch")


def inputs(library):
    a = library.arange(12.0).reshape(3, 4) / 7
    b = library.arange(20.0).reshape(4, 5) / 3
    return a, b, library.tensor([3, 1, 1, 2, 3])


CASES = [
    ("einsum", lambda a, b, i: ("ij,jk", a, b)),
    ("einsum", lambda a, b, i: (a, [0, 1], b, [1, 2])),
    ("einsum", lambda a, b, i: (a, [99])),
    ("einsum", lambda a, b, i: (a, [..., 0], [0])),
    ("broadcast_tensors", lambda a, b, i: (a, a[0])),
    ("broadcast_shapes", lambda a, b, i: ((2,), (3,))),
    ("broadcast_shapes", lambda a, b, i: ((5, 2), (3, 2))),
    ("broadcast_shapes", lambda a, b, i: ((2, 1), (0,))),
    ("split", lambda a, b, i: (a, 2)),
    ("split", lambda a, b, i: (a, [1, 3], 1)),
    ("split", lambda a, b, i: (a, [1, 1], 1)),
    ("atleast_2d", lambda a, b, i: (i, a)),
    ("atleast_3d", lambda a, b, i: ([a, a],)),
    ("meshgrid", lambda a, b, i: (i, i)),
    ("cartesian_prod", lambda a, b, i: (i, i)),
    ("block_diag", lambda a, b, i: (a, b)),
    ("tensordot", lambda a, b, i: (a, b, 1)),
    ("tensordot", lambda a, b, i: (a, b, -1)),
    ("tensordot", lambda a, b, i: (a, b, "x")),
    ("norm", lambda a, b, i: (a,)),
    ("norm", lambda a, b, i: (a, 1, 1)),
    ("norm", lambda a, b, i: (a, "fro", (0, 1), True)),
    ("norm", lambda a, b, i: (a, float("inf"), 0)),
    ("unique", lambda a, b, i: (i, True, True, True)),
    ("unique", lambda a, b, i: (a.sign(), True, True, True, 1)),
    ("unique_consecutive", lambda a, b, i: (i, True, True)),
    ("unravel_index", lambda a, b, i: (i, (2, 3, 4))),
    ("unravel_index", lambda a, b, i: (a, 5)),
    ("unravel_index", lambda a, b, i: (i, (2, -1))),
    ("chain_matmul", lambda a, b, i: (a, b)),
    ("cdist", lambda a, b, i: (a, a[:2])),
]


def outcome(module, name, library, arguments):
    try:
        result = getattr(module, name)(*arguments(*inputs(library)))
    except Exception as error:
        return type(error), str(error)
    parts = result if isinstance(result, tuple) and hasattr(result[0], "tolist") else (result,)
    return [
        (tuple(part.shape), [round(x, 4) for x in part.flatten().tolist()]) if hasattr(part, "tolist") else part
        for part in parts
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_same_result(name, arguments):
    ours = outcome(functional, name, flambeau, arguments)
    assert ours == outcome(torch.functional, name, torch, arguments)
