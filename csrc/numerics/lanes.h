// L logical lanes of one type, and the sums that ATen's vectorised kernels make with them. The compiler maps the lanes
// to whatever registers the build has; L comes from the profile, never from the machine.
// Always inlined: kernels for different instruction sets must not share one copy.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace flambeau {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

template <class T, int L>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * L)));
};
// Two halves: the compiler takes vectors of more than 32 bytes apart element by element where the build lacks them.
template <class T, int L>
struct Halves {
  typename VectorOf<T, L / 2>::type low, high;
};
// As many as 32 bytes hold are a vector, twice as many are two.
template <class T, int L>
using Lanes = std::conditional_t<(sizeof(T) * L > 32), Halves<T, L>, typename VectorOf<T, L>::type>;

template <class T, int L>
FLAMBEAU_INLINE Lanes<T, L> load(const T* p) {
  if constexpr (sizeof(T) * L > 32) {
    return {load<T, L / 2>(p), load<T, L / 2>(p + L / 2)};
  } else {
    Lanes<T, L> v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
}
template <class T, int L>
FLAMBEAU_INLINE Lanes<T, L> spread(T value) {
  if constexpr (sizeof(T) * L > 32) return {spread<T, L / 2>(value), spread<T, L / 2>(value)};
  else return Lanes<T, L>{} + value;
}

template <class T, int L>
FLAMBEAU_INLINE Halves<T, L> operator+(const Halves<T, L>& a, const Halves<T, L>& b) {
  return {a.low + b.low, a.high + b.high};
}
template <class T, int L>
FLAMBEAU_INLINE Halves<T, L> operator*(const Halves<T, L>& a, const Halves<T, L>& b) {
  return {a.low * b.low, a.high * b.high};
}

// b where it is greater, else a; the other also takes b where it is NaN.
template <class V>
FLAMBEAU_INLINE V greater_of(const V& a, const V& b) {
  return b > a ? b : a;
}
template <class T, int L>
FLAMBEAU_INLINE Halves<T, L> greater_of(const Halves<T, L>& a, const Halves<T, L>& b) {
  return {greater_of(a.low, b.low), greater_of(a.high, b.high)};
}
template <class V>
FLAMBEAU_INLINE V greater_or_nan_of(const V& a, const V& b) {
  return (b > a) | (b != b) ? b : a;
}
template <class T, int L>
FLAMBEAU_INLINE Halves<T, L> greater_or_nan_of(const Halves<T, L>& a, const Halves<T, L>& b) {
  return {greater_or_nan_of(a.low, b.low), greater_or_nan_of(a.high, b.high)};
}

FLAMBEAU_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FLAMBEAU_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// The compiler has no operation for fused lanes and does not find one in a loop over them.
template <class V>
FLAMBEAU_INLINE V fused_lanes(V a, V b, V c) {
#if defined(__FMA__)
  if constexpr (sizeof(V) == 32 && sizeof(a[0]) == 4) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  else if constexpr (sizeof(V) == 32) return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i) c[i] = fused(a[i], b[i], c[i]);
  return c;
}

// at::vec::vec_reduce_all of a sum: the upper half onto the lower half, until one is left.
template <int L, class T>
FLAMBEAU_INLINE T sum_by_halves(T (&v)[L]) {
  for (int half = L / 2; half; half /= 2)
    for (int i = 0; i < half; ++i) v[i] = v[i] + v[i + half];
  return v[0];
}
template <class T, int L>
FLAMBEAU_INLINE T horizontal_sum(const Lanes<T, L>& v) {
  T lanes[L];
  std::memcpy(lanes, &v, sizeof v);
  return sum_by_halves(lanes);
}

// at::vec::reduce_all of the sum of n terms. term(i) is one term, vector(i) the L terms from i on, and
// last(sum, i) adds term i to a lane's sum: the terms after the last whole vector go to lanes 0, 1 ... that way
// (the compiler of PyTorch fused some of them). Fewer than L terms are added left to right.
template <class T, int L, class Term, class Vector, class Last>
FLAMBEAU_INLINE T reduce_all(int64_t n, Term term, Vector vector, Last last) {
  if (n < L) {
    T sum = term(0);
    for (int64_t i = 1; i < n; ++i) sum = sum + term(i);
    return sum;
  }
  Lanes<T, L> sums = vector(0);
  int64_t i = L;
  for (; i + L <= n; i += L) sums = sums + vector(i);
  T lanes[L];
  std::memcpy(lanes, &sums, sizeof lanes);
  for (int lane = 0; i < n; ++i, ++lane) lanes[lane] = last(lanes[lane], i);
  return sum_by_halves(lanes);
}

// The same, of n numbers in memory.
template <class T, int L>
FLAMBEAU_INLINE T sum_all(const T* x, int64_t n) {
  return reduce_all<T, L>(
      n, [&](int64_t i) { return x[i]; }, [&](int64_t i) { return load<T, L>(x + i); },
      [&](T sum, int64_t i) { return sum + x[i]; });
}

// Products of two.
template <class T, int L>
FLAMBEAU_INLINE T dot_all(const T* a, const T* b, int64_t n, bool fused_tail) {
  return reduce_all<T, L>(
      n, [&](int64_t i) { return a[i] * b[i]; }, [&](int64_t i) { return load<T, L>(a + i) * load<T, L>(b + i); },
      [&](T sum, int64_t i) { return fused_tail ? fused(a[i], b[i], sum) : sum + a[i] * b[i]; });
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau
