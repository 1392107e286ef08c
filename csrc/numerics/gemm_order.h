// In which order a float32 matrix product adds: what MKL does on the machine that the profile names. Sizes are BLAS's,
// column-major (kernels/gemm.h). Found by probing MKL 2024.0 as PyTorch 2.13.0 ships it. Complete for the usual
// operands on the amd path, on intel-avx512 with one or two threads (but not for A and B both "T"), and on intel-avx2
// with one.
#pragma once

#include <cstdint>

#include "numerics/profile.h"

namespace flambeau {

// How K is cut into blocks.
struct KBlocks {
  int64_t length = 1;            // blocks of this length, then the rest
  bool balanced = false;         // but what is left between one and two lengths is halved, the longer half first
  bool chained = false;          // each block continues the chain, the first one from C: then the cut is no order
  bool from_c = false;           // the first block's chain starts from C

  int64_t next(int64_t left) const {
    if (left <= length) return left;
    return balanced && left < 2 * length ? (left + 1) / 2 : length;
  }
};

// The parts of C that MKL gives to its threads; the last one of each direction is smaller.
struct GemmGrid {
  int64_t m, n;
};

// What the choice of an order looks at.
struct GemmShape {
  bool transposed_a, transposed_b;
  int64_t m, n, k;
  int64_t lda, ldb, ldc;  // from one row or column to the next
};

// How the Intel paths compute a product of few columns with A "T" and B "N": as dot products (kernels/gemm_intel.h).
enum class IntelDots : uint8_t { None, ByQuarters, ByHalves, Eight };

// Tiles of intel-avx2, which decide about its edges: 24 x 4 for large products, 16 x 6 in stretches of n for small
// ones.
struct IntelTiles {
  bool large;
  int64_t stretch;  // of n, in a small product

  int64_t next_stretch(int64_t left) const {
    if (left <= stretch * 3 / 2) return left;
    return left < 2 * stretch ? (left + 1) / 2 : stretch;
  }
  // Columns in a low tile of a small product are not fused with anything.
  bool is_fused(int64_t n, int64_t j) const {
    int64_t length = next_stretch(n);
    for (; j >= length; length = next_stretch(n)) n -= length, j -= length;
    return length - j / 6 * 6 > 2;
  }
};

class GemmOrder {
 public:
  explicit GemmOrder(const Profile& profile, bool one_thread = false);

  MklPath path() const { return path_; }
  KBlocks blocks(const GemmShape& s) const;

  // amd. Small products are not fma chains (kernels/gemm_small.h). A vector (n = 1) never is.
  bool is_small(int64_t m, int64_t n) const { return n == 1 || m < 12 || n < 4; }
  GemmGrid grid(int64_t m, int64_t n, int64_t k) const;

  // Intel. alpha other than 1 multiplies A first, or the sum of each block of K.
  IntelDots dots(const GemmShape& s) const;
  IntelTiles tiles(const GemmShape& s) const;
  bool alpha_on_a(const GemmShape& s) const;
  // Whether each of two threads takes half of K, the first the longer one; then C gets the second's sum as a whole.
  bool halves_k(const GemmShape& s) const;

 private:
  MklPath path_;
  int threads_;
};

}  // namespace flambeau
