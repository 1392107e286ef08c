// Functions of three inputs and selections (kernels/elementwise.h). Follows aten/src/ATen/native/cpu/
// PointwiseOpsKernel.cpp, LerpKernel.cpp and TensorCompareKernel.cpp.
#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

#define FLAMBEAU_INLINE __attribute__((always_inline)) inline

template <class T>
FLAMBEAU_INLINE T addcmul(T x, T y, T z, T value) {
  if constexpr (std::is_floating_point_v<T>) return fn::fma(value * y, z, x);
  else return T(uint64_t(x) + uint64_t(value) * uint64_t(y) * uint64_t(z));
}
// From the end that is nearer, so that both ends are met exactly.
template <class T>
FLAMBEAU_INLINE T lerp(T start, T end, T weight) {
  const T difference = end - start;
  return fn::abs(weight) < T(0.5) ? fn::fma(weight, difference, start) : fn::fma(weight - T(1), difference, end);
}

FLAMBEAU_FORMULA(3, addcmul, addcmul(x, y, z, p.a))
FLAMBEAU_FORMULA(3, addcdiv, x + (p.a * y) / z)
FLAMBEAU_FORMULA(3, lerp, lerp(x, y, z))
FLAMBEAU_FORMULA(3, clamp_between, x != x ? x : y != y ? y : z != z ? z : (x < y ? y : x) > z ? z : (x < y ? y : x))

template <class Word>
void where(char* const* data, int64_t n, const Number*) {
  Word* out = reinterpret_cast<Word*>(data[0]);
  const uint8_t* condition = reinterpret_cast<const uint8_t*>(data[1]);
  const Word* x = reinterpret_cast<const Word*>(data[2]);
  const Word* y = reinterpret_cast<const Word*>(data[3]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = condition[i] ? x[i] : y[i];
}

}  // namespace

const MixtureKernels mixture_table = {
    FLAMBEAU_MIXTURES(FLAMBEAU_LOOPS){where<uint8_t>, where<uint16_t>, where<uint32_t>, where<uint64_t>}};

}  // namespace flambeau::FLAMBEAU_ISA
