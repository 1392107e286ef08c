// Layer norm and group norm of contiguous rows, forward and backward. Follows ATen's native/cpu/layer_norm_kernel.cpp
// and group_norm_kernel.cpp in their AVX2 build (8 lanes of float), which all capabilities above DEFAULT run.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

template <class T>
struct LayerNormFunctions {
  // x (rows, n), weight and bias (n) or null.
  void (*forward)(const T* x, const T* weight, const T* bias, T* y, T* mean, T* rstd, int64_t rows, int64_t n, T eps);
  void (*backward)(const T* grad, const T* x, const T* mean, const T* rstd, const T* weight, T* grad_x, int64_t rows,
                   int64_t n);
  // Rows are cut for the logical threads, each part summed on its own. scratch: 2 * threads * n.
  void (*backward_weights)(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_weight, T* grad_bias,
                           T* scratch, int64_t rows, int64_t n, int threads);
};

struct GroupNormShape {
  int64_t batch, groups, channels_per_group, inner;
  int threads;  // logical
};
template <class T>
struct GroupNormFunctions {
  // x (batch, groups, channels_per_group, inner), mean and rstd (batch, groups), weight and bias (channels) or null.
  void (*forward)(const GroupNormShape&, const T* x, const T* weight, const T* bias, T* y, T* mean, T* rstd,
                  double eps);
  // Per image and channel: sums over inner of grad * x and of grad.
  void (*channel_sums)(const GroupNormShape&, const T* grad, const T* x, T* products, T* sums);
  void (*backward)(const GroupNormShape&, const T* grad, const T* x, const T* mean, const T* rstd, const T* weight,
                   const T* products, const T* sums, T* grad_x);
  void (*backward_weights)(const GroupNormShape&, const T* mean, const T* rstd, const T* products, const T* sums,
                           T* grad_weight, T* grad_bias);
};

struct LayerNormKernels {
  LayerNormFunctions<float> layer_f32;
  LayerNormFunctions<double> layer_f64;
  GroupNormFunctions<float> group_f32;
  GroupNormFunctions<double> group_f64;
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(LayerNormKernels, layer_norm)
