#include "kernels/gemm.h"

#include "kernels/gemm_tiles.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

template <class T>
void pack_a(const GemmArgs<T>& g, int64_t i0, int64_t m, int64_t q0, int64_t k, T* to) {
  for (int64_t i = 0; i < m;) {
    const int length = vectors_of<T>(m - i) * kLanes<T>;
    const int64_t wide = std::min<int64_t>(length, m - i);
    pack(g.a + (i0 + i) * g.a_m + q0 * g.a_k, g.a_k, g.a_m, wide, length, k, to);
    if (g.alpha != T(1))
      for (int64_t e = 0; e < length * k; ++e) to[e] = to[e] * g.alpha;
    to += length * k;
    i += wide;
  }
}

template <class T>
void gemm(const GemmArgs<T>& g, const KBlocks& blocks, T* scratch) {
  for (int64_t i = 0; i < g.m; i += kGemmM) {
    const int64_t m = std::min(kGemmM, g.m - i);
    for (int64_t q = 0, k; q < g.k; q += k) {
      k = blocks.next(g.k - q);
      const Into into = into_of(blocks, q, g.accumulate);
      pack_a(g, i, m, q, k, scratch);
      // A's last panel is padded to whole registers.
      T* packed_b = scratch + (m + kVectors * kLanes<T> - 1) / (kVectors * kLanes<T>)*(kVectors * kLanes<T>)*k;
      for (int64_t j = 0; j < g.n; j += kGemmN) {
        const int64_t n = std::min(kGemmN, g.n - j);
        pack_rows(g.b + j * g.b_n + q * g.b_k, g.b_k, g.b_n, n, k, packed_b);
        multiply_panels(m, n, k, scratch, packed_b, g.c + i + j * g.ldc, g.ldc, into);
      }
    }
  }
}

}  // namespace

const GemmKernels gemm_table = {gemm<float>, gemm<double>};

}  // namespace flambeau::FLAMBEAU_ISA
