"""Names for annotations, as in ``torch.types``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

_bool, _int, _float = bool, int, float

Number = int | float | bool
FileLike = str | os.PathLike[str] | Any
_size = Sequence[int] | tuple[int, ...]
_dtype = Any
_device = Any
Device = Any
