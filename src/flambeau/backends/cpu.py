"""``torch.backends.cpu``."""


def get_cpu_capability() -> str:
    """What PyTorch would use on this machine: the order of operations that is followed."""
    from flambeau import _C

    return _C._profile()["aten"].upper()
