#include "kernels/random.h"

#include <bit>
#include <numbers>

namespace flambeau::FLAMBEAU_ISA {
namespace {

inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

void uniform_f32(const uint32_t* words, float* out, int64_t n, float from, float range) {
  for (int64_t i = 0; i < n; ++i) out[i] = fma(float(words[i] & 0xffffffu) * 0x1p-24f, range, from);
}

void bernoulli_f32(const uint32_t* words, float* out, int64_t n, uint64_t threshold, float one) {
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t bits = (uint64_t(words[2 * i]) << 32 | words[2 * i + 1]) & ((1ull << 53) - 1);
    out[i] = int64_t(bits) < int64_t(threshold) ? one : 0.0f;
  }
}

// Cephes' logf for x in (0, 1], fused where the compiler of the AVX2 build fused.
inline float cephes_log(float x) {
  x = x < 0x1p-126f ? 0x1p-126f : x;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  float e = float(int32_t(bits >> 23) - 126);
  const float m = std::bit_cast<float>((bits & 0x807fffffu) | 0x3f000000u);  // in [0.5, 1)
  const bool low = m < 0.707106781186547524f;
  e = low ? e - 1.0f : e;
  const float minus_one = m - 1.0f;
  const float r = low ? minus_one + m : minus_one;
  const float z = r * r;
  float y = 7.0376836292E-2f;
  y = fma(y, r, -1.1514610310E-1f);
  y = fma(y, r, 1.1676998740E-1f);
  y = fma(y, r, -1.2420140846E-1f);
  y = fma(y, r, 1.4249322787E-1f);
  y = fma(y, r, -1.6668057665E-1f);
  y = fma(y, r, 2.0000714765E-1f);
  y = fma(y, r, -2.4999993993E-1f);
  y = fma(y, r, 3.3333331174E-1f);
  y = y * r;
  y = fma(y, z, e * -2.12194440e-4f);
  y = fma(-z, 0.5f, y);
  return fma(e, 0.693359375f, r + y);
}

// Cephes' sinf and cosf for x >= 0.
inline void cephes_sincos(float x, float& sin, float& cos) {
  const int32_t j = (int32_t(x * 1.27323954473516f) + 1) & ~1;
  const float y = float(j);
  x = fma(y, -0.78515625f, x);
  x = fma(y, -2.4187564849853515625e-4f, x);
  x = fma(y, -3.77489497744594108e-8f, x);
  const float z = x * x;
  float p = 2.443315711809948E-5f;
  p = fma(p, z, -1.388731625493765E-3f);
  p = fma(p, z, 4.166664568298827E-2f);
  p = p * z;
  p = fma(p, z, -(z * 0.5f));
  p = p + 1.0f;
  float q = -1.9515295891E-4f;
  q = fma(q, z, 8.3321608736E-3f);
  q = fma(q, z, -1.6666654611E-1f);
  q = q * z;
  q = fma(q, x, x);
  const bool swapped = (j & 2) != 0;
  const uint32_t sin_sign = uint32_t(j & 4) << 29, cos_sign = uint32_t(~(j - 2) & 4) << 29;
  sin = std::bit_cast<float>(std::bit_cast<uint32_t>(swapped ? p : q) ^ sin_sign);
  cos = std::bit_cast<float>(std::bit_cast<uint32_t>(swapped ? q : p) ^ cos_sign);
}

void normal16_f32(float* data, int64_t groups, float mean, float std) {
  for (int64_t g = 0; g < groups; ++g, data += 16)
    for (int j = 0; j < 8; ++j) {
      const float radius = __builtin_sqrtf(-2.0f * cephes_log(1.0f - data[j]));
      float sin, cos;
      cephes_sincos(2.0f * std::numbers::pi_v<float> * data[j + 8], sin, cos);
      data[j] = fma(radius * cos, std, mean);
      data[j + 8] = fma(radius * sin, std, mean);
    }
}

}  // namespace

const RandomKernels random_table = {uniform_f32, bernoulli_f32, normal16_f32};

}  // namespace flambeau::FLAMBEAU_ISA
