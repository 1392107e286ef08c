// Activations and their slopes (kernels/elementwise.h). Follows aten/src/ATen/native/cpu/Activation.cpp. In a slope, x
// is the gradient of the output, y the input, or the result where the operator keeps that.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"
#include "numerics/onednn_eltwise.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

#define FLAMBEAU_INLINE __attribute__((always_inline)) inline

constexpr double kSqrtHalf = 0.70710678118654752440;
// sqrt(2 / pi), by the product PyTorch writes.
constexpr double kGeluBeta = 1.41421356237309504880 * 1.12837916709551257390 * 0.5;
constexpr double kGeluKappa = 0.044715;

template <class T>
FLAMBEAU_INLINE T gelu_avx512(T x) {
  if constexpr (sizeof(T) == 4) return onednn::gelu_avx512(x);
  else return x * 0.5 * (1 + fn::erf(x * kSqrtHalf));
}
template <class T>
FLAMBEAU_INLINE T gelu_avx2(T x) {
  if constexpr (sizeof(T) == 4) return onednn::gelu_avx2(x);
  else return gelu_avx512(x);
}
template <class T>
FLAMBEAU_INLINE T gelu_slope(T grad, T x) {
  if constexpr (sizeof(T) == 4) return onednn::gelu_slope(x) * grad;
  const T cdf = T(0.5) * (T(1) + fn::erf(x * T(kSqrtHalf)));
  const T pdf = fn::exp(x * x * T(-0.5)) * T(kGeluBeta * 0.5);
  return grad * (cdf + x * pdf);
}
// In vectors the formula of Abramowitz and Stegun, 7.1.26, around Sleef's exp (Vectorized<float>::erf).
template <class M, class T>
FLAMBEAU_INLINE T erf(T x) {
  if constexpr (sizeof(T) == 4 && std::is_same_v<M, fn::Vector>) {
    const float t = 1.0f / fn::fma(0.3275911f, fn::abs(x), 1.0f);
    return fn::copysign(fn::fma(-fn::exp(-(x * x)) * t, onednn::erf_polynomial(t), 1.0f), x);
  }
  return std::erf(x);
}
template <class M, class T>
FLAMBEAU_INLINE T gelu_strided(T x) {
  return (x * T(0.5)) * (T(1) + erf<M>(x * T(kSqrtHalf)));
}
template <class M, class T>
FLAMBEAU_INLINE T gelu_strided_slope(T grad, T x) {
  const T cdf = T(0.5) * (T(1) + erf<M>(x * T(kSqrtHalf)));
  const T pdf = M::exp(x * x * T(-0.5)) * T(1.12837916709551257390 * kSqrtHalf * 0.5);
  if constexpr (std::is_same_v<M, fn::Vector>) return grad * fn::fma(x, pdf, cdf);
  return grad * (cdf + x * pdf);
}
template <class M, class T>
FLAMBEAU_INLINE T gelu_tanh(T x) {
  const T inner = T(kGeluBeta) * fn::fma(T(kGeluKappa), (x * x) * x, x);
  return (T(0.5) * x) * (T(1) + M::tanh(inner));
}
template <class M, class T>
FLAMBEAU_INLINE T gelu_tanh_slope(T grad, T x) {
  const T square = x * x, t = M::tanh(T(kGeluBeta) * fn::fma(T(kGeluKappa), x * square, x));
  const T left = T(0.5) * (T(1) + t), tanh_slope = fn::fma(-t, t, T(1));
  const T inner_slope = T(kGeluBeta) * fn::fma(T(3) * T(kGeluKappa), square, T(1));
  return grad * (left + ((T(0.5) * x) * tanh_slope) * inner_slope);
}
template <class M, class T>
FLAMBEAU_INLINE T silu_slope(T grad, T x) {
  const T s = fn::sigmoid<M>(x);
  return grad * s * fn::fma(x, T(1) - s, T(1));
}
template <class M, class T>
FLAMBEAU_INLINE T tanh_softplus(T x) {
  return M::tanh(M::log1p(M::exp(x)));
}
template <class M, class T>
FLAMBEAU_INLINE T mish_slope(T grad, T x) {
  const T t = tanh_softplus<M>(x);
  return grad * fn::fma(x * fn::sigmoid<M>(x), fn::fma(-t, t, T(1)), t);
}
// beta and threshold are p.a and p.b.
template <class M, class T>
FLAMBEAU_INLINE T softplus(T x, const Params<T>& p) {
  const T scaled = x * p.a, y = M::log1p(M::exp(scaled)) / p.a;
  return scaled > p.b ? x : y;
}
template <class M, class T>
FLAMBEAU_INLINE T softplus_slope(T grad, T x, const Params<T>& p) {
  const T z = M::exp(x * p.a), y = grad * z / (z + T(1));
  return x * p.a > p.b ? grad : y;
}
// alpha * scale, scale and input_scale are p.a, p.b, p.c; in the slope p.d says whether x is the result.
template <class M, class T>
FLAMBEAU_INLINE T elu(T x, const Params<T>& p) {
  const T below = M::expm1(x * p.c) * p.a;
  return x <= T(0) ? below : x * p.b;
}
template <class M, class T>
FLAMBEAU_INLINE T elu_slope(T grad, T x, const Params<T>& p) {
  const T from_self = grad * p.c * p.a * M::exp(x * p.c), from_result = grad * p.c * (x + p.a);
  return x <= T(0) ? (p.d != T(0) ? from_result : from_self) : grad * p.b;
}
template <class T>
FLAMBEAU_INLINE T inside_six(T x) {
  const T y = x + T(3);
  return y < T(0) ? T(0) : y > T(6) ? T(6) : y;
}
// What is cut off is +0 in vectors, and keeps its sign elsewhere.
template <class M, class T>
FLAMBEAU_INLINE T softshrink(T x, T lambda) {
  const T inside = std::is_same_v<M, fn::Vector> && x == x ? T(0) : x * T(0);
  return x > lambda ? x - lambda : x < -lambda ? x + lambda : inside;
}
template <class M, class T>
FLAMBEAU_INLINE T log_sigmoid(T x) {
  return (x < T(0) ? x : x == x ? T(0) : x) - M::log1p(M::exp(-fn::abs(x)));
}
template <class M, class T>
FLAMBEAU_INLINE T log_sigmoid_slope(T grad, T x) {
  const T z = M::exp(-fn::abs(x)), tail = z / (T(1) + z);
  return grad * (x < T(0) ? T(1) - tail : tail);
}

