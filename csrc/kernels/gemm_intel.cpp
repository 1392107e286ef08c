#include "kernels/gemm_intel.h"

#include "numerics/lanes.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

using Eight = Lanes<float, 8>;

inline Eight load8(const float* p) { return load<float, 8>(p); }
inline Eight all(float x) { return Eight{x, x, x, x, x, x, x, x}; }

inline void put(const GemmArgs<float>& g, int64_t i, int64_t j, float sum) {
  float& c = g.c[i + j * g.ldc];
  c = g.accumulate ? fused(g.alpha, sum, c) : g.alpha * sum;
}

// Whole steps of N registers from q on, for R rows; returns where they end.
template <int R, int N>
inline int64_t add_whole(const float* a, int64_t stride, const float* x, int64_t q, int64_t k, Eight (&v)[R][N]) {
  for (; q + 8 * N <= k; q += 8 * N)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      const Eight right = load8(x + q + 8 * n);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) v[r][n] = fused_lanes(load8(a + r * stride + q + 8 * n), right, v[r][n]);
    }
  return q;
}

// What is left, into lanes 0, 1 ...
inline void add_rest(const float* a, const float* x, int64_t q, int64_t k, Eight* v) {
  for (int64_t l = 0; q + l < k; ++l) v[l / 8][l % 8] = fused(a[q + l], x[q + l], v[l / 8][l % 8]);
}

inline float by_halves(const Eight& low, const Eight& high) { return horizontal_sum<float, 8>(low + high); }

inline float by_pairs(const Eight& l) { return ((l[0] + l[1]) + (l[4] + l[5])) + ((l[2] + l[3]) + (l[6] + l[7])); }

