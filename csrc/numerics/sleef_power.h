// More of Sleef's float32 functions (sleef.h says which Sleef and how): expm1, log1p, exp2, pow, sinh, cosh, atanh and
// atan2 as ATen's vectors call them, to 1 ULP. Contract: the same bits as Sleef for every float (NaN payloads aside).
#pragma once

#include "numerics/sleef.h"

namespace flambeau::sleef {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Sums of two where |x| >= |y|.
FLAMBEAU_INLINE Pair ordered_sum(float x, float y) {
  const float s = x + y;
  return {s, x - s + y};
}
FLAMBEAU_INLINE Pair ordered_sum(float x, Pair y) {
  const float s = x + y.hi;
  return {s, x - s + y.hi + y.lo};
}
FLAMBEAU_INLINE Pair ordered_sum(Pair x, float y) {
  const float s = x.hi + y;
  return {s, x.hi - s + y + x.lo};
}
FLAMBEAU_INLINE Pair doubled(Pair x) { return {x.hi * 2.0f, x.lo * 2.0f}; }
FLAMBEAU_INLINE Pair negated(Pair x) { return {-x.hi, -x.lo}; }

// The exponent of d for a significand in [0.75, 1.5); d is not below the normal range.
FLAMBEAU_INLINE int32_t exponent(float d) {
  return int32_t((std::bit_cast<uint32_t>(d * (1.0f / 0.75f)) >> 23) & 0xffu) - 127;
}
FLAMBEAU_INLINE Pair ln2_times(float e) {
  return product(Pair{0.69314718246459960938f, -1.904654323148236017e-09f}, e);
}

FLAMBEAU_INLINE float expm1(float x) {
  const float inside = x > -20.0f ? (x < 100.0f ? x : 100.0f) : -20.0f;
  const Pair d = sum(exp_pair(inside), -1.0f);
  float y = d.hi + d.lo;
  y = x > 88.72283172607421875f ? kInfinity : y;
  y = x < -16.635532333438687426013570f ? -1.0f : y;
  return x == 0.0f || x != x ? x : y;
}

FLAMBEAU_INLINE float log1p(float x) {
  const float sum1 = x + 1.0f;
  const bool small = sum1 < std::numeric_limits<float>::min();
  const int32_t e = exponent(small ? sum1 * 0x1p64f : sum1);
  const float t = 0x1p-64f * power_of_two(64 - e);
  const float m = fma(x, t, t - 1.0f);
  const Pair q = quotient(Pair{m, 0.0f}, ordered_sum(2.0f, m));
  const float x2 = q.hi * q.hi;
  float p = 0.3027294874f;
  p = fma(p, x2, 0.3996108174f);
  p = fma(p, x2, 0.6666694880f);
  Pair s = ordered_sum(ln2_times(float(small ? e - 64 : e)), doubled(q));
  s = ordered_sum(s, x2 * q.hi * p);
  float y = s.hi + s.lo;
  y = x == kInfinity ? kInfinity : y;
  y = x < -1.0f || x != x ? kNan : y;
  y = x == -1.0f ? -kInfinity : y;
  return x == 0.0f ? x : y;
}

FLAMBEAU_INLINE float exp2(float d) {
  const float inside = d > -160.0f ? (d < 130.0f ? d : 130.0f) : -160.0f;
  const float rounded = __builtin_rintf(inside), s = inside - rounded;
  float u = 0.1535920892e-3f;
  u = fma(u, s, 0.1339262701e-2f);
  u = fma(u, s, 0.9618384764e-2f);
  u = fma(u, s, 0.5550347269e-1f);
  u = fma(u, s, 0.2402264476f);
  u = fma(u, s, 0.6931471825f);
  u = fma(u, s, 1.0f);
  u = scale(u, int32_t(rounded));
  u = d >= 128.0f ? kInfinity : u;
  u = d < -150.0f ? 0.0f : u;
  return d == d ? u : d;
}

// d * 2^q, rounded twice below the normal range.
FLAMBEAU_INLINE float scale_in_steps(float d, int32_t q) {
  const int32_t sign = q >> 31, quarter = (((sign + q) >> 6) - sign) << 4;
  const float step = power_of_two(quarter);
  return d * step * step * step * step * power_of_two(q - (quarter << 2));
}

// ln d and e^d with both in two floats, for pow.
FLAMBEAU_INLINE Pair log_pair(float d) {
  const bool small = d < std::numeric_limits<float>::min();
  const float scaled = small ? d * 0x1p64f : d;
  const int32_t e = exponent(scaled);
  const float m = std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) - (uint32_t(e) << 23));
  const Pair x = quotient(exact_sum(-1.0f, m), exact_sum(1.0f, m)), x2 = squared(x);
  float t = 0.240320354700088500976562f;
  t = fma(t, x2.hi, 0.285112679004669189453125f);
  t = fma(t, x2.hi, 0.400007992982864379882812f);
  const Pair c = {0.66666662693023681640625f, 3.69183861259614332084311e-09f};
  const Pair s = ordered_sum(ln2_times(float(small ? e - 64 : e)), doubled(x));
  return ordered_sum(s, product(product(x2, x), sum(product(x2, t), c)));
}
FLAMBEAU_INLINE float exp_of_pair(Pair d) {
  const float whole = d.hi + d.lo;
  const float inside = whole > -110.0f ? (whole < 110.0f ? whole : 110.0f) : -110.0f;
  const float rounded = __builtin_rintf(inside * 1.442695040888963407359924681001892137426645954152985934135449406931f);
  Pair s = sum(sum(d, rounded * -0.693145751953125f), rounded * -1.428606765330187045e-06f);
  s = ordered_sum(s.hi, s.lo);
  float u = 0.00136324646882712841033936f;
  u = fma(u, s.hi, 0.00836596917361021041870117f);
  u = fma(u, s.hi, 0.0416710823774337768554688f);
  u = fma(u, s.hi, 0.166665524244308471679688f);
  u = fma(u, s.hi, 0.499999850988388061523438f);
  const Pair t = ordered_sum(1.0f, ordered_sum(s, product(squared(s), u)));
  const float y = scale_in_steps(t.hi + t.lo, int32_t(rounded));
  return d.hi < -104.0f ? 0.0f : whole >= 110.0f ? kInfinity : y;
}

