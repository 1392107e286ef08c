"""torch.special: special functions under their public names."""

from __future__ import annotations

from flambeau import _C
from flambeau._missing import module_getattr

globals().update(
    {name.removeprefix("special_"): op for name, op in vars(_C._special).items() if name.startswith("special_")}
)

__getattr__ = module_getattr(__name__)
