"""``torch.backends.opt_einsum``: einsum contracts from left to right, without a planner."""

enabled = False
strategy = None


def is_available() -> bool:
    return False