FLAMBEAU_INLINE float pow(float x, float y) {
  const float size = __builtin_fabsf(x), size_y = __builtin_fabsf(y);
  const bool large = size_y >= 0x1p24f, whole = large || __builtin_truncf(y) == y;
  const bool odd = !large && whole && (int32_t(large ? 0.0f : y) & 1);
  float r = exp_of_pair(product(log_pair(size), y));
  r = r != r ? kInfinity : r;
  r = x > 0.0f ? r : !whole ? kNan : odd ? -r : r;
  const float side = y < 0.0f ? -(size - 1.0f) : size - 1.0f;
  r = size_y == kInfinity ? (side < 0.0f ? 0.0f : side == 0.0f ? 1.0f : kInfinity) : r;
  const bool grows = x == 0.0f ? y < 0.0f : y > 0.0f;
  r = size == kInfinity || x == 0.0f ? __builtin_copysignf(grows ? kInfinity : 0.0f, odd ? x : 1.0f) : r;
  r = x != x || y != y ? kNan : r;
  return y == 0.0f || x == 1.0f ? 1.0f : r;
}

FLAMBEAU_INLINE float sinh(float x) {
  const float size = __builtin_fabsf(x);
  const Pair e = exp_pair(size <= 89.0f ? size : 0.0f), d = ordered_sum(e, negated(reciprocal(e)));
  float y = (d.hi + d.lo) * 0.5f;
  y = size > 89.0f || y != y ? kInfinity : y;
  return x == x ? __builtin_copysignf(y, x) : x;
}
FLAMBEAU_INLINE float cosh(float x) {
  const float size = __builtin_fabsf(x);
  const Pair e = exp_pair(size <= 89.0f ? size : 0.0f), d = ordered_sum(e, reciprocal(e));
  float y = (d.hi + d.lo) * 0.5f;
  y = size > 89.0f || y != y ? kInfinity : y;
  return x == x ? y : x;
}

