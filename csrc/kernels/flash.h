// The steps between the products of flash attention, a block of scores at a time, as PyTorch's CPU kernel computes them
// (native/cpu/FlashAttentionKernel.cpp) in its AVX2 and AVX-512 builds: `lanes` of the profile decide the order of a
// row's sum and which scores are its tail. float32.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

// Scores s[r * keys + j] of `rows` queries and `keys` keys.
struct FlashBlock {
  float* s;
  int64_t rows, keys;
  const float* mask = nullptr;  // added, at mask[r * mask_row + j * mask_key]; null: none
  int64_t mask_row = 0, mask_key = 0;
  bool causal = false;  // row r sees keys j <= r + diagonal
  int64_t diagonal = 0;
};

struct FlashKernels {
  // Scales and masks the scores, exponentiates them in place and updates each row's maximum and sum. Where earlier
  // blocks were accumulated (`width` of acc's rows, 0 at the first block), acc is rescaled to the new maximum.
  void (*accumulate)(const FlashBlock&, float scale, float* max, float* sum, float* acc, int64_t width, int lanes);
  // s = exp(s + mask - lse[r]), zero where the causal mask hides.
  void (*probabilities)(const FlashBlock&, const float* lse);
  // g = s * (g - dots[r])
  void (*score_gradients)(const FlashBlock&, float* g, const float* dots);
  float (*dot)(const float* a, const float* b, int64_t n, int lanes);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(FlashKernels, flash)
