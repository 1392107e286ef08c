// Unary functions as MKL's vector math has them (kernels/vml.h): one loop a path for float32.
#include "kernels/vml.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"
#include "numerics/vml_sqrt.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int64_t kBlock = 256;

#if defined(__AVX__)
void rsqrt_of_machine(const float* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, _mm256_rsqrt_ps(_mm256_loadu_ps(x + i)));
  for (; i < n; ++i) y[i] = _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x[i])));
}
// Whether the machine's instruction gives every entry of the table, at both ends of the exponents too.
bool machine_has_rsqrt_amd() {
  for (uint32_t k = 0; k < 8192; ++k) {
    const uint32_t offset = k << 11;
    const uint32_t bits[] = {0x00800000 + offset, 0x3f800000 + offset, 0x3f8007ff + offset, 0x7e800000 + offset};
    for (const uint32_t b : bits) {
      const float x = std::bit_cast<float>(b);
      float y;
      rsqrt_of_machine(&x, &y, 1);
      if (y != vml::rsqrt_amd(x)) return false;
    }
  }
  return true;
}
#endif

void rsqrt_of_table(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = vml::rsqrt_amd(x[i]);
}

using Rsqrt = void (*)(const float* x, float* y, int64_t n);
Rsqrt rsqrt_amd() {
#if defined(__AVX__)
  static const bool of_machine = machine_has_rsqrt_amd();
  if (of_machine) return rsqrt_of_machine;
#endif
  return rsqrt_of_table;
}

void sqrt_amd(char* const* data, int64_t n, const Number*) {
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  const Rsqrt approximate = rsqrt_amd();
  float y[kBlock];
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    approximate(x + begin, y, count);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[begin + i] = vml::sqrt_amd(x[begin + i], y[i]);
  }
}

FLAMBEAU_FORMULA(1, sqrt_ieee, fn::sqrt(x))

constexpr ByMklPath by_path(Loop amd, Loop intel_avx2, Loop intel_avx512) {
  ByMklPath out;
  out.loops[int(MklPath::Amd)].by_dtype[6] = amd;
  out.loops[int(MklPath::IntelAvx2)].by_dtype[6] = intel_avx2;
  out.loops[int(MklPath::IntelAvx512)].by_dtype[6] = intel_avx512;
  return out;
}

constexpr Loop sqrt_ieee = loop_of<sqrt_ieee_formula, false, float>();

}  // namespace

const VmlKernels vml_table = {
    by_path(sqrt_amd, sqrt_ieee, sqrt_ieee),
};

}  // namespace flambeau::FLAMBEAU_ISA
