// Two-dimensional inner loops of reductions: out[i*out0 + j*out1] gains in[i*in0 + j*in1], i the fast index. At least
// one out stride is 0 along a reduced level. `out` holds the identity or what earlier loops left there.
// sum is PyTorch's cascade (native/cpu/SumKernel.cpp); the others follow binary_kernel_reduce_vec
// (native/cpu/Reduce.h). Vectors are 32 bytes wide in every PyTorch build on x86: eight floats, four doubles.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

struct ReduceShape {
  int64_t size0, size1;  // of the fast and the slow index
  int64_t out0, out1;    // strides in elements
  int64_t in0, in1;
};
using ReduceLoop = void (*)(void* out, const void* in, const ReduceShape& shape);

struct ReduceKernels {
  ReduceLoop sum[3], prod[3], max[3], min[3];  // float, double, int64; max and min let NaN win
  ReduceLoop any, all;                         // of bytes that are 0 or 1
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(ReduceKernels, reduce)
