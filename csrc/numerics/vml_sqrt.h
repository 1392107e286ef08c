// sqrt of float32 as MKL's vector math computes it for torch.sqrt (kernels/vml.h): steps of Newton's method from an
// approximate instruction of the processor, emulated here from its table. Contract: MKL's bits for every float.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace flambeau::vml {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

// RSQRTPS of AMD processors (measured on Zen 4; Zen 5 is the same). Twelve bits, a function of the exponent's parity
// and the upper twelve bits of the significand: with x in [1, 4) and k these thirteen bits it is (head[k >> 4] - step[k
// >> 8][k & 15]) / 8192, so a table of 512 and one of 32 x 16 hold all 8192 results.
struct RsqrtTable {
  std::array<uint32_t, 512> head{};  // the result's bits for exponent 0 and 1 of x
  std::array<uint32_t, 512> step{};
};
constexpr RsqrtTable make_rsqrt_table() {
  // What each head is below the one before it ('a': 0); the first is 8191.
  constexpr char kFalls[] =
      "aqqpqqppqppppppoppopooooooooononononnnnnnnmnnmnmnmnmmmmmmmlmmlml"
      "nllmllllllllllkllklklklkkklkkkkkkkkkkjkkjkjkjkjjkjjkjjjjjjjjjijj"
      "ijjijijijijiijiijiiiiiiiiiiiihiiiihiihihihihihhihhhhihhhhhhhhhhh"
      "ihhghhhhghhghhghghghghghgghgghgghgggggghgggggggggggggfggggfgggfg"
      "gllmlkllllkllklklkklkkkkkjkkkjkjkkjjkjjjjjjjjjjjjijjijijiijiijii"
      "iiiiiiiiiihiihihihihihhihhhihhhhhhhhhhhhghhhghhghghghghgghgghggg"
      "hggggggggggggggfgggfgggfgfggfgfgffgfgffgffgffffgffffffffffffffff"
      "gefffffefffeffeffefeffefefefefeefefeefeefeeefeeefeeeeeefeeeeeeee";
  // Bit c: the result falls by 1 from c - 1 to c.
  constexpr uint16_t kSteps[32] = {0xfefe, 0xefee, 0xbef6, 0xbbb6, 0xb6ec, 0xdada, 0xb6ac, 0x6ad4,
                                   0xaaaa, 0x5554, 0xaa54, 0x954a, 0x54a4, 0x9294, 0x94a4, 0x4948,
                                   0xb6da, 0x6dac, 0x56ac, 0xaaac, 0x5554, 0x9552, 0x4a94, 0x5294,
                                   0x2928, 0x4924, 0x4924, 0x4492, 0x2448, 0x2448, 0x4444, 0x4444};
  RsqrtTable table;
  uint32_t head = 8191;
  for (uint32_t i = 0; i < 512; ++i) {
    head -= uint32_t(kFalls[i] - 'a');
    table.head[i] = 0x3f000000 + ((head - 4096) << 11);
    table.step[i] = uint32_t(std::popcount(kSteps[i >> 4] & ((2u << (i & 15)) - 1))) << 11;
  }
  return table;
}
inline constexpr RsqrtTable kRsqrtAmd = make_rsqrt_table();

// Of a positive normal x.
FLAMBEAU_INLINE float rsqrt_amd(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x) - 0x3f800000u;
  const uint32_t k = (bits >> 11) & 8191;
  const uint32_t halved = uint32_t(int32_t(bits) >> 24) << 23;
  return std::bit_cast<float>(kRsqrtAmd.head[k >> 4] - kRsqrtAmd.step[(k >> 8 << 4) | (k & 15)] - halved);
}

