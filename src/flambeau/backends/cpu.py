"""``torch.backends.cpu``."""


def get_cpu_capability() -> str:
    """The instruction set in use, by PyTorch's name for it."""
    from flambeau import _C

    return _C._get_cpu_capability()
