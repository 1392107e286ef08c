"""``torch.backends.openmp``: OpenMP is not used; the core has its own threads."""


def is_available() -> bool:
    return False