// VRSQRT14PS, the same on Intel's and AMD's processors: 64 lines over the upper 15 bits of the significand, cut to 17
// bits; powers of 4 are exact. With x in [1, 4), segment its parity and upper five bits and j the next ten, the result
// is floor((128 start[segment] - fall[segment] j) / 512) / 2^17.
// clang-format off
inline constexpr int32_t kRsqrt14Start[64] = {
    524265, 516257, 508613, 501298, 494286, 487559, 481101, 474897, 468922, 463169, 457623, 452276, 447106, 442106, 437279, 432603,
    428071, 423683, 419423, 415288, 411277, 407379, 403592, 399907, 396319, 392827, 389430, 386110, 382879, 379734, 376655, 373658,
    370709, 365049, 359644, 354468, 349516, 344759, 340193, 335801, 331581, 327515, 323589, 319805, 316149, 312618, 309201, 305899,
    302695, 299587, 296575, 293657, 290819, 288062, 285380, 282776, 280242, 277773, 275367, 273022, 270741, 268509, 266336, 264214};
inline constexpr int32_t kRsqrt14Fall[64] = {
    1001, 955, 915, 877, 841, 807, 775, 747, 719, 693, 669, 647, 625, 603, 585, 567, 549, 533, 517, 501, 487, 473,
    461,  449, 437, 425, 415, 403, 393, 385, 375, 367, 707, 675, 647, 619, 595, 571, 549, 527, 509, 491, 473, 457,
    441,  427, 413, 401, 389, 377, 365, 355, 345, 335, 325, 317, 309, 301, 293, 285, 279, 271, 265, 259};
// clang-format on

// Of a positive normal x.
FLAMBEAU_INLINE float rsqrt14(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x) - 0x3f800000u;
  const uint32_t segment = (bits >> 18) & 63;
  const int32_t value = (128 * kRsqrt14Start[segment] - kRsqrt14Fall[segment] * int32_t((bits >> 8) & 1023)) >> 9;
  const uint32_t normalized = (bits << 8) == 0 ? 0x3f800000u : 0x3f000000u + (uint32_t(value - 65536) << 7);
  return std::bit_cast<float>(normalized - (uint32_t(int32_t(bits) >> 24) << 23));
}

// Processors that are not Intel's: y is rsqrt_amd(x); one step for root and half reciprocal together, one for the root.
FLAMBEAU_INLINE float sqrt_amd(float x, float y) {
  float s = x * y, h = 0.5f * y;
  const float e = 0.5f - s * h;
  s = s + s * e;
  h = h + h * e;
  const float root = s + h * (x - s * s);
  return x >= std::numeric_limits<float>::min() && x < 0x1.ffep127f ? root : __builtin_sqrtf(x);
}

// Intel's with AVX-512: y is rsqrt14 of in_range(x), one fused step. Small x are scaled into the range where nothing
// underflows.
constexpr float kSmall = 0x1p-60f;
FLAMBEAU_INLINE float in_range(float x) { return x < kSmall ? x * 0x1p64f : x; }
FLAMBEAU_INLINE float sqrt_intel_avx512(float x, float y) {
  const float scaled = in_range(x), s = scaled * y;
  const float root = __builtin_fmaf(0.5f * y, __builtin_fmaf(-s, s, scaled), s) * (x < kSmall ? 0x1p-32f : 1.0f);
  return x > 0 && x < std::numeric_limits<float>::infinity() ? root : __builtin_sqrtf(x);
}

// Intel's with AVX2: rsqrt_amd stands for Intel's RSQRTPS, which was not at hand; the steps leave no trace of it but in
// results below 2^-57, where they underflow.
FLAMBEAU_INLINE float sqrt_intel_avx2(float x, float y) {
  float s = x * y, h = 0.5f * y;
  const float e = __builtin_fmaf(-s, h, 0.5f);
  s = __builtin_fmaf(s, e, s);
  h = __builtin_fmaf(h, e, h);
  const float root = __builtin_fmaf(h, __builtin_fmaf(-s, s, x), s);
  return x >= std::numeric_limits<float>::min() && x < std::numeric_limits<float>::infinity() ? root
                                                                                              : __builtin_sqrtf(x);
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::vml
