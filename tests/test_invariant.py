"""The `invariant` profile: a row's result is the same alone or in a batch, and with any number of threads."""

import pytest

import flambeau as torch
from flambeau.testing import assert_equal_bits

F = torch.nn.functional
BATCHES = (1, 2, 3, 5, 12, 33, 64)


@pytest.fixture(autouse=True)
def invariant():
    threads = torch.get_num_threads()
    with torch.numerics.use("invariant"):
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)


def cases():
    linear = torch.nn.Linear(200, 50)
    wide = torch.nn.Linear(1000, 7, bias=False)
    norm = torch.nn.LayerNorm(200)
    mlp = torch.nn.Sequential(torch.nn.Linear(200, 300), torch.nn.GELU(), torch.nn.Linear(300, 1), torch.nn.Tanh())
    target = torch.randint(200, (64,))

    def slope(x):
        x = x.detach().requires_grad_()
        mlp(x).sum().backward()
        return x.grad

    rows = torch.randn(64, 200)
    return {
        "linear": (linear, rows),
        "linear, several blocks": (wide, torch.randn(64, 1000)),
        "mlp": (mlp, rows),
        "gradient of an mlp": (slope, rows),
        "layer_norm": (norm, rows),
        "rms_norm": (lambda x: F.rms_norm(x, (200,)), rows),
        "softmax": (lambda x: x.softmax(-1), rows),
        "log_softmax": (lambda x: x.log_softmax(-1), rows),
        "sum": (lambda x: x.sum(-1), rows),
        "norm": (lambda x: torch.linalg.vector_norm(x, dim=-1), rows),
        "sigmoid": (lambda x: x.sigmoid(), rows[:, :13].contiguous()),
        "tanh gelu": (lambda x: F.gelu(x, approximate="tanh"), rows[:, :13].contiguous()),
        "silu": (F.silu, rows[:, :13].contiguous()),
        "softplus": (F.softplus, rows[:, :13].contiguous()),
        "losses": (lambda x: F.cross_entropy(x, target[: len(x)], reduction="none"), rows),
        "batched product": (lambda x: x.unsqueeze(1) @ x.unsqueeze(2), rows[:, :20].contiguous()),
    }


@pytest.mark.parametrize("name", list(cases()))
@pytest.mark.parametrize("threads", (1, 3))
def test_rows_do_not_depend_on_the_batch(name, threads):
    function, rows = cases()[name]
    expected = function(rows).detach()
    torch.set_num_threads(threads)
    for batch in BATCHES:
        assert_equal_bits(function(rows[:batch]).detach(), expected[:batch])


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("mask", (False, True))
def test_attention(causal, mask):
    q, k, v = (torch.randn(6, 3, 70, 24) for _ in range(3))
    bias = torch.randn(70, 70) if mask else None

    def attend(q, k, v, rows=70):
        return F.scaled_dot_product_attention(q, k, v, None if bias is None else bias[:rows], is_causal=causal)

    expected = attend(q, k, v)
    for threads in (1, 3):
        torch.set_num_threads(threads)
        for batch in (1, 2, 5):
            assert_equal_bits(attend(q[:batch], k[:batch], v[:batch]), expected[:batch])
        # Fewer queries against the same keys.
        for rows in (1, 4, 31, 33):
            assert_equal_bits(attend(q[:, :, :rows], k, v, rows), expected[:, :, :rows])


def test_thread_counts_do_not_matter_to_a_training_step():
    def run(threads):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(64, 300), torch.nn.GELU(), torch.nn.LayerNorm(300), torch.nn.Linear(300, 10))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        x, y = torch.randn(500, 64), torch.randint(10, (500,))
        for _ in range(3):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [loss.detach(), *(p.detach() for p in model.parameters())]

    expected = run(1)
    for threads in (2, 3, 8):
        for ours, theirs in zip(run(threads), expected):
            assert_equal_bits(ours, theirs)
