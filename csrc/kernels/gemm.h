// Matrix products in the ordinary order: within a block of K, one fma chain over rising k for every element, from
// zero; block sums added to C one after the other. Tiles, packing and cache blocking decide nothing but the time.
//
// As BLAS sees it, column-major: C (m, n) = alpha A (m, k) B (k, n), with C(i, j) at c[i + j * ldc] and any strides
// for A and B. A row-major product X Y is C^T = Y^T X^T: A is Y and B is X.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/isa.h"
#include "numerics/gemm_order.h"

namespace flambeau {

template <class T>
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_m = 0, a_k = 0;      // strides of A
  const T* b = nullptr;
  int64_t b_k = 0, b_n = 0;      // strides of B
  T* c = nullptr;
  int64_t ldc = 0;
  T alpha = 1;                   // multiplies A's elements first, each rounded
  bool accumulate = false;       // add to C instead of setting it
  T beta = 1;                    // multiplies C before that; gemm() of float32 alone looks at it (ops/gemm.h)
  // What BLAS is told: whose rows are the contiguous ones. Not always to be seen from the strides of a vector, and
  // meant for the choice of an order only.
  bool transposed_a = false, transposed_b = false;

  GemmShape shape() const {
    return {transposed_a, transposed_b, m, n, k, transposed_a ? a_m : a_k, transposed_b ? b_k : b_n, ldc};
  }
  // The product that gives C's rows from i on, at most `rows`, and columns from j on, at most `columns`.
  GemmArgs part(int64_t i, int64_t rows, int64_t j, int64_t columns) const {
    GemmArgs p = *this;
    p.m = std::min(rows, m - i);
    p.n = std::min(columns, n - j);
    p.a += i * a_m;
    p.b += j * b_n;
    p.c += i + j * ldc;
    return p;
  }
  // The summands of k from q on, `count` of them.
  GemmArgs summands(int64_t q, int64_t count) const {
    GemmArgs p = *this;
    p.a += q * a_k;
    p.b += q * b_k;
    p.k = count;
    return p;
  }
};

// Blocks of A and B kept packed: A's (kGemmM x K block) in the last cache, B's (kGemmN x K block) in the second.
// kGemmN is a multiple of every tile height.
inline constexpr int64_t kGemmM = 1024, kGemmN = 336;
inline int64_t gemm_scratch(int64_t m, int64_t n, int64_t k, const KBlocks& blocks) {  // in elements
  return (std::min(m, kGemmM) + std::min(n, kGemmN) + 64) * std::min(k, blocks.length);
}

struct GemmKernels {
  // scratch: gemm_scratch elements, 64-byte aligned
  void (*f32)(const GemmArgs<float>&, const KBlocks&, float* scratch);
  void (*f64)(const GemmArgs<double>&, const KBlocks&, double* scratch);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(GemmKernels, gemm)
