// What MKL does on Intel processors besides chains: products of few rows or columns, matrix times vector, a single k,
// dot products, and the tiles at the edges of a product without AVX-512. float32 only. Products are fused with the
// sums they are added to unless it says otherwise; no order depends on addresses.
// Sizes and layouts are BLAS's (kernels/gemm.h); "T" means that A's or B's rows are the contiguous ones.
#pragma once

#include "kernels/gemm.h"

namespace flambeau {

struct GemmIntelKernels {
  using Rows = void (*)(const GemmArgs<float>&, int64_t begin, int64_t end);  // rows of C, which is one column
  using Column = void (*)(const GemmArgs<float>&, int64_t column, int64_t begin, int64_t end);

  // A "T", B "N": dot products. 16 lanes, added by quarters or by halves (even columns: two sums in turn); 8 lanes.
  Column dots_by_quarters, dots_by_halves, dots8;
  // C is one column. A "T", with 16 and with 8 lanes; A "N" with AVX-512. begin is a multiple of 16.
  Rows vector_dots16, vector_dots8, vector_chain16;
  // One chain an element, from C when accumulating; A's and B's strides may be any.
  Column chain;
  // k = 1, any strides: fused with C.
  void (*outer)(const GemmArgs<float>&);
  // Blocks of K as in the ordinary order, but each block is a chain of its even k plus a chain of its odd k, over the
  // largest multiple of `unroll` in the block, and the rest of it chained on. panel: even_odd_scratch elements.
  void (*even_odd)(const GemmArgs<float>&, const KBlocks&, int unroll, bool fused, float* panel);
  // The dot product of two contiguous vectors, with and without AVX-512.
  float (*dot64)(const float* x, const float* y, int64_t k);
  float (*dot32)(const float* x, const float* y, int64_t k);
};

inline constexpr int64_t kEvenOddRows = 8;
inline int64_t even_odd_scratch(int64_t k, const KBlocks& blocks) { return kEvenOddRows * std::min(k, blocks.length); }

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(GemmIntelKernels, gemm_intel)
