"""Weights divided by their largest singular value. Follows torch/nn/utils/spectral_norm.py.

Left out: reading states from before PyTorch 1.0.
"""

from __future__ import annotations

import flambeau
from flambeau.nn.functional import normalize
from flambeau.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from flambeau.nn.parameter import Parameter, is_lazy

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook before forward: W / sigma, sigma = u^T W v with u, v from power iterations.

    The module keeps the weight as `<name>_orig` and the vectors as buffers `<name>_u` and `<name>_v`.
    """

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight):
        """The weight with `dim` as rows and all else as columns."""
        if self.dim != 0:
            others = [d for d in range(weight.dim()) if d != self.dim]
            weight = weight.permute(self.dim, *others)
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module, do_power_iteration):
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        v = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with flambeau.no_grad():
                for _ in range(self.n_power_iterations):
                    v = normalize(flambeau.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = normalize(flambeau.mv(matrix, v), dim=0, eps=self.eps, out=u)
                # The buffers change again in the next forward; the graph needs those of this one.
                u = u.clone(memory_format=flambeau.contiguous_format)
                v = v.clone(memory_format=flambeau.contiguous_format)
        sigma = flambeau.dot(u, flambeau.mv(matrix, v))
        return weight / sigma

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def remove(self, module):
        """Make the normalized weight the parameter."""
        with flambeau.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        delattr(module, self.name + "_u")
        delattr(module, self.name + "_v")
        delattr(module, self.name + "_orig")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def attach(self, module):
        """Split the parameter and hang the hook on the module."""
        weight = module._parameters[self.name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{self.name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with flambeau.no_grad():
            height, width = self.reshape_weight_to_matrix(weight).size()
            u = normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=self.eps)
            v = normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=self.eps)
        delattr(module, self.name)
        module.register_parameter(self.name + "_orig", weight)
        # A plain attribute until the first forward, so that a look at the weight finds something.
        setattr(module, self.name, weight.data)
        module.register_buffer(self.name + "_u", u)
        module.register_buffer(self.name + "_v", v)
        module.register_forward_pre_hook(self)


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Let the module use its weight divided by the weight's largest singular value."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm(name, n_power_iterations, dim, eps).attach(module)
    return module


def remove_spectral_norm(module, name="weight"):
    """Take `spectral_norm` off a module again."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
