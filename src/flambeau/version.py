"""Two versions: of the PyTorch release whose interface is followed, and of flambeau itself."""

__version__ = "2.13.0"
flambeau = "0.1.0"

# PyTorch's build facts, which scripts print or test. There is no accelerator.
debug = False
cuda = None
hip = None
xpu = None
rocm = None
git_version = "Unknown"
