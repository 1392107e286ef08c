"""The table of cases: what PyTorch is recorded on (tools/record_golden.py) and Flambeau compared on (test_golden)."""

from reference import draws, pointwise, products, rows, training  # noqa: F401  (each enters its cases)
from reference.frame import TABLE, Case, digest, run

__all__ = ["TABLE", "Case", "digest", "run"]
