"""device, layout and memory_format: named constants. The only device here is the CPU."""

from __future__ import annotations

_KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)


class device:
    """Where a tensor lives: ``device("cpu")``. Other kinds can be named, but hold no tensors here."""

    __module__ = "flambeau"
    __slots__ = ("type", "index")
    type: str
    index: int | None

    def __new__(cls, type=None, index=None):
        if isinstance(type, device):
            return type
        if isinstance(type, int):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        kind, colon, number = type.partition(":")
        if kind not in _KINDS.split(", "):
            raise RuntimeError(f"Expected one of {_KINDS} device type at start of device string: {kind}")
        if colon:
            if index is not None:
                raise RuntimeError(
                    f"type (string) must not include an index because index was passed explicitly: {type}"
                )
            if not number.isdecimal() or (len(number) > 1 and number[0] == "0"):
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self = object.__new__(cls)
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", index)
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __reduce__(self):
        return (device, (str(self),))

    def __enter__(self):
        if self.type != "cpu":
            raise RuntimeError(f"flambeau computes on the CPU only: device '{self}' is not available")
        return self

    def __exit__(self, *exc):
        return None


class _Constant:
    """A constant that is told by its name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Constant):
    __slots__ = ()


class memory_format(_Constant):
    __slots__ = ()


class qscheme(_Constant):
    __slots__ = ()


cpu = device("cpu")
strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
