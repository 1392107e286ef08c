// erf of float32 as MKL's vector math computes it (vml.h says how to read this). Contract: MKL's bits for every float
// on the AVX-512 path of Intel's processors; on the others, which use tables in float that are not known yet, correctly
// rounded but for a few inputs, from which MKL's differ in the last place for 2.8% of all floats.
#pragma once

#include "numerics/functions.h"
#include "numerics/vml.h"

namespace flambeau::vml {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

// Inputs where MKL's own errors show: its result is one unit above fn::erf's, or below it where the sign bit is set.
// Each in the place that its product with an odd constant points to.
constexpr uint32_t erf_place(uint32_t size) { return size * 0x86de9797u >> 22; }
constexpr std::array<uint32_t, 1024> make_erf_exceptions() {
  constexpr uint32_t kInputs[135] = {
      0x3ed02b0f, 0x3f883875, 0x3f8bf669, 0x3f8f0213, 0x3f91c2a0, 0x3f935a43, 0x3f943858, 0x3f9597d0, 0x3f9c97a0,
      0x3f9ede0c, 0x3fa1eb3a, 0x3fa31c67, 0x3fa4c1ce, 0x3fa6231c, 0x3fa6655d, 0x3fa82a2d, 0x3fa88ea1, 0x3faa0256,
      0x3faa7ff8, 0x3fad7d7d, 0x3fadf9cb, 0x3fadfa33, 0x3faea22f, 0x3fb05171, 0x3fb06d0a, 0x3fb131da, 0x3fb1379b,
      0x3fb308b4, 0x3fb3948a, 0x3fb39d44, 0x3fb3d1c0, 0x3fb8a986, 0x3fbe7fbc, 0x3fbea5c7, 0x3fbead6f, 0x3fbef975,
      0x3fc0a9ca, 0x3fc0fb3e, 0x3fc10336, 0x3fc21bf9, 0x3fc32cde, 0x3fc7000f, 0x3fc971b0, 0x3ffaca55, 0x40021777,
      0x4005e090, 0xc00cc283, 0xc00edeec, 0xc00f4e83, 0xc0162b87, 0x401a74c1, 0x401a75ed, 0x401d2e86, 0x401ffbfc,
      0x4022bf54, 0x40232926, 0x40238da8, 0x4026932d, 0x4026ef63, 0x4028c69f, 0x4028e2dc, 0x40293654, 0xc03079c9,
      0xc0317ed0, 0xc032dc81, 0xc0352ef3, 0xc0355bcb, 0xc035e116, 0xc03613a4, 0xc037a79f, 0xc0394539, 0xc03a0c8a,
      0x4041ca64, 0x4042274d, 0x4042e213, 0x40439701, 0x4043c8b7, 0xc04bb05b, 0xc04bdc10, 0xc04c35c5, 0xc04df58f,
      0xc050a032, 0xc0513304, 0xc052757f, 0xc052cd20, 0xc052fa22, 0xc0541af3, 0xc0544e91, 0xc055da07, 0x40594699,
      0x405ac2c7, 0x405b2be6, 0x405b99c6, 0x405c0cd7, 0x405c859c, 0x405c859d, 0x405d04af, 0x405d04b0, 0x405d8ac1,
      0x405e18a3, 0x405eaf51, 0x405eaf52, 0x405f4ffd, 0x405f4ffe, 0x405ffc22, 0x405ffc23, 0x405ffc24, 0x4060b5a0,
      0x4060b5a1, 0x40617ee4, 0x40617ee5, 0x40617ee6, 0x40625b32, 0x40625b33, 0x40634f10, 0x40634f11, 0x4064610f,
      0x40659b2f, 0x406b0bf1, 0xc06dd9f2, 0xc06dd9f3, 0xc06dd9f4, 0xc06dd9f5, 0xc06dd9f6, 0xc06dd9f7, 0xc06dd9f8,
      0x4071bd0b, 0x4071bd0e, 0x4071bd0f, 0x4071bd12, 0x4071bd13, 0x4071bd15, 0x4071bd17, 0x4071bd18, 0x4071bd19};
  std::array<uint32_t, 1024> places{};
  for (const uint32_t input : kInputs) places[erf_place(input & 0x7fffffff)] = input;
  return places;
}
inline constexpr std::array<uint32_t, 1024> kErfExceptions = make_erf_exceptions();

template <MklPath kPath>
struct Erf {
  FLAMBEAU_INLINE bool rare(float) { return false; }
  FLAMBEAU_INLINE float exact(float x) { return x; }
  FLAMBEAU_INLINE float value(float x) {
    const float y = fn::erf(x);
    if constexpr (kPath != MklPath::IntelAvx512) return y;
    const uint32_t size = bits_of(x) & 0x7fffffff, exception = kErfExceptions[erf_place(size)];
    const bool differs = (exception & 0x7fffffff) == size && size != 0;
    return float_of(bits_of(y) + (differs ? exception >> 31 ? ~0u : 1u : 0u));
  }
};

#undef FLAMBEAU_INLINE

}  // namespace flambeau::vml
