// Unary functions as MKL's vector math has them (kernels/vml.h): one loop a path for float32.
#include "kernels/vml.h"

#include <bit>
#include <cstring>
#include <limits>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "kernels/elementwise_loops.h"
#include "numerics/vml.h"
#include "numerics/vml_erf.h"
#include "numerics/vml_sqrt.h"
#include "numerics/vml_tanh.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

#define FLAMBEAU_INLINE __attribute__((always_inline)) inline

// An approximation of 1 / sqrt(x), as a formula and, where the machine has it, as its instruction.
struct RsqrtAmd {
  FLAMBEAU_INLINE static float of(float x) { return vml::rsqrt_amd(x); }
#if defined(__AVX__)
  FLAMBEAU_INLINE static __m256 of_machine(__m256 x) { return _mm256_rsqrt_ps(x); }
#endif
};
struct Rsqrt14 {
  FLAMBEAU_INLINE static float of(float x) { return vml::rsqrt14(x); }
#if defined(__AVX512VL__)
  FLAMBEAU_INLINE static __m256 of_machine(__m256 x) { return _mm256_rsqrt14_ps(x); }
#endif
};

template <class Rsqrt>
bool machine_agrees() {
#if defined(__AVX__)
  if constexpr (requires(__m256 x) { Rsqrt::of_machine(x); }) {
    // Every significand that they tell apart, for both parities and at both ends of the exponents.
    for (uint32_t k = 0; k < 1u << 16; ++k) {
      const uint32_t offset = (k << 8) | (k & 1);
      for (const uint32_t base : {0x00800000u, 0x3f800000u, 0x7e800000u}) {
        const float x = std::bit_cast<float>(base + offset);
        if (x < std::numeric_limits<float>::infinity() && Rsqrt::of_machine(_mm256_set1_ps(x))[0] != Rsqrt::of(x))
          return false;
      }
    }
    return true;
  }
#endif
  return false;
}

// y[i] for blocks of x; x has room for whole vectors.
constexpr int64_t kBlock = 256;
template <class Rsqrt>
void rsqrt_block(const float* x, float* y, int64_t n) {
  static const bool agrees = machine_agrees<Rsqrt>();
#if defined(__AVX__)
  if constexpr (requires(__m256 v) { Rsqrt::of_machine(v); })
    if (agrees) {
      for (int64_t i = 0; i < n; i += 8) _mm256_storeu_ps(y + i, Rsqrt::of_machine(_mm256_loadu_ps(x + i)));
      return;
    }
#endif
  for (int64_t i = 0; i < n; ++i) y[i] = Rsqrt::of(x[i]);
}

template <class Rsqrt, class Range, class Root>
FLAMBEAU_INLINE void sqrt_blocks(char* const* data, int64_t n, Range range, Root root) {
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  alignas(64) float inside[kBlock] = {}, y[kBlock];
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    for (int64_t i = 0; i < count; ++i) inside[i] = range(x[begin + i]);
    rsqrt_block<Rsqrt>(inside, y, count);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[begin + i] = root(x[begin + i], y[i]);
  }
}
void sqrt_amd(char* const* data, int64_t n, const Number*) {
  sqrt_blocks<RsqrtAmd>(data, n, [](float x) { return x; }, [](float x, float y) { return vml::sqrt_amd(x, y); });
}
void sqrt_intel_avx2(char* const* data, int64_t n, const Number*) {
  sqrt_blocks<RsqrtAmd>(
      data, n, [](float x) { return x; }, [](float x, float y) { return vml::sqrt_intel_avx2(x, y); });
}
void sqrt_intel_avx512(char* const* data, int64_t n, const Number*) {
  sqrt_blocks<Rsqrt14>(
      data, n, [](float x) { return vml::in_range(x); }, [](float x, float y) { return vml::sqrt_intel_avx512(x, y); });
}

// Block by block, so that rows of tables are collected in one loop and used in another, which vectorises.
template <class F>
void vml_loop(char* const* data, int64_t n, const Number*) {
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  const bool in_place = out == x;
  alignas(64) float kept[kBlock];
  for (int64_t begin = 0; begin < n; begin += kBlock, out += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    x = reinterpret_cast<const float*>(data[1]) + begin;
    if (in_place) x = static_cast<const float*>(std::memcpy(kept, x, size_t(count) * sizeof(float)));
    int32_t rare = 0;
    if constexpr (requires { F::kRows; }) {
      alignas(64) typename F::Row rows[kBlock];
      alignas(64) uint32_t row[kBlock];
      for (int64_t i = 0; i < count; ++i) {
        rare |= F::rare(x[i]);
        row[i] = F::row(x[i]);
      }
      for (int64_t i = 0; i < count; ++i) std::memcpy(&rows[i], &F::kRows[row[i]], sizeof rows[i]);
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = F::value(x[i], rows[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) rare |= F::rare(x[i]);
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = F::value(x[i]);
    }
    if (rare)
      for (int64_t i = 0; i < count; ++i)
        if (F::rare(x[i])) out[i] = F::exact(x[i]);
  }
}

constexpr ByMklPath by_path(Loop amd, Loop intel_avx2, Loop intel_avx512) {
  ByMklPath out;
  out.loops[int(MklPath::Amd)].by_dtype[6] = amd;
  out.loops[int(MklPath::IntelAvx2)].by_dtype[6] = intel_avx2;
  out.loops[int(MklPath::IntelAvx512)].by_dtype[6] = intel_avx512;
  return out;
}

template <template <MklPath> class F>
constexpr ByMklPath by_path() {
  return by_path(vml_loop<F<MklPath::Amd>>, vml_loop<F<MklPath::IntelAvx2>>, vml_loop<F<MklPath::IntelAvx512>>);
}

}  // namespace

const VmlKernels vml_table = {
    by_path(sqrt_amd, sqrt_intel_avx2, sqrt_intel_avx512),
    by_path<vml::Exp>(),
    by_path<vml::Log>(),
    by_path<vml::Tanh>(),
    by_path<vml::Sin>(),
    by_path<vml::Cos>(),
    by_path<vml::Tan>(),
    by_path<vml::Erf>(),
};

}  // namespace flambeau::FLAMBEAU_ISA