FLAMBEAU_FORMULA(1, relu, x <= T(0) ? T(0) : x)
FLAMBEAU_FORMULA(1, threshold, x <= p.a ? p.b : x)
FLAMBEAU_FORMULA(2, threshold_slope, y <= p.a ? T(0) : x)
FLAMBEAU_FORMULA(1, gelu_avx512, gelu_avx512(x))
FLAMBEAU_FORMULA(1, gelu_avx2, gelu_avx2(x))
FLAMBEAU_FORMULA(2, gelu_slope, gelu_slope(x, y))
FLAMBEAU_FORMULA(1, gelu_strided, gelu_strided<M>(x))
FLAMBEAU_FORMULA(2, gelu_strided_slope, gelu_strided_slope<M>(x, y))
FLAMBEAU_FORMULA(1, gelu_tanh, gelu_tanh<M>(x))
FLAMBEAU_FORMULA(2, gelu_tanh_slope, gelu_tanh_slope<M>(x, y))
FLAMBEAU_FORMULA(1, silu, x / (T(1) + M::exp(-x)))
FLAMBEAU_FORMULA(2, silu_slope, silu_slope<M>(x, y))
FLAMBEAU_FORMULA(1, mish, x* tanh_softplus<M>(x))
FLAMBEAU_FORMULA(2, mish_slope, mish_slope<M>(x, y))
FLAMBEAU_FORMULA(1, softplus, softplus<M>(x, p))
FLAMBEAU_FORMULA(2, softplus_slope, softplus_slope<M>(x, y, p))
FLAMBEAU_FORMULA(1, leaky_relu, x > T(0) ? x : x * p.a)
FLAMBEAU_FORMULA(2, leaky_relu_slope, y > T(0) ? x : x * p.a)
FLAMBEAU_FORMULA(1, elu, elu<M>(x, p))
FLAMBEAU_FORMULA(2, elu_slope, elu_slope<M>(x, y, p))
FLAMBEAU_FORMULA(2, hardtanh_slope, y <= p.a || y >= p.b ? T(0) : x)
FLAMBEAU_FORMULA(1, hardswish, x* inside_six(x) / T(6))
FLAMBEAU_FORMULA(2, hardswish_slope, y <= T(-3) ? T(0) : y < T(3) ? x * (y / T(3) + T(0.5)) : x)
FLAMBEAU_FORMULA(1, hardsigmoid, inside_six(x) / T(6))
FLAMBEAU_FORMULA(2, hardsigmoid_slope, y > T(-3) && y < T(3) ? x * (T(1) / T(6)) : T(0))
FLAMBEAU_FORMULA(1, hardshrink, x >= -p.a && x <= p.a ? T(0) : x)
FLAMBEAU_FORMULA(1, softshrink, softshrink<M>(x, p.a))
FLAMBEAU_FORMULA(2, shrink_slope, y >= -p.a && y <= p.a ? T(0) : x)
FLAMBEAU_FORMULA(1, log_sigmoid, log_sigmoid<M>(x))
FLAMBEAU_FORMULA(2, log_sigmoid_slope, log_sigmoid_slope<M>(x, y))
FLAMBEAU_FORMULA(2, sigmoid_slope, x*(T(1) - y) * y)
FLAMBEAU_FORMULA(2, tanh_slope, x* fn::fma(-y, y, T(1)))
FLAMBEAU_FORMULA(2, prelu, x > T(0) ? x : y * x)

