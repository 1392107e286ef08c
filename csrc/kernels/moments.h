// Running moments and norms of strided elements, in order: what binary_kernel_reduce does one element at a time
// (native/SharedReduceOps.h, native/cpu/ReduceOpsKernel.cpp, std_var_all_cpu in native/ReduceOps.cpp).
#pragma once

#include <cstdint>

#include "kernels/reduce.h"

namespace flambeau {

// Welford's mean and sum of squared distances, in double for floats, too.
struct Welford {
  double mean = 0, m2 = 0;
  int64_t n = 0;
  double count = 0;  // n, or the sum of counts after parts were joined
};

// Eight of them side by side, over elements `lane` apart: the same steps, less waiting for divisions.
struct WelfordLanes {
  static constexpr int kLanes = 8;
  double mean[kLanes] = {}, m2[kLanes] = {};
  int64_t n = 0;
};

enum class NormKind { Zero, One, Two, Largest, Smallest, Power };

struct MomentKernels {
  void (*welford[2])(Welford& acc, const void* in, const ReduceShape& shape);  // float, double
  void (*welford_lanes[2])(WelfordLanes& acc, const void* in, int64_t lane, const ReduceShape& shape);
  double (*squares[2])(const void* in, const ReduceShape& shape, double mean);  // sum of (x - mean)^2
  void (*norm[2])(void* acc, const void* in, const ReduceShape& shape, NormKind kind, double p);
  // 2-norm of n adjacent elements: a vector of partial sums (eight floats, four doubles) from left to right, then the
  // tail; a tail of four or more starts unfused because PyTorch's compiler vectorised it. `fused` is false for
  // PyTorch's build without AVX2.
  void (*norm_two[2])(void* out, const void* in, int64_t n, bool fused);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(MomentKernels, moments)