FLAMBEAU_INLINE float atanh(float x) {
  const float size = __builtin_fabsf(x), inside = size < 1.0f ? size : 0.0f;
  const Pair d = quotient(exact_sum(1.0f, inside), exact_sum(1.0f, -inside));
  const int32_t e = exponent(d.hi);
  const float down = power_of_two(-e);
  const Pair m = {d.hi * down, d.lo * down};
  const Pair q = quotient(sum(m, -1.0f), sum(m, 1.0f)), q2 = squared(q);
  float t = 0.2392828464508056640625f;
  t = fma(t, q2.hi, 0.28518211841583251953125f);
  t = fma(t, q2.hi, 0.400005877017974853515625f);
  t = fma(t, q2.hi, 0.666666686534881591796875f);
  const Pair s = ordered_sum(ordered_sum(ln2_times(float(e)), doubled(q)), product(product(q2, q), t));
  float y = (s.hi + s.lo) * 0.5f;
  y = size == 1.0f ? kInfinity : size < 1.0f ? y : kNan;
  return __builtin_copysignf(y, x);
}

FLAMBEAU_INLINE float atan2(float y, float x) {
  // Small x is scaled up, or the quotient would overflow.
  const bool tiny = __builtin_fabsf(x) < 2.9387372783541830947e-39f;
  const float up = tiny ? 0x1p24f : 1.0f, sized_x = __builtin_fabsf(x) * up, sized_y = __builtin_fabsf(y) * up;
  const bool swaps = sized_x < sized_y;
  const float turns = (x < 0.0f ? -2.0f : 0.0f) + (swaps ? 1.0f : 0.0f);
  const Pair s = quotient(Pair{swaps ? -sized_x : sized_y, 0.0f}, Pair{swaps ? sized_y : sized_x, 0.0f});
  Pair t = squared(s);
  t = ordered_sum(t.hi, t.lo);
  float u = -0.00176397908944636583328247f;
  u = fma(u, t.hi, 0.0107900900766253471374512f);
  u = fma(u, t.hi, -0.0309564601629972457885742f);
  u = fma(u, t.hi, 0.0577365085482597351074219f);
  u = fma(u, t.hi, -0.0838950723409652709960938f);
  u = fma(u, t.hi, 0.109463557600975036621094f);
  u = fma(u, t.hi, -0.142626821994781494140625f);
  u = fma(u, t.hi, 0.199983194470405578613281f);
  t = product(t, ordered_sum(-0.333332866430282592773438f, u * t.hi));
  t = product(s, ordered_sum(1.0f, t));
  t = sum(product(Pair{1.5707963705062866211f, -4.3711388286737928865e-08f}, turns), t);
  constexpr float kHalfPi = 1.5707963267948966f, kPi = 3.14159265358979323846f;
  const float side = __builtin_copysignf(1.0f, x);
  const bool infinite_x = __builtin_fabsf(x) == kInfinity;
  float r = (t.hi + t.lo) * side;
  r = infinite_x || x == 0.0f ? kHalfPi - (infinite_x ? side * kHalfPi : 0.0f) : r;
  r = sized_y == kInfinity ? kHalfPi - (infinite_x ? side * (kHalfPi * 0.5f) : 0.0f) : r;
  r = y == 0.0f ? (side < 0.0f ? kPi : 0.0f) : r;
  r = std::bit_cast<float>(std::bit_cast<uint32_t>(r) ^ (std::bit_cast<uint32_t>(y) & 0x80000000u));
  return x != x || y != y ? kNan : r;
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::sleef
