// sqrt of float32 as MKL's vector math computes it for torch.sqrt (kernels/vml.h): steps of Newton's method from an
// approximate instruction of the processor, emulated here from its table. Contract: MKL's bits for every float.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace flambeau::vml {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

// RSQRTPS of AMD processors (measured on Zen 4; Zen 5 is the same). Twelve bits, a function of the exponent's parity and
// the upper twelve bits of the significand: with x in [1, 4) and k these thirteen bits it is
// (head[k >> 4] - step[k >> 8][k & 15]) / 8192, so a table of 512 and one of 32 x 16 hold all 8192 results.
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
  constexpr uint16_t kSteps[32] = {
      0xfefe, 0xefee, 0xbef6, 0xbbb6, 0xb6ec, 0xdada, 0xb6ac, 0x6ad4,
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

// Processors that are not Intel's: y is rsqrt_amd(x); one step for root and half reciprocal together, one for the root.
FLAMBEAU_INLINE float sqrt_amd(float x, float y) {
  float s = x * y, h = 0.5f * y;
  const float e = 0.5f - s * h;
  s = s + s * e;
  h = h + h * e;
  const float root = s + h * (x - s * s);
  return x >= std::numeric_limits<float>::min() && x < 0x1.ffep127f ? root : __builtin_sqrtf(x);
}

#undef FLAMBEAU_INLINE

}  // namespace flambeau::vml
