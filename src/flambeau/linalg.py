"""torch.linalg: norms, products and whatever of linear algebra the core has, under their public names."""

from __future__ import annotations

from flambeau import _C
from flambeau._missing import module_getattr

globals().update(
    {name.removeprefix("linalg_"): op for name, op in vars(_C._linalg).items() if name.startswith("linalg_")}
)


class LinAlgError(RuntimeError):
    """A matrix that has no inverse or no such decomposition."""


def diagonal(A, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """A view of the diagonals; by default of the last two dimensions."""
    return A.diagonal(offset, dim1, dim2)


__getattr__ = module_getattr(__name__)
