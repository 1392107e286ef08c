"""What is known to be exact, by the names of torch, and strict mode."""

from __future__ import annotations

import pytest

import flambeau as torch
from flambeau import _C, numerics
from flambeau.numerics import evidence
from flambeau.numerics.by_nature import BY_NATURE

AMD = "torch2.13/amd-avx512"


def test_status_counts_cases_and_threads():
    known = numerics.status("nn.functional.linear")
    assert set(known) == set(numerics.NAMED)
    assert known[AMD].verdict == "exact"
    assert known[AMD].cases >= 4 and {1, 2} <= set(known[AMD].threads)


@pytest.mark.parametrize(
    "name, operator",
    [
        ("nn.functional.gelu", "gelu"),
        ("torch.nn.functional.cross_entropy", "cross_entropy_loss"),
        ("Tensor.add_", "add"),
        ("add_", "add"),
        ("multiply", "mul"),
        ("Tensor.normal_", "normal_"),
        ("linalg.vector_norm", "linalg_vector_norm"),
        ("special.exp2", "exp2"),
        ("Tensor.to", "_to_dtype"),
        ("Tensor.masked_fill_", "masked_fill"),
    ],
)
def test_names_of_torch_are_understood(name, operator):
    assert evidence.canonical(name) == operator


def test_what_moves_data_is_exact_by_nature():
    assert numerics.status("Tensor.view")[AMD].verdict == "exact by nature"
    assert numerics.status("argmax")[AMD].verdict.startswith("exact")


def test_without_evidence_it_is_unverified():
    assert numerics.status("special.zeta")[AMD].verdict == "unverified"


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no operator is called 'nn.functional.gelo'"):
        numerics.status("nn.functional.gelo")


def test_exact_by_nature_are_operators_or_attributes():
    known = {*_C._operator_names(), *dir(torch.Tensor), *dir(torch)}
    assert not set(BY_NATURE) - known


def test_strict_refuses_a_close_operator_and_names_it():
    x = torch.randn(5)
    with numerics.use(AMD, threads=1, strict=True):
        assert numerics.is_strict()
        with pytest.raises(
            RuntimeError, match=r"^digamma is not known to be exact under torch2.13/amd-avx512,threads=1"
        ):
            x.digamma()
        with pytest.raises(RuntimeError, match=r"numerics.status\(\"special_digamma\"\) and docs/numerics.md"):
            torch.special.digamma(x)
    assert not numerics.is_strict()
    x.digamma()


def test_strict_from_a_name_and_inherited():
    with numerics.use("amd-avx512,threads=2,strict"):
        assert numerics.current().threads == 2
        with numerics.use("amd-avx2"):
            assert numerics.is_strict()
        with numerics.use("amd-avx2", strict=False):
            torch.ones(2).digamma()
        assert numerics.is_strict()


def test_strict_needs_evidence():
    for profile in ("invariant", "aten=avx2,onednn=avx512_core,mkl=amd"):
        with pytest.raises(ValueError, match="strict needs a profile with recorded evidence"):
            numerics.use(profile, strict=True)
    assert not numerics.is_strict()


def test_a_gpt_trains_in_strict_mode():
    """Every operator of nanoGPT's training is exact: layers, attention, dropout, loss, clipping, AdamW, sampling."""
    with numerics.use(AMD, threads=2, strict=True):
        torch.manual_seed(1)
        embed, norm, head = torch.nn.Embedding(65, 32), torch.nn.LayerNorm(32), torch.nn.Linear(32, 65, bias=False)
        qkv, up, down = torch.nn.Linear(32, 96), torch.nn.Linear(32, 128), torch.nn.Linear(128, 32)
        head.weight = embed.weight
        model = torch.nn.ModuleList([embed, norm, head, qkv, up, down])
        for p in model.parameters():
            torch.nn.init.normal_(p, std=0.02)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
        for _ in range(2):
            tokens = torch.randint(65, (4, 17))
            x = embed(tokens[:, :-1])
            q, k, v = (y.view(4, 16, 2, 16).transpose(1, 2) for y in qkv(norm(x)).split(32, 2))
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + torch.nn.functional.dropout(y.transpose(1, 2).contiguous().view(4, 16, 32), 0.1)
            logits = head(x + down(torch.nn.functional.gelu(up(x))))
            loss = torch.nn.functional.cross_entropy(logits.view(-1, 65), tokens[:, 1:].reshape(-1), ignore_index=-1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        logits = logits[:, -1, :] / 0.8
        logits[logits < torch.topk(logits, 5)[0][:, [-1]]] = -float("inf")
        assert torch.multinomial(torch.softmax(logits, -1), num_samples=1).shape == (4, 1)
        assert loss.item() > 0 and "tensor" in repr(loss)
