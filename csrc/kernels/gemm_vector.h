// Registers for the tiles of gemm.cpp: as wide as the instruction set has them, since no lane meets another.
#pragma once

#include <cmath>
#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace flambeau::FLAMBEAU_ISA {
namespace {

#if defined(__AVX512F__)
using VecF32 = __m512;
using VecF64 = __m512d;
inline VecF32 load(const float* p) { return _mm512_loadu_ps(p); }
inline VecF64 load(const double* p) { return _mm512_loadu_pd(p); }
inline void store(float* p, VecF32 v) { _mm512_storeu_ps(p, v); }
inline void store(double* p, VecF64 v) { _mm512_storeu_pd(p, v); }
inline VecF32 broadcast(float x) { return _mm512_set1_ps(x); }
inline VecF64 broadcast(double x) { return _mm512_set1_pd(x); }
inline VecF32 fma(VecF32 a, VecF32 b, VecF32 c) { return _mm512_fmadd_ps(a, b, c); }
inline VecF64 fma(VecF64 a, VecF64 b, VecF64 c) { return _mm512_fmadd_pd(a, b, c); }
#elif defined(__AVX2__) && defined(__FMA__)
using VecF32 = __m256;
using VecF64 = __m256d;
inline VecF32 load(const float* p) { return _mm256_loadu_ps(p); }
inline VecF64 load(const double* p) { return _mm256_loadu_pd(p); }
inline void store(float* p, VecF32 v) { _mm256_storeu_ps(p, v); }
inline void store(double* p, VecF64 v) { _mm256_storeu_pd(p, v); }
inline VecF32 broadcast(float x) { return _mm256_set1_ps(x); }
inline VecF64 broadcast(double x) { return _mm256_set1_pd(x); }
inline VecF32 fma(VecF32 a, VecF32 b, VecF32 c) { return _mm256_fmadd_ps(a, b, c); }
inline VecF64 fma(VecF64 a, VecF64 b, VecF64 c) { return _mm256_fmadd_pd(a, b, c); }
#else
typedef float VecF32 __attribute__((vector_size(16)));
typedef double VecF64 __attribute__((vector_size(16)));
inline VecF32 load(const float* p) { return VecF32{p[0], p[1], p[2], p[3]}; }
inline VecF64 load(const double* p) { return VecF64{p[0], p[1]}; }
inline void store(float* p, VecF32 v) {
  for (int i = 0; i < 4; ++i) p[i] = v[i];
}
inline void store(double* p, VecF64 v) {
  for (int i = 0; i < 2; ++i) p[i] = v[i];
}
inline VecF32 broadcast(float x) { return VecF32{x, x, x, x}; }
inline VecF64 broadcast(double x) { return VecF64{x, x}; }
inline VecF32 fma(VecF32 a, VecF32 b, VecF32 c) {
  for (int i = 0; i < 4; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
inline VecF64 fma(VecF64 a, VecF64 b, VecF64 c) {
  for (int i = 0; i < 2; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
#endif

template <class T>
struct Vector;
template <>
struct Vector<float> {
  using type = VecF32;
};
template <>
struct Vector<double> {
  using type = VecF64;
};
template <class T>
inline constexpr int kLanes = sizeof(typename Vector<T>::type) / sizeof(T);

}  // namespace
}  // namespace flambeau::FLAMBEAU_ISA
