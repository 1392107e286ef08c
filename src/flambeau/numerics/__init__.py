"""The numerics profile: which PyTorch, on which kind of machine, with how many logical threads, the bits follow.

    flambeau.numerics.detect()                                   # what PyTorch would do on this machine
    flambeau.numerics.use("torch2.13/intel-avx512", threads=8)   # for the process, or `with` for a block
    FLAMBEAU_NUMERICS=torch2.13/amd-avx2,threads=4               # from outside
"""

from __future__ import annotations

from flambeau import _C
from flambeau.numerics.profile import NAMED, Profile, parse

__all__ = ["NAMED", "Profile", "current", "detect", "parse", "use"]

_detected = Profile(**_C._profile())


def detect() -> Profile:
    """What PyTorch would use on this machine, with as many threads as it would start."""
    return _detected


def current() -> Profile:
    """The profile in use."""
    return Profile(**_C._profile())


class use:
    """Follow a profile: a name, fields (``aten=avx2,threads=4``), ``auto`` or a Profile.

    Takes effect at once, for the process; as a context manager, until the block ends. `threads` is the logical count:
    how many threads really run is `set_num_threads`' business and changes the speed only.
    """

    def __init__(self, profile="auto", *, threads: int | None = None) -> None:
        self._before = current()
        wanted = profile if isinstance(profile, Profile) else parse(profile, self._before, detect())
        self.profile = wanted if threads is None else wanted.replace(threads=threads)
        _set(self.profile)

    def __enter__(self) -> Profile:
        return self.profile

    def __exit__(self, *exc) -> None:
        _set(self._before)


def _set(profile: Profile) -> None:
    _C._set_profile(profile.aten, profile.onednn, profile.mkl, profile.threads, profile.invariant)
