// exp and log of float32 as ATen's vectorised kernels compute them on AVX2 and AVX-512: Sleef 3's Sleef_expf*_u10 and
// Sleef_logf*_u10 in their FMA form, every operation spelled out. Written for one value; loops over them vectorise.
// Contract: the same bits as Sleef for every float (NaN payloads aside); at most 1 ULP from the true value.
// Always inlined: kernels for different instruction sets must not share one copy.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace flambeau::sleef {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

FLAMBEAU_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

FLAMBEAU_INLINE float power_of_two(int32_t q) { return std::bit_cast<float>(uint32_t(q + 127) << 23); }
// d * 2^q in two steps, so that results below the normal range are met by one rounding.
FLAMBEAU_INLINE float scale(float d, int32_t q) {
  const int32_t half = q >> 1;
  return d * power_of_two(half) * power_of_two(q - half);
}

FLAMBEAU_INLINE float exp(float d) {
  // Clamped so that the conversion to int is defined; the ends are set below.
  const float inside = d < -105.0f ? -105.0f : d > 105.0f ? 105.0f : d == d ? d : 0.0f;
  const float rounded = __builtin_rintf(inside * 1.442695040888963407359924681001892137426645954152985934135449406931f);
  const int32_t q = int32_t(rounded);
  float s = fma(rounded, -0.693145751953125f, inside);
  s = fma(rounded, -1.428606765330187045e-06f, s);
  float u = 0.000198527617612853646278381f;
  u = fma(u, s, 0.00139304355252534151077271f);
  u = fma(u, s, 0.00833336077630519866943359f);
  u = fma(u, s, 0.0416664853692054748535156f);
  u = fma(u, s, 0.166666671633720397949219f);
  u = fma(u, s, 0.5f);
  u = 1.0f + fma(s * s, u, s);
  u = scale(u, q);
  u = d < -104.0f ? 0.0f : u;
  u = d > 100.0f ? std::numeric_limits<float>::infinity() : u;
  return d == d ? u : d;
}

// A value in two floats: the rounded one and what it lacks.
struct Pair {
  float hi, lo;
};
FLAMBEAU_INLINE Pair exact_sum(float x, float y) {
  const float s = x + y, v = s - x;
  return {s, (x - (s - v)) + (y - v)};
}

FLAMBEAU_INLINE float log(float d) {
  // d = m * 2^e with m in [0.75, 1.5); values below the normal range are scaled up first.
  const bool small = d < std::numeric_limits<float>::min();
  const float scaled = small ? d * 0x1p64f : d;
  const uint32_t bits = std::bit_cast<uint32_t>(scaled * (1.0f / 0.75f));
  const int32_t exponent = int32_t((bits >> 23) & 0xffu) - 127;
  const float m = std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) - (uint32_t(exponent) << 23));
  const float e = float(small ? exponent - 64 : exponent);

  // s = ln 2 * e
  Pair s;
  s.hi = 0.69314718246459960938f * e;
  s.lo = fma(-1.904654323148236017e-09f, e, fma(0.69314718246459960938f, e, -s.hi));
  // x = (m - 1) / (m + 1)
  const Pair n = exact_sum(-1.0f, m), q = exact_sum(1.0f, m);
  const float t = 1.0f / q.hi;
  Pair x;
  x.hi = n.hi * t;
  const float u = fma(t, n.hi, -x.hi);
  const float v = fma(-q.lo, t, fma(-q.hi, t, 1.0f));
  x.lo = fma(x.hi, v, fma(n.lo, t, u));

  const float x2 = x.hi * x.hi;
  float p = 0.3027294874f;
  p = fma(p, x2, 0.3996108174f);
  p = fma(p, x2, 0.6666694880f);
  // s = s + 2x + x^3 p
  const float two = x.hi * 2.0f;
  float hi = s.hi + two;
  float lo = ((s.hi - hi) + two) + s.lo + x.lo * 2.0f;
  const float cubic = x2 * x.hi * p;
  const float sum = hi + cubic;
  lo = ((hi - sum) + cubic) + lo;
  float result = sum + lo;

  result = d == std::numeric_limits<float>::infinity() ? d : result;
  result = d < 0.0f || d != d ? std::numeric_limits<float>::quiet_NaN() : result;
  return d == 0.0f ? -std::numeric_limits<float>::infinity() : result;
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::sleef
