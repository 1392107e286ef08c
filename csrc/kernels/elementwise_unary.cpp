// Unary functions that vectorise (kernels/elementwise.h). Follows aten/src/ATen/native/cpu/UnaryOpsKernel.cpp.
#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

#define FLAMBEAU_INLINE __attribute__((always_inline)) inline

template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
FLAMBEAU_INLINE T negative(T x) {
  if constexpr (std::is_floating_point_v<T>) return -x;
  else return T(Unsigned<T>(0) - Unsigned<T>(x));
}
template <class T>
FLAMBEAU_INLINE T absolute(T x) {
  if constexpr (std::is_floating_point_v<T>) return fn::abs(x);
  else return x < 0 ? negative(x) : x;
}
template <class T>
FLAMBEAU_INLINE T power(T x, int times) {
  if constexpr (std::is_floating_point_v<T>) return times == 2 ? x * x : x * x * x;
  else return times == 2 ? T(Unsigned<T>(x) * Unsigned<T>(x)) : T(Unsigned<T>(x) * Unsigned<T>(x) * Unsigned<T>(x));
}
template <class T>
FLAMBEAU_INLINE T complement(T x) {
  if constexpr (std::is_same_v<T, bool>) return !x;
  else return T(~x);
}
// nan, posinf, neginf are p.a, p.b, p.c.
template <class T>
FLAMBEAU_INLINE T finite(T x, const Params<T>& p) {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  return x != x ? p.a : x == kInf ? p.b : x == -kInf ? p.c : x;
}
// p.a = 10^|decimals|, p.b whether decimals < 0.
template <class T>
FLAMBEAU_INLINE T round_to(T x, const Params<T>& p) {
  return p.b != 0 ? fn::rint(x / p.a) * p.a : fn::rint(x * p.a) / p.a;
}

// The exponent is p.a; single elements take it in double, as p.a + p.b + p.c.
template <class M, class T>
FLAMBEAU_INLINE T power_of_number(T x, const Params<T>& p) {
  if constexpr (std::is_same_v<M, fn::Library>) return T(std::pow(double(x), double(p.a) + double(p.b) + double(p.c)));
  else return M::pow(x, p.a);
}

FLAMBEAU_FORMULA(1, neg, negative(x))
FLAMBEAU_FORMULA(1, abs, absolute(x))
FLAMBEAU_FORMULA(1, sign, T((T(0) < x) - (x < T(0))))
FLAMBEAU_FORMULA(1, square, power(x, 2))
FLAMBEAU_FORMULA(1, cube, power(x, 3))
FLAMBEAU_FORMULA(1, bitwise_not, complement(x))
FLAMBEAU_FORMULA(1, floor, fn::floor(x))
FLAMBEAU_FORMULA(1, ceil, fn::ceil(x))
FLAMBEAU_FORMULA(1, trunc, fn::trunc(x))
FLAMBEAU_FORMULA(1, frac, x - fn::trunc(x))
FLAMBEAU_FORMULA(1, round, fn::rint(x))
FLAMBEAU_FORMULA(1, round_decimals, round_to(x, p))
FLAMBEAU_FORMULA(1, nan_to_num, finite(x, p))
// NaN stays; a lower bound above the upper one gives the upper.
FLAMBEAU_FORMULA(1, clamp, x<p.a ? (p.a > p.b ? p.b : p.a) : x> p.b ? p.b : x)
FLAMBEAU_FORMULA(1, sqrt, fn::sqrt(x))
FLAMBEAU_FORMULA(1, rsqrt, T(1) / fn::sqrt(x))
FLAMBEAU_FORMULA(1, pow_number, power_of_number<M>(x, p))
FLAMBEAU_FORMULA(1, reciprocal, T(1) / x)
FLAMBEAU_FORMULA(1, reciprocal_square, T(1) / (x * x))
FLAMBEAU_FORMULA(1, exp, fn::exp(x))
FLAMBEAU_FORMULA(1, log, fn::log(x))
FLAMBEAU_FORMULA(1, tanh, fn::tanh(x))
FLAMBEAU_FORMULA(1, sigmoid, fn::sigmoid<M>(x))
FLAMBEAU_FORMULA(1, erf, fn::erf(x))
FLAMBEAU_FORMULA(1, sin, std::sin(x))
FLAMBEAU_FORMULA(1, cos, std::cos(x))
FLAMBEAU_FORMULA(1, deg2rad, x* T(0.017453292519943295769236907684886))
FLAMBEAU_FORMULA(1, rad2deg, x* T(57.295779513082320876798154814105))

}  // namespace

const UnaryKernels unary_table = {FLAMBEAU_UNARY(FLAMBEAU_LOOPS)};

}  // namespace flambeau::FLAMBEAU_ISA
