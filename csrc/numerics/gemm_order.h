// In which order a float32 matrix product adds: what MKL does on the machine that the profile names. Sizes are BLAS's,
// column-major (kernels/gemm.h). Found by probing MKL 2024.0 as PyTorch 2.13.0 ships it; the amd path is complete for
// the usual operands, the Intel paths have their blocks of K but not yet their orders for small sizes.
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

class GemmOrder {
 public:
  explicit GemmOrder(const Profile& profile, bool one_thread = false);

  // Small products are not fma chains (kernels/gemm_small.h). A vector (n = 1) never is.
  bool is_small(int64_t m, int64_t n) const;
  KBlocks blocks(bool transposed_a, bool transposed_b, int64_t m, int64_t n, int64_t k) const;
  GemmGrid grid(int64_t m, int64_t n, int64_t k) const;

 private:
  MklPath path_;
  int threads_;
};

}  // namespace flambeau
