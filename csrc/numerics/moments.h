// Mean and variance of a row as ATen's RowwiseMoments computes them (native/cpu/moments_utils.h): Welford's update a
// lane, merged pairwise in blocks of 16 vectors; in its AVX2 build, which all capabilities above DEFAULT run.
// Always inlined: kernels for different instruction sets must not share one copy.
#pragma once

#include "numerics/lanes.h"

namespace flambeau {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

// at::native::utils::CeilLog2: 1 for 2 and less.
FLAMBEAU_INLINE int ceil_log2(int64_t x) { return x <= 2 ? 1 : 64 - __builtin_clzll(uint64_t(x) - 1); }

FLAMBEAU_INLINE float square_root(float x) { return __builtin_sqrtf(x); }
FLAMBEAU_INLINE double square_root(double x) { return __builtin_sqrt(x); }

// count values a lane so far: their mean and the sum of squared distances from it
template <class T, int L>
struct Moments {
  int64_t count = 0;
  Lanes<T, L> mean = spread<T, L>(0), squares = spread<T, L>(0);
};

template <class T, int L>
FLAMBEAU_INLINE void merge(const Moments<T, L>& from, Moments<T, L>& into) {
  const int64_t n = into.count + from.count;
  const T share = n == 0 ? T(0) : T(from.count) / T(n);
  const Lanes<T, L> delta = from.mean - into.mean, step = spread<T, L>(share) * delta;
  into.squares = fused_lanes(delta * spread<T, L>(T(into.count)), step, into.squares + from.squares);
  into.mean = into.mean + step;
  into.count = n;
}

// x has n elements; L is ATen's lane count (8 of float, 4 of double).
template <class T, int L>
FLAMBEAU_INLINE void row_moments(const T* x, int64_t n, T& mean, T& variance) {
  constexpr int64_t kBlock = 16;
  constexpr int kLevels = 40;
  const int64_t vectors = n / L, blocks = (vectors + kBlock - 1) / kBlock;
  const int depth = ceil_log2(blocks);
  Moments<T, L> level[kLevels];
  for (int64_t b = 0; b < blocks; ++b) {
    const T* p = x + b * kBlock * L;
    const int64_t count = vectors - b * kBlock < kBlock ? vectors - b * kBlock : kBlock;
    Moments<T, L> block;
    block.count = count;
    for (int64_t j = 0; j < count; ++j) {
      const Lanes<T, L> v = load<T, L>(p + j * L), delta = v - block.mean;
      const T share = T(1) / T(j + 1);
      block.mean = fused_lanes(spread<T, L>(share), delta, block.mean);
      block.squares = fused_lanes(delta, v - block.mean, block.squares);
    }
    merge(block, level[0]);
    int64_t mask = b + 1;
    for (int j = 1; j < depth && !(mask & 1); ++j, mask >>= 1) {
      merge(level[j - 1], level[j]);
      level[j - 1] = Moments<T, L>();
    }
  }
  for (int j = 1; j < depth; ++j) merge(level[j], level[0]);

  int64_t count = 0;
  T m = 0, squares = 0;
  for (int64_t i = vectors * L; i < n; ++i) {
    const T delta = x[i] - m;
    ++count;
    m = m + delta / T(count);
    squares = squares + delta * (x[i] - m);
  }
  T means[L], lane_squares[L];
  std::memcpy(means, &level[0].mean, sizeof means);
  std::memcpy(lane_squares, &level[0].squares, sizeof lane_squares);
  for (int lane = 0; lane < L; ++lane) {
    const int64_t total = count + vectors;
    const T share = total == 0 ? T(0) : T(vectors) / T(total), delta = means[lane] - m;
    m = fused(share, delta, m);
    squares = squares + fused(delta * delta * share, T(count), lane_squares[lane]);
    count = total;
  }
  mean = m;
  variance = squares / T(n);
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau
