// softmax and log_softmax of contiguous data, forward and backward. Follows ATen's native/cpu/SoftMaxKernel.cpp in its
// builds for AVX2 (8 lanes) and AVX-512 (16 lanes); the DEFAULT build (unfused, C library) is left out.
// Float32: exp and log are Sleef's, except for exp in the columns after the last whole vector, where PyTorch calls the
// C library. Float64: the C library throughout (PyTorch: Sleef), half as many lanes.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

// x (outer, n, inner). Softmax is taken over n; `lanes` are those of float. PyTorch has different kernels for the last
// dimension and for others, even where inner is 1.
struct SoftmaxShape {
  int64_t outer, n, inner;
  bool last;
  int lanes;
  int threads;  // logical
};

template <class T>
struct SoftmaxFunctions {
  void (*softmax)(const SoftmaxShape&, const T* x, T* y);
  void (*log_softmax)(const SoftmaxShape&, const T* x, T* y);
  // From the gradient of the output and the output.
  void (*softmax_backward)(const SoftmaxShape&, const T* grad, const T* y, T* grad_x);
  void (*log_softmax_backward)(const SoftmaxShape&, const T* grad, const T* y, T* grad_x);
};
struct SoftmaxKernels {
  SoftmaxFunctions<float> f32;
  SoftmaxFunctions<double> f64;
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(SoftmaxKernels, softmax)
