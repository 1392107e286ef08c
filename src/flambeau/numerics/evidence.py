"""What is known to be exact: the recorded cases of every operator, per profile and thread count.

evidence.json is written by tools/write_evidence.py: the cases of tests/reference, recorded from PyTorch, were run here
and every bit compared. It is about float32 (and casts); what an operator's cases do not reach, nobody has looked at.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flambeau import _C
from flambeau.numerics.by_nature import BY_NATURE
from flambeau.numerics.profile import NAMED, Profile

# torch's second names, and the names in nn.functional that the native operator has not.
ALIASES = {
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "divide": "div",
    "true_divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "ger": "outer",
    "frobenius_norm": "norm",
    "special_erf": "erf",
    "special_erfc": "erfc",
    "special_erfinv": "erfinv",
    "special_exp2": "exp2",
    "special_expit": "sigmoid",
    "special_expm1": "expm1",
    "special_gammaln": "lgamma",
    "special_digamma": "digamma",
    "special_psi": "digamma",
    "special_log1p": "log1p",
    "special_logit": "logit",
    "special_log_softmax": "log_softmax",
    "special_softmax": "softmax",
    "special_logsumexp": "logsumexp",
    "special_xlogy": "xlogy",
    "linalg_matmul": "matmul",
    "bernoulli_": "bernoulli",
    "cross_entropy": "cross_entropy_loss",
    "nll_loss": "nll_loss_nd",
    "logsigmoid": "log_sigmoid",
    "vector_norm": "linalg_vector_norm",
    "to": "_to_dtype",
    "type": "_to_dtype",
    "float": "_to_dtype",
    "double": "_to_dtype",
    "half": "_to_dtype",
    "bfloat16": "_to_dtype",
    "_rsub": "rsub",
    "_rdiv": "div",
    "_rpow": "pow",
    "_rmod": "remainder",
    "_rfloordiv": "floor_divide",
    "__matmul__": "matmul",
    "slice_scatter_": "slice_scatter",
    "random": "random_",
    "normal": "normal",
    "dropout1d": "dropout",
}
_PREFIXES = ("torch.", "flambeau.", "nn.functional.", "Tensor.", "linalg.", "special.")


class Status(NamedTuple):
    """verdict: exact, close, unverified, or exact by nature; cases: how many compared; threads: exact with so many."""

    verdict: str
    cases: int = 0
    threads: tuple[int, ...] = ()
    close_threads: tuple[int, ...] = ()

    def holds(self, threads: int) -> bool:
        """Exact with this logical thread count; with one that nobody recorded, if exact with all that were."""
        if self.verdict == "exact by nature":
            return True
        return threads in self.threads or (bool(self.threads) and not self.close_threads)


@cache
def _recorded() -> dict:
    return json.loads((Path(__file__).parent / "evidence.json").read_text())["operators"]


def canonical(name: str) -> str:
    """The operator that a name in PyTorch stands for: nn.functional.gelu, Tensor.add_, linalg.vector_norm."""
    space = ""
    while prefix := next((p for p in _PREFIXES if name.startswith(p)), ""):
        name, space = name[len(prefix) :], prefix
    if space in ("linalg.", "special."):
        name = f"{space[:-1]}_{name}"
    for candidate in (name, name.removesuffix("_")):
        candidate = ALIASES.get(candidate, candidate)
        if candidate in _recorded() or candidate in BY_NATURE:
            return candidate
    return name


def status(name: str) -> dict[str, Status]:
    """For every named profile, what is known of an operator.

    >>> status("nn.functional.linear")["torch2.13/amd-avx512"].verdict
    'exact'
    """
    operator = canonical(name)
    if operator not in _recorded() and operator not in BY_NATURE and not _is_known(name):
        raise ValueError(f"numerics.status: no operator is called '{name}'")
    return {profile: of(operator, profile) for profile in NAMED}


def of(operator: str, profile: str) -> Status:
    """What is known of an operator, by its canonical name, under one named profile."""
    entry = _recorded().get(operator, {}).get(profile.rpartition("/")[2])
    if entry:
        cases, exact, close = entry
        return Status("close" if close else "exact", cases, tuple(exact), tuple(close))
    return Status("exact by nature" if operator in BY_NATURE else "unverified")


def _is_known(name: str) -> bool:
    last = name.rpartition(".")[2]
    natives = _C._operator_names()
    return any(n in natives for n in (last, last.removesuffix("_"), f"linalg_{last}", f"special_{last}"))


def not_exact(profile: Profile) -> list[str]:
    """The native operators that strict mode refuses under a profile."""
    if profile.name not in NAMED:
        raise ValueError(
            f"numerics: strict needs a profile with recorded evidence ({', '.join(NAMED)}), not '{profile.name}'"
        )
    return [n for n in _C._operator_names() if not of(canonical(n), profile.name).holds(profile.threads)]


def table() -> dict[str, dict[str, Status]]:
    """Every native operator, by name, with its status under every named profile: for the documentation."""
    return {name: {p: of(canonical(name), p) for p in NAMED} for name in sorted(_C._operator_names())}