#if defined(__AVX512F__)
// The formula's lookups by permutation: the compiler would gather.
void gelu_by_permutation(char* const* data, int64_t n, const Number* params) {
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  __m512 low[6], high[6];
  for (int degree = 0; degree < 6; ++degree) {
    low[degree] = _mm512_castsi512_ps(_mm512_loadu_si512(onednn::kGeluTable[degree]));
    high[degree] = _mm512_castsi512_ps(_mm512_loadu_si512(onednn::kGeluTable[degree] + 16));
  }
  const __m512i sign = _mm512_set1_epi32(int32_t(0x80000000u));
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512 v = _mm512_loadu_ps(x + i);
    const __m512i bits = _mm512_castps_si512(v), size = _mm512_andnot_si512(sign, bits);
    __m512i k = _mm512_srai_epi32(_mm512_add_epi32(size, _mm512_set1_epi32(int32_t(0xc21fffffu))), 21);
    k = _mm512_min_epi32(_mm512_max_epi32(k, _mm512_set1_epi32(1)), _mm512_set1_epi32(24));
    const __m512 a = _mm512_castsi512_ps(size), last = _mm512_castsi512_ps(_mm512_set1_epi32(0x40b15cee));
    k = _mm512_mask_mov_epi32(k, _mm512_cmp_ps_mask(last, a, _CMP_LT_OQ), _mm512_set1_epi32(23));
    __m512 p = _mm512_permutex2var_ps(low[5], k, high[5]);
    for (int degree = 4; degree >= 0; --degree)
      p = _mm512_fmadd_ps(p, a, _mm512_permutex2var_ps(low[degree], k, high[degree]));
    p = _mm512_castsi512_ps(
        _mm512_or_si512(_mm512_andnot_si512(sign, _mm512_castps_si512(p)), _mm512_and_si512(sign, bits)));
    const __m512 y = _mm512_mul_ps(_mm512_mul_ps(v, _mm512_add_ps(p, _mm512_set1_ps(1.0f))), _mm512_set1_ps(0.5f));
    _mm512_storeu_ps(out + i, y);
  }
  if (i == n) return;
  char* rest[] = {data[0] + i * int64_t(sizeof(float)), data[1] + i * int64_t(sizeof(float))};
  loop_of<gelu_avx512_formula, false, float>()(rest, n - i, params);
}
#endif

constexpr ActivationKernels make_table() {
  ActivationKernels table = {FLAMBEAU_ACTIVATIONS(FLAMBEAU_LOOPS) FLAMBEAU_ACTIVATION_SLOPES(FLAMBEAU_LOOPS)};
#if defined(__AVX512F__)
  table.gelu_avx512.by_dtype[6] = gelu_by_permutation;
#endif
  return table;
}

}  // namespace

const ActivationKernels activation_table = make_table();

}  // namespace flambeau::FLAMBEAU_ISA
