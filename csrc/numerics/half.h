// float16 and bfloat16 as storage types: 16 bits that convert to and from float, round to nearest even.
// Always inlined: kernels for different instruction sets must not share one copy. Arithmetic on them is done in float
// and rounded once at the end, as PyTorch's CPU kernels do.
#pragma once

#include <bit>
#include <cstdint>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace flambeau {

__attribute__((always_inline)) static inline float half_to_float(uint16_t h) {
#if defined(__F16C__)
  return _cvtsh_ss(h);
#else
  const uint32_t sign = uint32_t(h & 0x8000u) << 16;
  const uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  // Scaling by 2^112 moves the exponent; it is exact for subnormals, too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
#endif
}

__attribute__((always_inline)) static inline uint16_t float_to_half(float value) {
#if defined(__F16C__)
  return uint16_t(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
#else
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = uint16_t((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return uint16_t(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below the normal range: let a float addition do the rounding at the right bit.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return uint16_t(sign | ((rounded - 0x38000000u) >> 13));
#endif
}

__attribute__((always_inline)) static inline float bfloat_to_float(uint16_t b) {
  return std::bit_cast<float>(uint32_t(b) << 16);
}

__attribute__((always_inline)) static inline uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

struct Half {
  uint16_t bits = 0;
  Half() = default;
  __attribute__((always_inline)) explicit(false) Half(float value) : bits(float_to_half(value)) {}
  __attribute__((always_inline)) operator float() const { return half_to_float(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  __attribute__((always_inline)) explicit(false) BFloat16(float value) : bits(float_to_bfloat(value)) {}
  __attribute__((always_inline)) operator float() const { return bfloat_to_float(bits); }
};

}  // namespace flambeau
