"""Walks the catalogue of operators: each is bound under one name everywhere, and mentioned by some test."""

from __future__ import annotations

import re
from pathlib import Path

from flambeau import _C

TESTS = Path(__file__).parent
SPACES = {
    "": vars(_C._VariableFunctions),
    "_nn": vars(_C._nn),
    "_linalg": vars(_C._linalg),
    "_special": vars(_C._special),
    "Tensor": vars(_C.TensorBase),
}

def operators():
    return {
        (space, name): operator
        for space, names in SPACES.items()
        for name, operator in names.items()
        if hasattr(operator, "_signatures")
    }


def words():
    text = "\n".join(path.read_text() for path in TESTS.rglob("*.py") if path != Path(__file__))
    return set(re.findall(r"\w+", text))


def test_signatures_name_their_operator():
    for (_, name), operator in operators().items():
        for signature, _, _, _ in operator._signatures:
            declared = signature.partition("(")[0]
            assert name.rstrip("_").removeprefix("__").endswith(declared.strip("_")), (name, signature)


def test_every_public_operator_is_mentioned_by_a_test():
    mentioned = words()

    def is_mentioned(name):
        short = re.sub(r"^(linalg|special)_", "", name)
        return bool({name, short, name.rstrip("_"), short.rstrip("_")} & mentioned)

    missing = sorted({name for _, name in operators() if not name.startswith("_") and not is_mentioned(name)})
    assert missing == []
