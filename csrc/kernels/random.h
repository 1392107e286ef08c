// Random words to float32 numbers, as the AVX2 build of ATen's distribution kernels computes them
// (native/cpu/DistributionTemplates.h, native/cpu/avx_mathfun.h). The DEFAULT build's forms (unfused, C library) are
// left out.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

struct RandomKernels {
  // 24 bits of each word to a number in [from, from + range).
  void (*uniform_f32)(const uint32_t* words, float* out, int64_t n, float from, float range);
  // `one` where the 53 bits of a pair of words (the high one first) are below the threshold, else 0.
  void (*bernoulli_f32)(const uint32_t* words, float* out, int64_t n, uint64_t threshold, float one);
  // Box-Muller on `groups` times 16 uniform numbers, elements j and j + 8 of a group being a pair.
  void (*normal16_f32)(float* data, int64_t groups, float mean, float std);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(RandomKernels, random)
