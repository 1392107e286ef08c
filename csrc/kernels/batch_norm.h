// Batch norm of contiguous data, forward and backward. Follows ATen's native/Normalization.cpp and
// native/cpu/batch_norm_kernel.cpp in their AVX2 build. With one position an image, (N, C), PyTorch takes the kernels
// of channels_last: sums in the type of the data, in one part a logical thread.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

struct BatchNormShape {
  int64_t batch, channels, inner;  // x (batch, channels, inner)
  int threads;                     // logical
  int64_t count() const { return batch * inner; }
  bool by_rows() const { return inner == 1; }
};

template <class T>
struct BatchNormFunctions {
  // scratch: 2 * threads * channels
  void (*statistics)(const BatchNormShape&, const T* x, T* mean, T* squares,
                     T* scratch);  // squares: of distances, summed
  void (*transform)(const BatchNormShape&, const T* x, const T* mean, const T* invstd, const T* weight, const T* bias,
                    T* y);
  // Per channel: the sum of grad, and of (x - mean) * grad.
  void (*backward_sums)(const BatchNormShape&, const T* grad, const T* x, const T* mean, double* sums, double* dots,
                        T* scratch);
  // Training: dx = (grad - grad_mean - (x - mean) * k) * invstd * weight; in evaluation k and grad_mean are null and
  // left out.
  void (*backward)(const BatchNormShape&, const T* grad, const T* x, const T* mean, const T* invstd, const T* weight,
                   const T* k, const T* grad_mean, T* grad_x);
};
struct BatchNormKernels {
  BatchNormFunctions<float> f32;
  BatchNormFunctions<double> f64;
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(BatchNormKernels, batch_norm)
