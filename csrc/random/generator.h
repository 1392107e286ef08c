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
  static constexpr uint64_t kDefaultSeed = 67280421310721ull;
  static constexpr size_t kStateBytes = 5056;

  explicit Generator(uint64_t seed = kDefaultSeed) { manual_seed(seed); }
  void manual_seed(uint64_t seed);
  uint64_t seed();  // reseeds from the system's entropy
  uint64_t initial_seed() const { return seed_; }

  uint32_t random() {  // the next word
    if (--left_ == 0) refill();
    return temper(words_[next_++]);
  }
  uint64_t random64() {  // two words, the first is the high one
    const uint64_t high = random();
    return high << 32 | random();
  }
  void random_words(uint32_t* out, int64_t count);  // the same words as `count` calls of random()

  // torch.get_rng_state's blob: kStateBytes bytes, which torch and Flambeau read from each other.
  std::vector<uint8_t> state() const;
  void set_state(const uint8_t* bytes, size_t count);

  std::mutex mutex;  // held by whoever draws
  std::optional<float> next_float_normal;
  std::optional<double> next_double_normal;

 private:
  static constexpr int kWords = 624;
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  void refill();

  uint32_t words_[kWords];
  int left_ = 1, next_ = 0;  // words left in this block, plus one; the next one's place
  uint64_t seed_;
};

Ref<Generator> default_generator();
inline Ref<Generator> generator_or_default(const Ref<Generator>& g) { return g ? g : default_generator(); }

}  // namespace flambeau