inline float by_quarters(const Eight (&v)[2]) {
  float s[4];
  for (int c = 0; c < 4; ++c) s[c] = ((v[0][c] + v[0][c + 4]) + v[1][c]) + v[1][c + 4];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

template <int R>
void rows_by_quarters(const GemmArgs<float>& g, int64_t i, int64_t j) {
  const float* a = g.a + i * g.a_m;
  const float* x = g.b + j * g.b_n;
  Eight v[R][2] = {};
  const int64_t q = add_whole(a, g.a_m, x, 0, g.k, v);
  for (int r = 0; r < R; ++r) {
    add_rest(a + r * g.a_m, x, q, g.k, v[r]);
    put(g, i + r, j, by_quarters(v[r]));
  }
}

void dots_by_quarters(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  int64_t i = begin;
  for (; i + 4 <= end; i += 4) rows_by_quarters<4>(g, i, j);
  for (; i < end; ++i) rows_by_quarters<1>(g, i, j);
}

// Two sums in turn while there are 32, if asked for, then one.
float dot_by_halves(const float* a, const float* x, int64_t q, int64_t k, bool two) {
  Eight v[1][2] = {};
  if (two) {
    Eight wide[1][4] = {};
    q = add_whole(a, 0, x, q, k, wide);
    for (int n = 0; n < 2; ++n) v[0][n] = wide[0][n] + wide[0][n + 2];
  }
  q = add_whole(a, 0, x, q, k, v);
  add_rest(a, x, q, k, v[0]);
  return by_halves(v[0][0], v[0][1]);
}

void dots_by_halves(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    put(g, i, j, dot_by_halves(g.a + i * g.a_m, g.b + j * g.b_n, 0, g.k, j % 2 == 0));
}

// Even columns: fused, 16 at a time; odd ones: rounded products, 8 at a time. What is left of 16: eight rounded
// products (not in the last of an odd number of columns), then one after the other.
float dot8(const float* a, const float* x, int64_t k, bool even, bool last_single) {
  const int64_t whole = k / 16 * 16;
  int64_t q = 0;
  Eight v[1][2] = {};
  if (even) q = add_whole(a, 0, x, 0, whole, v);
  else
    for (; q < whole; q += 8) v[0][0] = v[0][0] + load8(a + q) * load8(x + q);
  float sum = even ? by_halves(v[0][0], v[0][1]) : horizontal_sum<float, 8>(v[0][0]);
  if (q + 8 <= k && !last_single) {
    sum = horizontal_sum<float, 8>(Eight{sum} + load8(a + q) * load8(x + q));
    q += 8;
  }
  for (; q < k; ++q) sum = sum + a[q] * x[q];
  return sum;
}

void dots8(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  const bool last_single = g.n % 2 == 1 && j == g.n - 1;
  for (int64_t i = begin; i < end; ++i)
    put(g, i, j, dot8(g.a + i * g.a_m, g.b + j * g.b_n, g.k, j % 2 == 0, last_single));
}

// Rows in complete fours: the first product is the start of lane 0; what is left is added to the sum of the lanes in
// as few lanes as hold it.
void four_rows(const float* a, int64_t stride, const float* x, int64_t k, float (&out)[4]) {
  Eight v[4][2] = {};
  for (int r = 0; r < 4; ++r) v[r][0][0] = a[r * stride] * x[0];
  const int64_t q = add_whole(a, stride, x, 1, k, v), left = k - q;
  for (int r = 0; r < 4; ++r) {
    float sum = q > 1 ? by_halves(v[r][0], v[r][1]) : v[r][0][0];
    if (left > 0) {
      Eight rest[2] = {Eight{sum}};
      add_rest(a + r * stride, x, q, k, rest);
      if (left > 8) sum = by_halves(rest[0], rest[1]);
      else if (left > 4) sum = horizontal_sum<float, 8>(rest[0]);
      else sum = (rest[0][0] + rest[0][2]) + (rest[0][1] + rest[0][3]);
    }
    out[r] = sum;
  }
}

void vector_dots16(const GemmArgs<float>& g, int64_t begin, int64_t end) {
  const int64_t whole = g.m / 4 * 4;
  int64_t i = begin;
  for (; i < std::min(whole, end); i += 4) {
    float out[4];
    four_rows(g.a + i * g.a_m, g.a_m, g.b, g.k, out);
    for (int r = 0; r < 4; ++r) put(g, i + r, 0, out[r]);
  }
  for (; i < end; ++i) {
    const float* a = g.a + i * g.a_m;
    put(g, i, 0, dot_by_halves(a, g.b, 1, g.k, (i - whole) % 2 == 0) + a[0] * g.b[0]);
  }
}

template <int R>
void rows8(const GemmArgs<float>& g, int64_t i) {
  const float* a = g.a + i * g.a_m;
  Eight v[R][1] = {};
  const int64_t q = add_whole(a, g.a_m, g.b, 0, g.k, v);
  for (int r = 0; r < R; ++r) {
    add_rest(a + r * g.a_m, g.b, q, g.k, v[r]);
    put(g, i + r, 0, by_pairs(v[r][0]));
  }
}

void vector_dots8(const GemmArgs<float>& g, int64_t begin, int64_t end) {
  int64_t i = begin;
  for (; i + 4 <= end; i += 4) rows8<4>(g, i);
  for (; i < end; ++i) rows8<1>(g, i);
}

void chain(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  constexpr int64_t kStep = 512;  // sums kept in the first cache
  for (int64_t i0 = begin; i0 < end; i0 += kStep) {
    const int64_t count = std::min(kStep, end - i0);
    float* __restrict to = g.c + i0 + j * g.ldc;
    if (!g.accumulate)
      for (int64_t i = 0; i < count; ++i) to[i] = 0.0f;
    const float* a = g.a + i0 * g.a_m;
    for (int64_t q = 0; q < g.k; ++q, a += g.a_k) {
      const float b = g.b[q * g.b_k + j * g.b_n] * g.alpha;
      if (g.a_m == 1)
        for (int64_t i = 0; i < count; ++i) to[i] = fused(a[i], b, to[i]);
      else
        for (int64_t i = 0; i < count; ++i) to[i] = fused(a[i * g.a_m], b, to[i]);
    }
  }
}

// Eight k at a time for rows in complete sixteens; the products' places in these eight are MKL's.
void vector_chain16(const GemmArgs<float>& g, int64_t begin, int64_t end) {
  constexpr int64_t kStep = 512;
  const int64_t whole = std::min(g.m / 16 * 16, end), eights = g.k / 8 * 8;
  for (int64_t i0 = begin; i0 < whole; i0 += kStep) {
    const int64_t count = std::min(kStep, whole - i0);
    float* to = g.c + i0;
    if (!g.accumulate)
      for (int64_t i = 0; i < count; ++i) to[i] = 0.0f;
    for (int64_t q = 0; q < eights; q += 8) {
      Eight b[8];
      for (int e = 0; e < 8; ++e) b[e] = all(g.b[(q + e) * g.b_k] * g.alpha);
      const float* a = g.a + i0 + q * g.a_k;
      for (int64_t i = 0; i < count; i += 8) {
        const auto at = [&](int e) { return load8(a + i + e * g.a_k); };
        const auto two = [&](int first, int second) {
          return fused_lanes(at(first), b[first], at(second) * b[second]);
        };
        Eight c = fused_lanes(at(6), b[6], load8(to + i));
        c = fused_lanes(at(4), b[4], c);
        c = c + two(5, 7);
        c = c + (two(0, 2) + two(1, 3));
        __builtin_memcpy(to + i, &c, sizeof c);
      }
    }
  }
  GemmArgs<float> rest = g;
  rest.a += eights * g.a_k, rest.b += eights * g.b_k, rest.k -= eights;
  rest.accumulate = true;
  if (begin < whole) chain(rest, 0, begin, whole);
  if (whole < end) chain(g, 0, std::max(begin, whole), end);
}

void outer(const GemmArgs<float>& g) {
  for (int64_t j = 0; j < g.n; ++j) {
    const float b = g.b[j * g.b_n] * g.alpha;
    float* c = g.c + j * g.ldc;
    if (g.accumulate)
      for (int64_t i = 0; i < g.m; ++i) c[i] = fused(g.a[i * g.a_m], b, c[i]);
    else
      for (int64_t i = 0; i < g.m; ++i) c[i] = g.a[i * g.a_m] * b;
  }
}

template <bool Fused>
inline Eight step(Eight a, Eight b, Eight c) {
  if constexpr (Fused) return fused_lanes(a, b, c);
  else return c + a * b;
}

// One block of R columns of C, eight rows; panel[q * 8 + row].
template <int R, bool Fused>
inline void even_odd_columns(const float* panel, int64_t k, int unroll, const float* b, int64_t b_k, int64_t b_n,
                             Eight (&sum)[R]) {
  Eight even[R] = {}, odd[R] = {};
  const int64_t whole = k / unroll * unroll;
  int64_t q = 0;
  for (; q < whole; q += 2) {
    const Eight first = load8(panel + q * 8), second = load8(panel + q * 8 + 8);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      even[r] = step<Fused>(first, all(b[q * b_k + r * b_n]), even[r]);
      odd[r] = step<Fused>(second, all(b[(q + 1) * b_k + r * b_n]), odd[r]);
    }
  }
  for (int r = 0; r < R; ++r) sum[r] = even[r] + odd[r];
  for (; q < k; ++q)
    for (int r = 0; r < R; ++r) sum[r] = step<Fused>(load8(panel + q * 8), all(b[q * b_k + r * b_n]), sum[r]);
}

