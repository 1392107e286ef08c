"""``torch.backends.mkl``: Intel's MKL is not linked; our kernels follow its order of operations where they are exact."""


def is_available() -> bool:
    return False
