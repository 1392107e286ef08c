// mt19937 with PyTorch's seeding (at::mt19937) and the byte layout of torch.get_rng_state (CPUGeneratorImpl.cpp).
#include "random/generator.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "tensor/error.h"

namespace flambeau {
namespace {

// The state as PyTorch has written it since Torch7.
struct StateBytes {
  uint64_t initial_seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t words[624];
  double normal_x;  // unused today
  double next_double_normal;
  double normal_rho;  // unused today
  int32_t next_double_normal_is_valid;
  int32_t padding;
  float next_float_normal;
  bool next_float_normal_is_valid;
};
static_assert(sizeof(StateBytes) == Generator::kStateBytes);

}  // namespace

void Generator::manual_seed(uint64_t seed) {
  seed_ = seed;
  words_[0] = uint32_t(seed);
  for (int i = 1; i < kWords; ++i) words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + uint32_t(i);
  left_ = 1;
  next_ = 0;
  next_float_normal.reset();
  next_double_normal.reset();
}

uint64_t Generator::seed() {
  std::random_device entropy;
  const uint64_t value = (uint64_t(entropy()) << 32) | entropy();
  manual_seed(value);
  return value;
}

void Generator::refill() {
  auto twist = [](uint32_t u, uint32_t v) {
    const uint32_t mixed = (u & 0x80000000u) | (v & 0x7fffffffu);
    return (mixed >> 1) ^ (v & 1u ? 0x9908b0dfu : 0u);
  };
  constexpr int kAhead = 397;
  uint32_t* w = words_;
  for (int i = 0; i < kWords - kAhead; ++i) w[i] = w[i + kAhead] ^ twist(w[i], w[i + 1]);
  for (int i = kWords - kAhead; i < kWords - 1; ++i) w[i] = w[i + kAhead - kWords] ^ twist(w[i], w[i + 1]);
  w[kWords - 1] = w[kAhead - 1] ^ twist(w[kWords - 1], w[0]);
  left_ = kWords;
  next_ = 0;
}

void Generator::random_words(uint32_t* out, int64_t count) {
  while (count > 0) {
    if (left_ == 1) {
      refill();
      ++left_;  // refill serves a word at once; here none is taken yet
    }
    const int64_t take = std::min<int64_t>(count, left_ - 1);
    for (int64_t i = 0; i < take; ++i) out[i] = temper(words_[next_ + i]);
    left_ -= int(take);
    next_ += int(take);
    out += take;
    count -= take;
  }
}

std::vector<uint8_t> Generator::state() const {
  StateBytes state;
  std::memset(&state, 0, sizeof state);
  state.initial_seed = seed_;
  state.left = left_;
  state.seeded = 1;
  state.next = uint64_t(next_);
  std::copy(words_, words_ + kWords, state.words);
  state.next_double_normal_is_valid = next_double_normal.has_value();
  state.next_double_normal = next_double_normal.value_or(0);
  state.next_float_normal_is_valid = next_float_normal.has_value();
  state.next_float_normal = next_float_normal.value_or(0);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&state);
  return {bytes, bytes + sizeof state};
}

void Generator::set_state(const uint8_t* bytes, size_t count) {
  FLAMBEAU_CHECK(count == kStateBytes, "Expected a CPUGeneratorImplState of size ", kStateBytes,
                 " but found the input RNG state size to be ", count);
  StateBytes state{};
  std::memcpy(&state, bytes, count);
  const bool valid = state.seeded == 1 && state.left > 0 && state.left <= kWords && state.next <= uint64_t(kWords);
  FLAMBEAU_CHECK(valid, "Invalid mt19937 state");
  seed_ = state.initial_seed;
  left_ = state.left;
  next_ = int(state.next);
  for (int i = 0; i < kWords; ++i) words_[i] = uint32_t(state.words[i]);
  next_float_normal.reset();
  next_double_normal.reset();
  if (state.next_double_normal_is_valid) next_double_normal = state.next_double_normal;
  if (state.next_float_normal_is_valid) next_float_normal = state.next_float_normal;
}

Ref<Generator> default_generator() {
  static const Ref<Generator> instance = make_ref<Generator>();
  return instance;
}

}  // namespace flambeau
