#include "kernels/flash.h"

#include <bit>
#include <limits>

#include "numerics/lanes.h"
#include "numerics/sleef.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Vectorized<float>::exp_u20: half a dozen terms, for arguments that are zero or below.
inline float exp_u20(float x) {
  const float low = std::bit_cast<float>(0xc2aeac50u), high = std::bit_cast<float>(0x42b17218u);
  const float upper = x < high ? x : high;
  const float s = upper > low ? upper : low;
  const float n = __builtin_floorf(__builtin_fmaf(s, std::bit_cast<float>(0x3fb8aa3bu), 0.5f));
  const float r = __builtin_fmaf(-n, std::bit_cast<float>(0x3f317218u), s);
  float p = 0.00828929059f;
  p = __builtin_fmaf(p, r, 0.0418978221f);
  p = __builtin_fmaf(p, r, 0.166676521f);
  p = __builtin_fmaf(p, r, 0.499991506f);
  p = __builtin_fmaf(p, r, 0.999999701f);
  p = __builtin_fmaf(p, r, 1.0f);
  const float power = std::bit_cast<float>(uint32_t(int32_t(n) - 1 + 127) << 23);
  return x < low ? 0.0f : p * power * 2.0f;
}

// A NaN among the whole vectors makes the maximum NaN; one in the tail counts only with a mask.
template <int L>
float row_max(const float* s, int64_t n, bool masked) {
  float best = -kInfinity;
  bool nan = false;
  int64_t j = 0;
  if (n >= L) {
    Lanes<float, L> most = load<float, L>(s);
    for (j = L; j + L <= n; j += L) most = greater_or_nan_of(most, load<float, L>(s + j));
    float lanes[L];
    std::memcpy(lanes, &most, sizeof lanes);
    for (const float lane : lanes) {
      nan |= lane != lane;
      best = lane > best ? lane : best;
    }
  }
  for (; j < n; ++j) {
    nan |= masked && s[j] != s[j];
    best = s[j] > best ? s[j] : best;
  }
  return nan ? std::numeric_limits<float>::quiet_NaN() : best;
}

// Exponentials of a row in place; returns their sum: L lanes, the butterfly, then the tail one by one.
template <int L>
float exponentiate(float* s, int64_t n, float max) {
  const int64_t whole = n / L * L;
  for (int64_t j = 0; j < whole; ++j) s[j] = exp_u20(s[j] - max);
  Lanes<float, L> sums = spread<float, L>(0);
  for (int64_t j = 0; j < whole; j += L) sums = sums + load<float, L>(s + j);
  float total = horizontal_sum<float, L>(sums);
  for (int64_t j = whole; j < n; ++j) {
    s[j] = float(__builtin_exp(double(s[j] - max)));
    total = total + s[j];
  }
  return total;
}

void hide(const FlashBlock& b, int64_t r, float value) {
  if (!b.causal) return;
  float* s = b.s + r * b.keys;
  for (int64_t j = r + b.diagonal + 1 > 0 ? r + b.diagonal + 1 : 0; j < b.keys; ++j) s[j] = value;
}

template <int L>
void accumulate_rows(const FlashBlock& b, float scale, float* max, float* sum, float* acc, int64_t width) {
  for (int64_t r = 0; r < b.rows; ++r) {
    float* s = b.s + r * b.keys;
    hide(b, r, -kInfinity);
    if (b.mask) {
      const float* mask = b.mask + r * b.mask_row;
      for (int64_t j = 0; j < b.keys; ++j) s[j] = __builtin_fmaf(s[j], scale, mask[j * b.mask_key]);
    } else {
      for (int64_t j = 0; j < b.keys; ++j) s[j] = s[j] * scale;
    }
    const float found = row_max<L>(s, b.keys, b.mask != nullptr);
    const float most = max[r] > found ? max[r] : found;
    if (most == -kInfinity) {
      for (int64_t j = 0; j < b.keys; ++j) s[j] = 0;
      continue;
    }
    const float total = exponentiate<L>(s, b.keys, most);
    const float shrink = __builtin_expf(max[r] - most);
    sum[r] = __builtin_fmaf(shrink, sum[r], total);
    max[r] = most;
    for (int64_t d = 0; d < width; ++d) acc[r * width + d] = acc[r * width + d] * shrink;
  }
}

void accumulate(const FlashBlock& b, float scale, float* max, float* sum, float* acc, int64_t width, int lanes) {
  return lanes == 16 ? accumulate_rows<16>(b, scale, max, sum, acc, width)
                     : accumulate_rows<8>(b, scale, max, sum, acc, width);
}

void probabilities(const FlashBlock& b, const float* lse) {
  for (int64_t r = 0; r < b.rows; ++r) {
    float* s = b.s + r * b.keys;
    if (b.mask)
      for (int64_t j = 0; j < b.keys; ++j) s[j] = s[j] + b.mask[r * b.mask_row + j * b.mask_key];
    for (int64_t j = 0; j < b.keys; ++j) s[j] = sleef::exp(s[j] - lse[r]);
    hide(b, r, 0.0f);
  }
}

void score_gradients(const FlashBlock& b, float* g, const float* dots) {
  for (int64_t r = 0; r < b.rows; ++r) {
    const float* s = b.s + r * b.keys;
    float* row = g + r * b.keys;
    for (int64_t j = 0; j < b.keys; ++j) row[j] = s[j] * (row[j] - dots[r]);
  }
}

float dot(const float* a, const float* b, int64_t n, int lanes) {
  return lanes == 16 ? dot_all<float, 16>(a, b, n, false) : dot_all<float, 8>(a, b, n, false);
}

}  // namespace

const FlashKernels flash_table = {accumulate, probabilities, score_gradients, dot};

}  // namespace flambeau::FLAMBEAU_ISA
