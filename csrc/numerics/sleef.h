// exp, log and tanh of float32 as ATen's vectorised kernels compute them on AVX2 and AVX-512: Sleef 3's
// Sleef_{exp,log,tanh}f*_u10 in their FMA form, every operation spelled out. Written for one value; loops over them
// vectorise. Contract: the same bits as Sleef for every float (NaN payloads aside); at most 1 ULP from the true value.
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
  // Clamped so that the conversion to int is defined. Above 100 the scaling overflows by itself.
  float inside = d < -105.0f ? -105.0f : d;
  inside = inside > 105.0f ? 105.0f : inside;
  inside = inside == inside ? inside : 0.0f;
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

FLAMBEAU_INLINE Pair sum(Pair x, Pair y) {
  const float s = x.hi + y.hi, v = s - x.hi;
  return {s, (x.hi - (s - v)) + (y.hi - v) + (x.lo + y.lo)};
}
FLAMBEAU_INLINE Pair sum(Pair x, float y) {
  const Pair s = exact_sum(x.hi, y);
  return {s.hi, s.lo + x.lo};
}
// The same where |x| >= |y|.
FLAMBEAU_INLINE Pair ordered_sum(Pair x, Pair y) {
  const float s = x.hi + y.hi;
  return {s, (((x.hi - s) + y.hi) + x.lo) + y.lo};
}
FLAMBEAU_INLINE Pair product(Pair x, Pair y) {
  const float s = x.hi * y.hi;
  return {s, fma(x.hi, y.lo, fma(x.lo, y.hi, fma(x.hi, y.hi, -s)))};
}
FLAMBEAU_INLINE Pair product(Pair x, float y) {
  const float s = x.hi * y;
  return {s, fma(x.lo, y, fma(x.hi, y, -s))};
}
FLAMBEAU_INLINE Pair squared(Pair x) {
  const float s = x.hi * x.hi;
  return {s, fma(x.hi + x.hi, x.lo, fma(x.hi, x.hi, -s))};
}
FLAMBEAU_INLINE Pair reciprocal(Pair d) {
  const float s = 1.0f / d.hi;
  return {s, s * fma(-d.lo, s, fma(-d.hi, s, 1.0f))};
}
FLAMBEAU_INLINE Pair quotient(Pair n, Pair d) {
  const float t = 1.0f / d.hi, s = n.hi * t;
  const float u = fma(t, n.hi, -s), v = fma(-d.lo, t, fma(-d.hi, t, 1.0f));
  return {s, fma(s, v, fma(n.lo, t, u))};
}

// e^d for 0 <= d < 9, in two floats.
FLAMBEAU_INLINE Pair exp_pair(float d) {
  const float rounded = __builtin_rintf(d * 1.442695040888963407359924681001892137426645954152985934135449406931f);
  const int32_t q = int32_t(rounded);
  Pair s = sum(Pair{d, 0.0f}, rounded * -0.693145751953125f);
  s = sum(s, rounded * -1.428606765330187045e-06f);
  float u = 0.1980960224e-3f;
  u = fma(u, s.hi, 0.1394256484e-2f);
  u = fma(u, s.hi, 0.8333456703e-2f);
  u = fma(u, s.hi, 0.4166637361e-1f);
  Pair t = sum(product(s, u), 0.166666659414234244790680580464f);
  t = sum(product(s, t), 0.5f);
  t = sum(s, product(squared(s), t));
  const float one = 1.0f + t.hi;
  t = {one, ((1.0f - one) + t.hi) + t.lo};
  return {scale(t.hi, q), scale(t.lo, q)};
}

FLAMBEAU_INLINE float tanh(float x) {
  const float size = __builtin_fabsf(x);
  const bool saturated = size > 8.664339742f;
  const Pair e = exp_pair(size <= 8.664339742f ? size : 0.0f);
  const Pair r = reciprocal(e);
  const Pair t = quotient(ordered_sum(e, {-r.hi, -r.lo}), ordered_sum(e, r));
  const float y = saturated ? 1.0f : t.hi + t.lo;
  return x == x ? __builtin_copysignf(y, x) : x;
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::sleef
