// Matrix products of few rows or columns, and dot products, as MKL computes them on AMD machines: each product is
// rounded before it is added. Some orders depend on where an operand lies modulo 16 bytes. float32 only.
// Sizes and layouts are BLAS's (kernels/gemm.h); "T" means that A's or B's rows are the contiguous ones.
#pragma once

#include "kernels/gemm.h"

namespace flambeau {

struct GemmSmallKernels {
  // One column of C for A "N": chains over k, from C when accumulating; b may be strided. c must be the whole
  // column, of which [begin, end) is computed.
  void (*chain)(const GemmArgs<float>&, int64_t column, int64_t begin, int64_t end);
  // Rows [begin, end) of a column for A "T", B "N": dot products of four lanes; begin is a multiple of four.
  void (*dots)(const GemmArgs<float>&, int64_t column, int64_t begin, int64_t end);
  // The same where C is one column (gemv), begin a multiple of four.
  void (*vector_dots)(const GemmArgs<float>&, int64_t begin, int64_t end);
  // A and B "T": plain chains from zero, then added to C.
  void (*strided)(const GemmArgs<float>&, int64_t column);
  // The dot product of two contiguous vectors.
  float (*dot)(const float* x, const float* y, int64_t k);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(GemmSmallKernels, gemm_small)
