"""Profiles as values: four dispatchers, each with its own rule, and the logical thread count."""

from __future__ import annotations

_FIELDS = {
    "aten": ("avx512", "avx2", "default"),
    "onednn": ("avx512_core", "avx2"),
    "mkl": ("amd", "intel-avx512", "intel-avx2"),
}
_RELEASE = "torch2.13"


class Profile:
    """aten, onednn, mkl: the instruction sets of PyTorch's dispatchers; threads: logical; invariant: our own order."""

    __slots__ = ("aten", "onednn", "mkl", "threads", "invariant")

    def __init__(self, aten: str, onednn: str, mkl: str, threads: int = 1, invariant: bool = False) -> None:
        for field, value in (("aten", aten), ("onednn", onednn), ("mkl", mkl)):
            if value not in _FIELDS[field]:
                raise ValueError(f"numerics: {field} must be one of {', '.join(_FIELDS[field])}, not '{value}'")
        if not isinstance(threads, int) or threads < 1:
            raise ValueError(f"numerics: threads must be a positive int, not {threads!r}")
        self.aten, self.onednn, self.mkl, self.threads, self.invariant = aten, onednn, mkl, threads, invariant

    def replace(self, **fields) -> Profile:
        return Profile(**{**{name: getattr(self, name) for name in self.__slots__}, **fields})

    @property
    def name(self) -> str:
        """The common name, such as torch2.13/amd-avx512, or the fields spelled out."""
        if self.invariant:
            return "invariant"
        for name, (aten, onednn, mkl) in NAMED.items():
            if (self.aten, self.onednn, self.mkl) == (aten, onednn, mkl):
                return name
        return f"{_RELEASE}/aten={self.aten},onednn={self.onednn},mkl={self.mkl}"

    def __repr__(self) -> str:
        return f"{self.name},threads={self.threads}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and all(getattr(self, n) == getattr(other, n) for n in self.__slots__)

    def __hash__(self) -> int:
        return hash(repr(self))


NAMED = {
    f"{_RELEASE}/amd-avx512": ("avx512", "avx512_core", "amd"),
    f"{_RELEASE}/amd-avx2": ("avx2", "avx2", "amd"),
    f"{_RELEASE}/intel-avx512": ("avx512", "avx512_core", "intel-avx512"),
    f"{_RELEASE}/intel-avx2": ("avx2", "avx2", "intel-avx2"),
}


def parse(text: str, current: Profile, detected: Profile) -> Profile:
    """A profile from ``auto``, ``invariant``, a name, or ``name,threads=4`` / ``torch2.13/aten=avx2,mkl=amd``."""
    head, *rest = text.split(",")
    if "=" in head:
        release, _, first = head.rpartition("/")
        if release not in ("", _RELEASE):
            raise ValueError(f"numerics: unknown release '{release}'; this version follows {_RELEASE}")
        profile, rest = current, [first, *rest]
    elif head == "auto":
        profile = detected
    elif head == "invariant":
        profile = Profile(*NAMED[f"{_RELEASE}/amd-avx512"], threads=1, invariant=True)
    else:
        full = head if "/" in head else f"{_RELEASE}/{head}"
        if full not in NAMED:
            raise ValueError(f"numerics: unknown profile '{text}'; there are auto, invariant, {', '.join(NAMED)}")
        profile = Profile(*NAMED[full], threads=current.threads)
    fields: dict = {}
    for part in rest:
        field, equals, value = part.partition("=")
        if not equals or field not in (*_FIELDS, "threads"):
            raise ValueError(f"numerics: expected field=value with one of {', '.join(_FIELDS)}, threads; got '{part}'")
        if field == "threads" and not value.isdecimal():
            raise ValueError(f"numerics: threads must be a positive int, not '{value}'")
        fields[field] = int(value) if field == "threads" else value
    return profile.replace(**fields)
