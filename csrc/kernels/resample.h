// Interpolation between grids of up to three dimensions: every output position has a few taps in each dimension, the
// same for all rows; their products weigh the inputs. The sums nest, the last dimension innermost: the second product
// is rounded, the others are fused into it (UpSampleKernel.cpp, as compiled for AVX2 and AVX-512; found by calling).
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

template <class T>
struct ResampleArgs {
  int64_t in[3], out[3];
  int taps[3];                // in each dimension
  const int64_t* index[3];    // taps of output position o: index[i][o * taps[i] ...], the same for weights
  const T* weight[3];
};

template <class T>
struct ResampleFunctions {
  void (*forward)(const ResampleArgs<T>&, int64_t planes, const T* x, T* y);
  // Adds weight * grad for every output position in order; grad_x is cleared first.
  void (*adjoint)(const ResampleArgs<T>&, int64_t planes, const T* grad, T* grad_x);
};

struct ResampleKernels {
  ResampleFunctions<float> f32;
  ResampleFunctions<double> f64;
  template <class T>
  const ResampleFunctions<T>& of() const {
    if constexpr (sizeof(T) == 4) return f32;
    else return f64;
  }
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(ResampleKernels, resample)
