"""``torch.backends.mkl``: Intel's MKL is not linked. Where our kernels are exact they follow its
order of operations."""


def is_available() -> bool:
    return False
