// Elementwise arithmetic, comparisons and selections: broadcasting, type promotion as torch's. An Operand is a tensor
// or a number. Activations are in ops/activation.h.
#pragma once

#include <string>
#include <tuple>

#include "tensor/operand.h"

namespace flambeau::ops {

// Binary. Integer inputs of the first line stay integers, of the second become the default dtype.
Tensor add(const Operand& self, const Operand& other, Scalar alpha = 1);   // self + alpha * other
Tensor sub(const Operand& self, const Operand& other, Scalar alpha = 1);   // self - alpha * other
Tensor rsub(const Operand& self, const Operand& other, Scalar alpha = 1);  // other - alpha * self
Tensor mul(const Operand& self, const Operand& other);
Tensor div(const Operand& self, const Operand& other);                     // integers divide to the default dtype
Tensor div_mode(const Operand& self, const Operand& other, const std::optional<std::string>& rounding_mode);
Tensor floor_divide(const Operand& self, const Operand& other);
Tensor remainder(const Operand& self, const Operand& other);               // has the sign of other
Tensor fmod(const Operand& self, const Operand& other);                    // has the sign of self
Tensor pow(const Operand& self, const Operand& exponent);
Tensor float_power(const Operand& self, const Operand& exponent);          // in float64
Tensor maximum(const Operand& self, const Operand& other);                 // NaN if either is; so minimum
Tensor minimum(const Operand& self, const Operand& other);
Tensor fmax(const Operand& self, const Operand& other);                    // NaN only if both are; so fmin
Tensor fmin(const Operand& self, const Operand& other);
Tensor gcd(const Operand& self, const Operand& other);
Tensor lcm(const Operand& self, const Operand& other);
Tensor heaviside(const Operand& self, const Operand& values);
Tensor atan2(const Operand& self, const Operand& other);
Tensor hypot(const Operand& self, const Operand& other);
Tensor copysign(const Operand& self, const Operand& other);
Tensor nextafter(const Operand& self, const Operand& other);
Tensor ldexp(const Operand& self, const Operand& other);                   // self * 2^other
Tensor logaddexp(const Operand& self, const Operand& other);
Tensor logaddexp2(const Operand& self, const Operand& other);
Tensor xlogy(const Operand& self, const Operand& other);                   // 0 where self is 0
Tensor xlog1py(const Operand& self, const Operand& other);
Tensor zeta(const Operand& self, const Operand& other);

// To bool.
Tensor eq(const Operand& self, const Operand& other);
Tensor ne(const Operand& self, const Operand& other);
Tensor lt(const Operand& self, const Operand& other);
Tensor le(const Operand& self, const Operand& other);
Tensor gt(const Operand& self, const Operand& other);
Tensor ge(const Operand& self, const Operand& other);
Tensor logical_and(const Operand& self, const Operand& other);
Tensor logical_or(const Operand& self, const Operand& other);
Tensor logical_xor(const Operand& self, const Operand& other);
Tensor logical_not(const Tensor& self);
Tensor isnan(const Tensor& self);
Tensor isinf(const Tensor& self);
Tensor isfinite(const Tensor& self);
Tensor isposinf(const Tensor& self);
Tensor isneginf(const Tensor& self);
Tensor isreal(const Tensor& self);
Tensor signbit(const Tensor& self);
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
bool equal(const Tensor& self, const Tensor& other);                       // same sizes and elements
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

// Of integers and bools.
Tensor bitwise_and(const Operand& self, const Operand& other);
Tensor bitwise_or(const Operand& self, const Operand& other);
Tensor bitwise_xor(const Operand& self, const Operand& other);
Tensor bitwise_not(const Tensor& self);
Tensor bitwise_left_shift(const Operand& self, const Operand& other);
Tensor bitwise_right_shift(const Operand& self, const Operand& other);

// Unary, of any number.
Tensor neg(const Tensor& self);
Tensor abs(const Tensor& self);
Tensor sign(const Tensor& self);
Tensor sgn(const Tensor& self);
Tensor square(const Tensor& self);
Tensor positive(const Tensor& self);
Tensor floor(const Tensor& self);
Tensor ceil(const Tensor& self);
Tensor trunc(const Tensor& self);
Tensor frac(const Tensor& self);
Tensor round(const Tensor& self);                                          // half to even
Tensor round_decimals(const Tensor& self, int64_t decimals);
Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf);

Tensor angle(const Tensor& self);                                          // 0 or pi
std::tuple<Tensor, Tensor> frexp(const Tensor& self);                      // mantissa * 2^exponent, int32

// Unary, to floating point: integers become the default dtype.
// clang-format off
#define FLAMBEAU_FLOAT_UNARY(_)                                                                                   \
  _(sqrt) _(rsqrt) _(reciprocal) _(exp) _(exp2) _(expm1) _(log) _(log2) _(log10) _(log1p) _(sin) _(cos) _(tan)     \
  _(asin) _(acos) _(atan) _(sinh) _(cosh) _(tanh) _(asinh) _(acosh) _(atanh) _(sigmoid) _(erf) _(erfc) _(erfinv)   \
  _(lgamma) _(digamma) _(sinc) _(deg2rad) _(rad2deg) _(entr) _(ndtr) _(log_ndtr) _(ndtri) _(i0) _(i0e) _(i1) _(i1e) _(erfcx)
// clang-format on
#define FLAMBEAU_DECLARE(name) Tensor name(const Tensor& self);
FLAMBEAU_FLOAT_UNARY(FLAMBEAU_DECLARE)
#undef FLAMBEAU_DECLARE
Tensor logit(const Tensor& self, std::optional<double> eps = {});
Tensor polygamma(int64_t n, const Tensor& self);
Tensor mvlgamma(const Tensor& self, int64_t p);

// Selections and mixtures.
Tensor where(const Tensor& condition, const Operand& self, const Operand& other);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Operand& value);
Tensor clamp(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max);
Tensor clamp_tensor(const Tensor& self, const OptTensor& min, const OptTensor& max);
Tensor clamp_min(const Tensor& self, const Operand& min);
Tensor clamp_max(const Tensor& self, const Operand& max);
Tensor lerp(const Tensor& self, const Tensor& end, const Operand& weight); // self + weight * (end - self)
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);

}  // namespace flambeau::ops
