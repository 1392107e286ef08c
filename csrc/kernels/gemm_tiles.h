// The inside of a matrix product: tiles of C held in registers, and operands packed for them. Used by gemm.cpp and by
// conv.cpp, which packs pieces of images instead of matrices. Layouts and orders as in gemm.h.
#pragma once

#include "kernels/gemm.h"
#include "kernels/gemm_vector.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

// A tile of C is kVectors registers long (along m, where C is contiguous) and kHeight columns wide (along n):
// 28 of 32 registers with AVX-512, 12 of 16 with AVX2 hold sums.
inline constexpr int kVectors = 2;
#if defined(__AVX512F__)
inline constexpr int kHeight = 14, kHalf = 8, kQuarter = 4;
#else
inline constexpr int kHeight = 6, kHalf = 4, kQuarter = 2;
#endif

enum class Into { Set, Add, Chain };  // what happens to C: replaced, added to, or the start of the chain

// For the block of K that begins at q.
inline Into into_of(const KBlocks& blocks, int64_t q, bool accumulate) {
  if (q == 0 && !accumulate) return Into::Set;
  return blocks.chained || (q == 0 && blocks.from_c) ? Into::Chain : Into::Add;
}

template <class T, int V, int R>
void tile(int64_t k, const T* a, const T* b, T* c, int64_t ldc, Into into) {
  using Vec = typename Vector<T>::type;
  constexpr int L = kLanes<T>;
  Vec sum[R][V];
  if (into == Into::Chain) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sum[r][v] = load(c + r * ldc + v * L);
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sum[r][v] = Vec{};
  }
  for (int64_t q = 0; q < k; ++q, a += V * L, b += R) {
    Vec left[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) left[v] = load(a + v * L);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec right = broadcast(b[r]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sum[r][v] = fma(left[v], right, sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      T* to = c + r * ldc + v * L;
      store(to, into == Into::Add ? load(to) + sum[r][v] : sum[r][v]);
    }
}

template <class T>
using Tile = void (*)(int64_t, const T*, const T*, T*, int64_t, Into);

// The last tiles of a row or column are as small as what is left allows.
inline int height_of(int64_t left) {
  return left >= kHeight ? kHeight : left <= kQuarter ? kQuarter : left <= kHalf ? kHalf : kHeight;
}
template <class T>
int vectors_of(int64_t left) {
  return left > kLanes<T> ? kVectors : 1;
}
template <class T, int V>
Tile<T> tile_of(int height) {
  return height == kHeight ? tile<T, V, kHeight> : height == kHalf ? tile<T, V, kHalf> : tile<T, V, kQuarter>;
}

// Blocks of eight by eight elements, transposed in registers.
typedef float Eight __attribute__((vector_size(32), aligned(4)));
inline void transpose8(const float* from, int64_t stride, float* to, int64_t to_stride) {
  Eight r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = *reinterpret_cast<const Eight*>(from + i * stride);
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + j] = __builtin_shufflevector(s[i + j], s[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + j + 2] = __builtin_shufflevector(s[i + j], s[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int j = 0; j < 4; ++j) {
    const Eight low = __builtin_shufflevector(r[j], r[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    const Eight high = __builtin_shufflevector(r[j], r[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    *reinterpret_cast<Eight*>(to + j * to_stride) = low;
    *reinterpret_cast<Eight*>(to + (j + 4) * to_stride) = high;
  }
}

// One panel: `width` of `full` columns (element (q, l) at from[q * step + l * stride]), as to[q * full + l], the
// missing ones zero.
template <class T>
void pack(const T* from, int64_t step, int64_t stride, int64_t width, int full, int64_t k, T* to) {
  int64_t q = 0;
  if (width == full && stride == 1) {
    for (; q < k; ++q) __builtin_memcpy(to + q * full, from + q * step, full * sizeof(T));
    return;
  }
  if constexpr (sizeof(T) == 4) {
    // The last eight columns may be packed twice in part.
    if (width == full && step == 1 && full >= 8)
      for (; q + 8 <= k; q += 8)
        for (int l = 0; l < full; l += 8) {
          const int at = l + 8 <= full ? l : full - 8;
          transpose8(from + q + at * stride, stride, to + q * full + at, full);
        }
  }
  for (; q < k; ++q) {
    for (int64_t l = 0; l < width; ++l) to[q * full + l] = from[q * step + l * stride];
    for (int64_t l = width; l < full; ++l) to[q * full + l] = T(0);
  }
}

// One tile, by way of a buffer where it reaches over C's edge.
template <class T>
void edge_tile(Tile<T> run, int64_t k, const T* a, const T* b, T* c, int64_t ldc, Into into, int length, int64_t m,
               int64_t n) {
  alignas(64) T buffer[kHeight * kVectors * kLanes<T>];
  if (into == Into::Chain)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) buffer[j * length + i] = c[i + j * ldc];
  run(k, a, b, buffer, length, into == Into::Add ? Into::Set : into);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      T& to = c[i + j * ldc];
      to = into == Into::Add ? to + buffer[j * length + i] : buffer[j * length + i];
    }
}

template <class T>
void multiply_panels(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, int64_t ldc, Into into) {
  for (int64_t i = 0; i < m;) {
    const int vectors = vectors_of<T>(m - i), length = vectors * kLanes<T>;
    const int64_t wide = std::min<int64_t>(length, m - i);
    const T* panel = b;
    for (int64_t j = 0; j < n;) {
      const int height = height_of(n - j);
      const int64_t high = std::min<int64_t>(height, n - j);
      const Tile<T> run = vectors == kVectors ? tile_of<T, kVectors>(height) : tile_of<T, 1>(height);
      if (wide == length && high == height) run(k, a, panel, c + i + j * ldc, ldc, into);
      else edge_tile(run, k, a, panel, c + i + j * ldc, ldc, into, length, wide, high);
      panel += height * k;
      j += high;
    }
    a += length * k;
    i += wide;
  }
}

// Columns [0, n) of B, K elements each, as panels of tile height.
template <class T>
void pack_rows(const T* b, int64_t b_k, int64_t b_n, int64_t n, int64_t k, T* to) {
  for (int64_t j = 0; j < n;) {
    const int height = height_of(n - j);
    const int64_t high = std::min<int64_t>(height, n - j);
    pack(b + j * b_n, b_k, b_n, high, height, k, to);
    to += height * k;
    j += high;
  }
}

}  // namespace
}  // namespace flambeau::FLAMBEAU_ISA
