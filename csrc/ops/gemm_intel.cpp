#include "ops/gemm_intel.h"

#include <cmath>

#include "kernels/gemm_intel.h"
#include "ops/gemm.h"
#include "ops/scratch.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kGrain = 1 << 15;  // multiplications worth a thread

// f(begin, end) over rows of C, cut at multiples of 16; `work` multiplications a row.
template <class F>
void over_rows(int64_t m, int64_t work, F&& f) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1) / 16);
  parallel_for(0, (m + 15) / 16, grain, [&](int64_t begin, int64_t end) { f(16 * begin, std::min(16 * end, m)); });
}

void vector_product(const GemmArgs<float>& g, const GemmOrder& order) {
  const auto& intel = kernels::gemm_intel();
  const bool avx512 = order.path() == MklPath::IntelAvx512;
  if (g.m == 1 && g.transposed_b) return intel.chain(g, 0, 0, 1);
  if (!g.transposed_a) {
    over_rows(g.m, g.k, [&](int64_t begin, int64_t end) {
      if (avx512) intel.vector_chain16(g, begin, end);
      else intel.chain(g, 0, begin, end);
    });
    return;
  }
  // MKL's order for a strided vector is not known; it is taken as if contiguous.
  GemmArgs<float> dense = g;
  Scratch<float> vector(g.b_k == 1 ? 1 : g.k);
  if (g.b_k != 1) {
    for (int64_t q = 0; q < g.k; ++q) vector.get()[q] = g.b[q * g.b_k];
    dense.b = vector.get(), dense.b_k = 1;
  }
  over_rows(g.m, g.k, [&](int64_t begin, int64_t end) {
    (avx512 ? intel.vector_dots16 : intel.vector_dots8)(dense, begin, end);
  });
}

void dots(const GemmArgs<float>& g, IntelDots kind) {
  const auto& intel = kernels::gemm_intel();
  const auto column = kind == IntelDots::ByQuarters ? intel.dots_by_quarters
                      : kind == IntelDots::ByHalves ? intel.dots_by_halves
                                                    : intel.dots8;
  over_rows(g.m, g.k * g.n, [&](int64_t begin, int64_t end) {
    for (int64_t j = 0; j < g.n; ++j) column(g, j, begin, end);
  });
}

// A rectangle of C at an edge of intel-avx2's tiles.
struct EdgeOrder {
  int unroll;
  bool fused = true;
};

class Tiled {
 public:
  Tiled(const GemmArgs<float>& g, const KBlocks& blocks) : g_(g), blocks_(blocks) {}

  // Rows [i, i_end) and columns [j, j_end) in the ordinary order, or as edges.
  void ordinary(int64_t i, int64_t i_end, int64_t j, int64_t j_end) const {
    if (i < i_end && j < j_end) gemm_ordinary(g_.part(i, i_end - i, j, j_end - j), blocks_);
  }
  void edge(EdgeOrder order, int64_t i, int64_t i_end, int64_t j, int64_t j_end) const {
    if (i >= i_end || j >= j_end) return;
    over_rows(i_end - i, g_.k * (j_end - j), [&](int64_t begin, int64_t end) {
      Scratch<float> panel(even_odd_scratch(g_.k, blocks_));
      kernels::gemm_intel().even_odd(g_.part(i + begin, end - begin, j, j_end - j), blocks_, order.unroll, order.fused,
                                     panel.get());
    });
  }

  // Tiles of 24 x 4. What m leaves is cut in one 16 if it fits, then pairs, then a single row.
  void large() const {
    const int64_t m = g_.m, n = g_.n, fours = n / 4 * 4, last = n - n % 2;
    int64_t whole = m / 24 * 24;
    if (m - whole >= 16) whole += 16;
    const int64_t pairs = whole + (m - whole) / 2 * 2;
    ordinary(0, whole, 0, n);
    edge({.unroll = 4}, whole, pairs, 0, fours);
    ordinary(pairs, m, 0, fours);
    ordinary(whole, m, fours, last);
    edge({.unroll = 4}, whole, m, last, n);
  }

  // m = k = 6 with neither transposed: complete fours of columns are chains, all else is edges.
  void six() const {
    const int64_t fours = g_.n / 4 * 4;
    ordinary(0, g_.m, 0, fours);
    edge({.unroll = 2}, 0, g_.m, fours, g_.n);
  }

  // Tiles of 16 x 6, in stretches of n.
  void small(const IntelTiles& tiles) const {
    const int64_t m = g_.m, n = g_.n, rows = m % 16 && m % 16 <= 8 ? m / 16 * 16 : m;
    int64_t plain = 0;  // the columns from here on belong to high tiles
    const auto high = [&](int64_t end) {
      ordinary(0, rows, plain, end);
      edge({.unroll = 2}, rows, m, plain, end);
    };
    for (int64_t j = 0, end; j < n; j = end) {
      end = j + tiles.next_stretch(n - j);
      const int64_t height = (end - j) % 6;  // of the last tile
      if (height == 0 || height > 3) continue;
      high(end - height);
      edge({.unroll = 2, .fused = height == 3}, 0, m, end - height, end);
      plain = end;
    }
    high(n);
  }

 private:
  GemmArgs<float> g_;
  KBlocks blocks_;
};

void blocked(const GemmArgs<float>& g, const GemmOrder& order, const KBlocks& blocks) {
  if (order.path() != MklPath::IntelAvx2) return gemm_ordinary(g, blocks);
  const IntelTiles tiles = order.tiles(g.shape());
  const Tiled tiled(g, blocks);
  if (tiles.large) tiled.large();
  else if (g.m == 6 && g.k == 6 && !g.transposed_a && !g.transposed_b) tiled.six();
  else tiled.small(tiles);
}

// alpha multiplies the sum of each block, and beta C in one step with adding the first.
void scale_sums(const GemmArgs<float>& g, const GemmOrder& order, const KBlocks& blocks) {
  Scratch<float> sums(g.m * g.n);
  const IntelTiles tiles = order.tiles(g.shape());
  for (int64_t q = 0, k; q < g.k; q += k) {
    k = blocks.next(g.k - q);
    GemmArgs<float> block = g.summands(q, k);
    block.c = sums.get(), block.ldc = g.m, block.alpha = 1, block.accumulate = false;
    blocked(block, order, {.length = k});
    for (int64_t j = 0; j < g.n; ++j) {
      const bool fused = order.path() != MklPath::IntelAvx2 || tiles.is_fused(g.n, j);
      for (int64_t i = 0; i < g.m; ++i) {
        const float sum = g.alpha * sums.get()[i + j * g.m];
        float& c = g.c[i + j * g.ldc];
        if (q == 0 && !g.accumulate) c = sum;
        else if (q > 0 || g.beta == 1.0f) c = c + sum;
        else c = fused ? std::fma(g.beta, c, sum) : g.beta * c + sum;
      }
    }
  }
}

void all_of_k(const GemmArgs<float>& g, const GemmOrder& order) {
  const KBlocks blocks = order.blocks(g.shape());
  const bool plain = g.alpha == 1.0f && (!g.accumulate || g.beta == 1.0f);
  if (plain || order.alpha_on_a(g.shape())) blocked(scale_c(g), order, blocks);
  else scale_sums(g, order, blocks);
}

void halves_of_k(const GemmArgs<float>& g, const GemmOrder& order) {
  const int64_t first = (g.k + 1) / 2;
  all_of_k(g.summands(0, first), order);
  Scratch<float> sums(g.m * g.n);
  GemmArgs<float> second = g.summands(first, g.k - first);
  second.c = sums.get(), second.ldc = g.m, second.accumulate = false;
  all_of_k(second, order);
  for (int64_t j = 0; j < g.n; ++j)
    for (int64_t i = 0; i < g.m; ++i) g.c[i + j * g.ldc] += sums.get()[i + j * g.m];
}

}  // namespace

void gemm_intel(const GemmArgs<float>& g, const GemmOrder& order) {
  if (g.n == 1) return vector_product(scale_c(g), order);
  if (g.k == 1) return kernels::gemm_intel().outer(scale_c(g));
  const IntelDots kind = order.dots(g.shape());
  if (kind != IntelDots::None) return dots(scale_c(g), kind);
  if (order.halves_k(g.shape())) halves_of_k(g, order);
  else all_of_k(g, order);
}

}  // namespace flambeau::ops
