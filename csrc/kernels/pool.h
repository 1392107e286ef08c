// Pooling windows over planes of up to three dimensions, and their adjoints. Orders: a window is walked row by row;
// adjoints add in the order of the outputs (AveragePool2d, DilatedMaxPool2d, AdaptivePooling in ATen).
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

// Output position o of dimension i sees begin[i][o], begin + step ... below end[i][o].
struct PoolWindows {
  int64_t in[3], out[3];
  const int64_t* begin[3];
  const int64_t* end[3];
  int64_t step[3];
  // The divisor of an average: the product of three counts when `once`, else a division by each in turn. An
  // override is put in the first counts, with ones in the others.
  const int64_t* count[3];
  bool once;
};

template <class T>
struct PoolFunctions {
  // Planes [0, planes): the largest element, NaN above all; of equals the first. Its place in the plane to `where`.
  void (*max)(const PoolWindows&, int64_t planes, const T* x, T* y, int64_t* where);
  void (*mean)(const PoolWindows&, int64_t planes, const T* x, T* y);
  void (*mean_adjoint)(const PoolWindows&, int64_t planes, const T* grad, T* grad_x);  // grad_x is cleared first
  // grad_x[where] += grad and grad_y = x[where], plane by plane of `in` and `out` elements.
  void (*scatter)(int64_t planes, int64_t in, int64_t out, const T* grad, const int64_t* where, T* grad_x);
  void (*gather)(int64_t planes, int64_t in, int64_t out, const T* x, const int64_t* where, T* y);
};

struct PoolKernels {
  PoolFunctions<float> f32;
  PoolFunctions<double> f64;
  template <class T>
  const PoolFunctions<T>& of() const {
    if constexpr (sizeof(T) == 4) return f32;
    else return f64;
  }
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(PoolKernels, pool)
