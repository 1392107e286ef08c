"""The numerics profile: which PyTorch, on which kind of machine, with how many logical threads, the bits follow.

flambeau.numerics.detect()                                   # what PyTorch would do on this machine
flambeau.numerics.use("torch2.13/intel-avx512", threads=8)   # for the process, or `with` for a block
flambeau.numerics.use("torch2.13/amd-avx512", strict=True)   # refuse operators that are not exact
flambeau.numerics.status("nn.functional.gelu")               # what is exact, by which evidence
FLAMBEAU_NUMERICS=torch2.13/amd-avx2,threads=4,strict        # from outside
"""

from __future__ import annotations

from flambeau import _C
from flambeau.numerics.evidence import Status, not_exact, status
from flambeau.numerics.profile import NAMED, Profile, parse

__all__ = ["NAMED", "Profile", "Status", "current", "detect", "is_strict", "parse", "status", "use"]

_detected = Profile(**_C._profile())
_strict = False


def detect() -> Profile:
    """What PyTorch would use on this machine, with as many threads as it would start."""
    return _detected


def current() -> Profile:
    """The profile in use."""
    return Profile(**_C._profile())


def is_strict() -> bool:
    """Whether operators that are not exact under the profile are refused."""
    return _strict


class use:
    """Follow a profile: a name, fields (``aten=avx2,threads=4``), ``auto`` or a Profile.

    Takes effect at once, for the process; as a context manager, until the block ends. `threads` is the logical count:
    how many threads really run is `set_num_threads`' business and changes the speed only. `strict`: calling an operator
    that is not known to be exact raises RuntimeError; None leaves that as it is. A name may end in ``,strict``.
    """

    def __init__(self, profile="auto", *, threads: int | None = None, strict: bool | None = None) -> None:
        self._before = current(), _strict
        if isinstance(profile, str) and profile.endswith(",strict"):
            profile, strict = profile.removesuffix(",strict"), True
        wanted = profile if isinstance(profile, Profile) else parse(profile, current(), detect())
        self.profile = wanted if threads is None else wanted.replace(threads=threads)
        _set(self.profile, _strict if strict is None else strict)

    def __enter__(self) -> Profile:
        return self.profile

    def __exit__(self, *exc) -> None:
        _set(*self._before)


def _set(profile: Profile, strict: bool) -> None:
    global _strict
    refused = not_exact(profile) if strict else []  # first: it raises where there is no evidence
    _C._set_profile(profile.aten, profile.onednn, profile.mkl, profile.threads, profile.invariant)
    _C._set_strict(refused, repr(profile))
    _strict = strict
