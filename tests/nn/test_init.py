"""Initialization: distributions in PyTorch's drawing order, and errors."""

from __future__ import annotations

import pytest

import flambeau
from flambeau.nn import init

# Drawn by PyTorch 2.13 on CPU after manual_seed(0).
RECORDED = [
    ("init.uniform_(empty(3), -1, 2)", [0.4887697696685791, 1.3046653270721436, -0.7345677018165588]),
    ("init.normal_(empty(3), 1.0, 2.0)", [4.081992149353027, 0.4131421744823456, -3.357578754425049]),
    ("init.trunc_normal_(empty(4))", [1.5409960746765137, -0.293428897857666, 0.40334683656692505, 0.5684312582015991]),
    ("init.trunc_normal_(empty(3), 0.0, 1.0, 0.5, 1.2)", [0.8473796248435974, 1.0377552509307861, 0.561934232711792]),
    (
        "init.xavier_uniform_(empty(2, 2), 1.5)",
        [[-0.013754166662693024, 0.9855098128318787], [-1.5120304822921753, -1.3520063161849976]],
    ),
    (
        "init.xavier_normal_(empty(2, 2))",
        [[1.0896488428115845, -0.20748557150363922], [-1.5406367778778076, 0.40194159746170044]],
    ),
    (
        "init.kaiming_uniform_(empty(2, 2), 0.3)",
        [[-0.012420662678778172, 0.8899618983268738], [-1.365435004234314, -1.2209255695343018]],
    ),
    (
        "init.kaiming_normal_(empty(2, 2), mode='fan_out', nonlinearity='relu')",
        [[1.5409960746765137, -0.293428897857666], [-2.1787893772125244, 0.5684312582015991]],
    ),
    ("init.sparse_(empty(3, 2), 0.4)", [[0.0, 0.0], [-0.021787893027067184, 0.0], [0.0, -0.013985954225063324]]),
]


@pytest.mark.parametrize(("expression", "expected"), RECORDED)
def test_recorded(expression, expected):
    flambeau.manual_seed(0)
    assert eval(expression, {"init": init, "empty": flambeau.empty}).tolist() == expected


def test_plain_fills():
    assert init.constant_(flambeau.empty(2), 3).tolist() == [3.0, 3.0]
    assert init.ones_(flambeau.empty(2)).tolist() == [1.0, 1.0]
    assert init.zeros_(flambeau.empty(2)).tolist() == [0.0, 0.0]
    assert init.eye_(flambeau.empty(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert init.dirac_(flambeau.empty(2, 1, 3), groups=2).tolist() == [[[0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0]]]


@pytest.mark.skipif(not hasattr(flambeau.linalg, "qr"), reason="needs a QR decomposition")
def test_orthogonal():
    q = init.orthogonal_(flambeau.empty(3, 5))
    product = (q @ q.t()).tolist()
    for i in range(3):
        for j in range(3):
            assert product[i][j] == pytest.approx(float(i == j), abs=1e-6)


def test_errors():
    with pytest.raises(ValueError, match="^Fan in and fan out can not be computed for tensor with fewer than 2 dim"):
        init.xavier_uniform_(flambeau.empty(3))
    with pytest.raises(ValueError, match="^Mode fan not supported, please use one of"):
        init.kaiming_uniform_(flambeau.empty(3, 3), mode="fan")
    with pytest.raises(ValueError, match="^Unsupported nonlinearity other$"):
        init.calculate_gain("other")
    with pytest.warns(UserWarning, match="^Initializing zero-element tensors is a no-op$"):
        init.kaiming_normal_(flambeau.empty(0, 3))


def test_no_gradient_is_recorded():
    leaf = flambeau.empty(3, 3, requires_grad=True)
    assert init.kaiming_uniform_(leaf) is leaf
    assert leaf.is_leaf and leaf.requires_grad
