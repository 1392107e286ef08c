// The random stream: mt19937 as PyTorch's CPU generator runs it (at::CPUGeneratorImpl), with its cached normals.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "tensor/intrusive.h"

namespace flambeau {

class Generator final : public RefCounted {
 public:
  explicit Generator(uint64_t seed = 67280421310721ull);
  void manual_seed(uint64_t seed);
  uint64_t seed();                        // a new one from the system's entropy
  uint64_t initial_seed() const { return seed_; }

  uint32_t random();                      // 32 bits; random64: two draws, the first is the high word's... see .cpp
  uint64_t random64();
  std::vector<uint8_t> state() const;     // PyTorch's get_rng_state: 5056 bytes
  void set_state(const uint8_t* bytes, size_t count);

  std::mutex mutex;                       // held by whoever draws
  std::optional<float> next_float_normal;
  std::optional<double> next_double_normal;

 private:
  void refill();
  uint32_t words_[624];
  int left_ = 1, next_ = 0;
  uint64_t seed_;
};

Ref<Generator> default_generator();
inline Ref<Generator> generator_or_default(const Ref<Generator>& g) { return g ? g : default_generator(); }

}  // namespace flambeau
