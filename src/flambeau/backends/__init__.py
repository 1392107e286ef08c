"""``torch.backends``: which libraries are behind the tensors. Here there is one, our own core.

Switches for CUDA and cuDNN can be set and read back, so that scripts written for a GPU run; they
change nothing.
"""

from . import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
