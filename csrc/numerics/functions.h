// Elementary functions by element type, for formulas in kernels: float has forms that vectorise, double is the C
// library's unless said. Contracts: as in sleef.h and sleef_power.h; sigmoid within 2 ULP; erf within 1 ULP.
// Always inlined, as all code that kernels of several instruction sets share.
#pragma once

#include <cmath>
#include <type_traits>

#include "numerics/sleef.h"
#include "numerics/sleef_power.h"

namespace flambeau::fn {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

FLAMBEAU_INLINE float exp(float x) { return sleef::exp(x); }
FLAMBEAU_INLINE double exp(double x) { return __builtin_exp(x); }
FLAMBEAU_INLINE float log(float x) { return sleef::log(x); }
FLAMBEAU_INLINE double log(double x) { return __builtin_log(x); }
FLAMBEAU_INLINE float tanh(float x) { return sleef::tanh(x); }
FLAMBEAU_INLINE double tanh(double x) { return __builtin_tanh(x); }
FLAMBEAU_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
FLAMBEAU_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
FLAMBEAU_INLINE float abs(float x) { return __builtin_fabsf(x); }
FLAMBEAU_INLINE double abs(double x) { return __builtin_fabs(x); }
FLAMBEAU_INLINE float floor(float x) { return __builtin_floorf(x); }
FLAMBEAU_INLINE double floor(double x) { return __builtin_floor(x); }
FLAMBEAU_INLINE float ceil(float x) { return __builtin_ceilf(x); }
FLAMBEAU_INLINE double ceil(double x) { return __builtin_ceil(x); }
FLAMBEAU_INLINE float trunc(float x) { return __builtin_truncf(x); }
FLAMBEAU_INLINE double trunc(double x) { return __builtin_trunc(x); }
FLAMBEAU_INLINE float rint(float x) { return __builtin_rintf(x); }
FLAMBEAU_INLINE double rint(double x) { return __builtin_rint(x); }
FLAMBEAU_INLINE float copysign(float x, float y) { return __builtin_copysignf(x, y); }
FLAMBEAU_INLINE double copysign(double x, double y) { return __builtin_copysign(x, y); }
FLAMBEAU_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FLAMBEAU_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

// x * P(x * x) with one polynomial of degree 16 in double up to where erf rounds to 1: Clenshaw's sum of Chebyshev
// polynomials in 2 x * x / 14.75 - 1.
FLAMBEAU_INLINE float erf(float x) {
  // clang-format off
  constexpr double kChebyshev[17] = {
      0x1.ff34385b516bap-2,   -0x1.6347354f1344dp-2,  0x1.43e7b266df825p-3,  -0x1.2808f0018ecd9p-4, 0x1.01ef448bb8735p-5,
      -0x1.a54867689d675p-7,  0x1.4075f3f46fad1p-8,   -0x1.c567faa32ce00p-10, 0x1.2a814d5e3c52dp-11,
      -0x1.6e76114b550ccp-13, 0x1.a4792550e5ffbp-15,  -0x1.c41812a64419ap-17, 0x1.c8ca9fa0b771fp-19,
      -0x1.b2b1116792403p-21, 0x1.86d157d159794p-23,  -0x1.4852689e33c34p-25, 0x1.f2f6897414ff4p-28};
  // clang-format on
  const float size = abs(x);
  const double t = size < 3.8325059f ? size : 0.0;
  const double s = 2 * (t * t) / 14.75 - 1;
  double before = 0, sum = 0;
#pragma GCC unroll 16
  for (int j = 16; j > 0; --j) {
    const double next = 2 * s * sum - before + kChebyshev[j];
    before = sum;
    sum = next;
  }
  const float inside = float(t * (s * sum - before + kChebyshev[0]));
  const float y = size < 3.8325059f ? inside : size == size ? 1.0f : size;
  return copysign(y, x);
}
FLAMBEAU_INLINE double erf(double x) { return __builtin_erf(x); }

#define FLAMBEAU_SLEEF(name)                                     \
  FLAMBEAU_INLINE float name(float x) { return sleef::name(x); } \
  FLAMBEAU_INLINE double name(double x) { return std::name(x); }
FLAMBEAU_SLEEF(exp2)
FLAMBEAU_SLEEF(expm1)
FLAMBEAU_SLEEF(log1p)
FLAMBEAU_SLEEF(sinh)
FLAMBEAU_SLEEF(cosh)
FLAMBEAU_SLEEF(atanh)
#undef FLAMBEAU_SLEEF
FLAMBEAU_INLINE float pow(float x, float y) { return sleef::pow(x, y); }
FLAMBEAU_INLINE double pow(double x, double y) { return std::pow(x, y); }
FLAMBEAU_INLINE float atan2(float y, float x) { return sleef::atan2(y, x); }
FLAMBEAU_INLINE double atan2(double y, double x) { return std::atan2(y, x); }

// The elementary functions a formula is made of, where PyTorch has two: in its vectors, and for single elements.
// clang-format off
#define FLAMBEAU_ELEMENTARY(_, space)                                                                               \
  _(space, exp) _(space, exp2) _(space, expm1) _(space, log1p) _(space, tanh) _(space, sinh) _(space, cosh)        \
  _(space, atanh) _(space, pow) _(space, atan2)
// clang-format on
#define FLAMBEAU_FORWARD(space, name) \
  template <class... T>               \
  FLAMBEAU_INLINE auto name(T... x) { \
    return space::name(x...);         \
  }
struct Vector {
  FLAMBEAU_ELEMENTARY(FLAMBEAU_FORWARD, fn)
};
struct Library {
  FLAMBEAU_ELEMENTARY(FLAMBEAU_FORWARD, std)
};
#undef FLAMBEAU_ELEMENTARY
#undef FLAMBEAU_FORWARD

template <class M, class T>
FLAMBEAU_INLINE T sigmoid(T x) {
  return T(1) / (T(1) + M::exp(T(0) - x));
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::fn