template <bool Fused>
void even_odd_block(const GemmArgs<float>& g, int64_t q, int64_t k, int unroll, int64_t i, int64_t rows, bool add,
                    const float* panel) {
  const auto columns = [&]<int R>(int64_t j) {
    Eight sum[R];
    even_odd_columns<R, Fused>(panel, k, unroll, g.b + q * g.b_k + j * g.b_n, g.b_k, g.b_n, sum);
    for (int r = 0; r < R; ++r)
      for (int64_t l = 0; l < rows; ++l) {
        float& c = g.c[i + l + (j + r) * g.ldc];
        c = add ? c + sum[r][l] : sum[r][l];
      }
  };
  int64_t j = 0;
  for (; j + 4 <= g.n; j += 4) columns.template operator()<4>(j);
  for (; j < g.n; ++j) columns.template operator()<1>(j);
}

void even_odd(const GemmArgs<float>& g, const KBlocks& blocks, int unroll, bool fused, float* panel) {
  for (int64_t i = 0; i < g.m; i += kEvenOddRows) {
    const int64_t rows = std::min(kEvenOddRows, g.m - i);
    for (int64_t q = 0, k; q < g.k; q += k) {
      k = blocks.next(g.k - q);
      const float* a = g.a + i * g.a_m + q * g.a_k;
      for (int64_t e = 0; e < k; ++e)
        for (int64_t l = 0; l < kEvenOddRows; ++l)
          panel[e * kEvenOddRows + l] = l < rows ? a[l * g.a_m + e * g.a_k] * g.alpha : 0.0f;
      const bool add = q > 0 || g.accumulate;
      (fused ? even_odd_block<true> : even_odd_block<false>)(g, q, k, unroll, i, rows, add, panel);
    }
  }
}

// N registers at a time, then half and a quarter of them, and what is left in the first ones.
template <int N>
inline void dot_lanes(const float* x, const float* y, int64_t k, Eight (&v)[1][N]) {
  int64_t q = add_whole(x, 0, y, 0, k, v);
  for (const int left : {N / 2, N / 4})
    if (q + 8 * left <= k) {
      for (int n = 0; n < left; ++n) v[0][n] = fused_lanes(load8(x + q + 8 * n), load8(y + q + 8 * n), v[0][n]);
      q += 8 * left;
    }
  add_rest(x, y, q, k, v[0]);
}

float dot64(const float* x, const float* y, int64_t k) {
  Eight v[1][8] = {}, w[2];
  dot_lanes(x, y, k, v);
  for (int n = 0; n < 2; ++n) w[n] = (v[0][n] + v[0][n + 2]) + (v[0][n + 4] + v[0][n + 6]);
  const Eight s = w[0] + w[1];
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

float dot32(const float* x, const float* y, int64_t k) {
  Eight v[1][4] = {};
  dot_lanes(x, y, k, v);
  return by_pairs((v[0][0] + v[0][1]) + (v[0][2] + v[0][3]));
}

}  // namespace

const GemmIntelKernels gemm_intel_table = {dots_by_quarters, dots_by_halves, dots8, vector_dots16,
                                           vector_dots8,     vector_chain16, chain, outer,
                                           even_odd,         dot64,          dot32};

}  // namespace flambeau::FLAMBEAU_ISA
