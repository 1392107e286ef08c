// Unary functions (ops/pointwise.h): a row each, value beside slope. Follows aten/src/ATen/native/UnaryOps.cpp and
// derivatives.yaml. In a slope, `x` is the input or the result, whichever the row keeps.
#include <cmath>

#include "ops/activation.h"
#include "ops/copy.h"
#include "ops/pointwise_rows.h"

namespace flambeau::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Tensor unary(const UnaryRow& row, const Tensor& self) {
  const Operand x(self);
  const DType dtype = row.promotion == Promotion::Float ? float_dtype(self.dtype()) : self.dtype();
  Tensor out = elementwise(row.loops(dtype), row.kernel, dtype, {&x});
  return record(row.node, out, {self}, [&] {
    Saved kept = row.keeps == Keeps::Self ? Saved(self) : row.keeps == Keeps::Result ? Saved::output(out) : Saved();
    return [&row, kept = std::move(kept)](const Tensor& grad, Needs) {
      return TensorList{row.slope(grad, kept.defined() ? kept.get() : Tensor())};
    };
  });
}

// The table of the loops; MKL's for float32 where it says so.
#define LOOPS_unary(name) kernels::unary().name
#define LOOPS_special(name) kernels::special().name
#define LOOPS_mkl(name) mkl_or(kernels::vml().name, kernels::unary().name, dtype)
#define LOOPS_mkl_special(name) mkl_or(kernels::vml().name, kernels::special().name, dtype)

// FLAMBEAU_UNARY_ROW(name, node, table, promotion, what it keeps, slope)
#define FLAMBEAU_UNARY_ROW(name, node, table, promotion, keeps, ...)                                                  \
  Tensor name(const Tensor& self) {                                                                                   \
    static constexpr UnaryRow row = {                                                                                 \
        node,                                                                                                         \
        #name,                                                                                                        \
        +[]([[maybe_unused]] DType dtype) -> const Loops& { return LOOPS_##table(name); },                            \
        Promotion::promotion,                                                                                         \
        Keeps::keeps,                                                                                                 \
        []([[maybe_unused]] const Tensor& grad, [[maybe_unused]] const Tensor& x) -> Tensor { return __VA_ARGS__; }}; \
    return unary(row, self);                                                                                          \
  }
#define KEEP_SELF(name, node, table, ...) FLAMBEAU_UNARY_ROW(name, node, table, Float, Self, __VA_ARGS__)
#define KEEP_RESULT(name, node, table, ...) FLAMBEAU_UNARY_ROW(name, node, table, Float, Result, __VA_ARGS__)

KEEP_RESULT(sqrt, "SqrtBackward0", mkl, div(grad, mul(x, 2)))
KEEP_RESULT(rsqrt, "RsqrtBackward0", unary, mul(mul(grad, -0.5), pow(x, 3)))
KEEP_RESULT(reciprocal, "ReciprocalBackward0", unary, mul(neg(grad), mul(x, x)))
KEEP_RESULT(exp, "ExpBackward0", mkl, mul(grad, x))
KEEP_RESULT(exp2, "Exp2Backward0", special, mul(mul(grad, x), 0.69314718055994530942))
KEEP_RESULT(expm1, "Expm1Backward0", special, mul(grad, add(x, 1)))
KEEP_SELF(log, "LogBackward0", mkl, div(grad, x))
KEEP_SELF(log2, "Log2Backward0", special, div(grad, mul(x, 0.69314718055994530942)))
KEEP_SELF(log10, "Log10Backward0", special, div(grad, mul(x, 2.30258509299404568402)))
KEEP_SELF(log1p, "Log1PBackward0", special, div(grad, add(x, 1)))
KEEP_SELF(sin, "SinBackward0", mkl, mul(grad, cos(x)))
KEEP_SELF(cos, "CosBackward0", mkl, mul(grad, neg(sin(x))))
KEEP_RESULT(tan, "TanBackward0", mkl_special, mul(grad, add(pow(x, 2), 1)))
KEEP_SELF(asin, "AsinBackward0", special, mul(grad, rsqrt(add(mul(neg(x), x), 1))))
KEEP_SELF(acos, "AcosBackward0", special, mul(grad, neg(rsqrt(add(mul(neg(x), x), 1)))))
KEEP_SELF(atan, "AtanBackward0", special, div(grad, add(mul(x, x), 1)))
KEEP_SELF(sinh, "SinhBackward0", special, mul(grad, cosh(x)))
KEEP_SELF(cosh, "CoshBackward0", special, mul(grad, sinh(x)))
KEEP_RESULT(tanh, "TanhBackward0", mkl, tanh_backward(grad, x))
KEEP_SELF(asinh, "AsinhBackward0", special, mul(grad, rsqrt(add(pow(x, 2), 1))))
KEEP_SELF(acosh, "AcoshBackward0", special, mul(grad, rsqrt(sub(pow(x, 2), 1))))
KEEP_SELF(atanh, "AtanhBackward0", special, div(grad, rsub(pow(x, 2), 1)))
KEEP_RESULT(sigmoid, "SigmoidBackward0", unary, sigmoid_backward(grad, x))
KEEP_SELF(erf, "ErfBackward0", mkl, mul(mul(exp(neg(pow(x, 2))), 1.12837916709551257390), grad))
KEEP_SELF(erfc, "ErfcBackward0", special, mul(mul(exp(neg(pow(x, 2))), -1.12837916709551257390), grad))
KEEP_RESULT(erfinv, "ErfinvBackward0", special, mul(mul(exp(pow(x, 2)), 0.88622692545275801365), grad))
KEEP_SELF(erfcx, "SpecialErfcxBackward0", special, mul(sub(mul(mul(x, 2), erfcx(x)), 1.12837916709551257390), grad))
KEEP_SELF(lgamma, "LgammaBackward0", special, mul(grad, digamma(x)))
KEEP_SELF(digamma, "DigammaBackward0", special, mul(grad, polygamma(1, x)))
KEEP_SELF(entr, "SpecialEntrBackward0", special, mul(grad, sub(-1, log(x))))
KEEP_RESULT(ndtri, "SpecialNdtriBackward0", special, mul(mul(exp(div(pow(x, 2), 2)), 2.50662827463100050242), grad))
KEEP_SELF(i0, "I0Backward0", special, mul(grad, i1(x)))
KEEP_SELF(i0e, "SpecialI0EBackward0", special, mul(grad, sub(i1e(x), mul(sign(x), i0e(x)))))
// At 0, where i1(x) / x is 0 / 0, the slope is 1/2.
KEEP_SELF(i1, "SpecialI1Backward0", special, mul(grad, where(eq(x, 0), 0.5, sub(i0(x), div(i1(x), x)))))
KEEP_SELF(i1e, "SpecialI1EBackward0", special,
          mul(grad, where(eq(x, 0), 0.5, sub(i0e(x), mul(i1e(x), add(sign(x), reciprocal(x)))))))
KEEP_SELF(deg2rad, "Deg2RadBackward0", unary, mul(grad, kPi / 180))
KEEP_SELF(rad2deg, "Rad2DegBackward0", unary, mul(grad, 180 / kPi))

namespace {

Tensor sinc_slope(const Tensor& grad, const Tensor& x) {
  const Tensor x_pi = mul(x, kPi), squared_pi = mul(mul(x, x), kPi);
  const Tensor out = mul(grad, div(sub(mul(x_pi, cos(x_pi)), sin(x_pi)), squared_pi));
  return where(eq(squared_pi, 0), 0, out);
}

void refuse_bool(const Tensor& self) {
  FLAMBEAU_CHECK(self.dtype() != DType::Bool,
                 "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                 "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

namespace rows {
FLAMBEAU_UNARY_ROW(neg, "NegBackward0", unary, Keep, Nothing, ops::neg(grad))
FLAMBEAU_UNARY_ROW(floor, "FloorBackward0", unary, Keep, Nothing, zeros_like(grad))
FLAMBEAU_UNARY_ROW(ceil, "CeilBackward0", unary, Keep, Nothing, zeros_like(grad))
FLAMBEAU_UNARY_ROW(trunc, "TruncBackward0", unary, Keep, Nothing, zeros_like(grad))
FLAMBEAU_UNARY_ROW(round, "RoundBackward0", unary, Keep, Nothing, zeros_like(grad))
}  // namespace rows

}  // namespace

KEEP_SELF(sinc, "SincBackward0", special, sinc_slope(grad, x))
FLAMBEAU_UNARY_ROW(abs, "AbsBackward0", unary, Keep, Self, mul(grad, sign(x)))
FLAMBEAU_UNARY_ROW(sign, "SignBackward0", unary, Keep, Nothing, zeros_like(grad))
Tensor sgn(const Tensor& self) {
  static constexpr UnaryRow row = {
      "SgnBackward0",  "sgn_cpu",      +[](DType) -> const Loops& { return kernels::unary().sign; },
      Promotion::Keep, Keeps::Nothing, [](const Tensor& grad, const Tensor&) { return zeros_like(grad); }};
  return unary(row, self);
}
FLAMBEAU_UNARY_ROW(frac, "FracBackward0", unary, Keep, Nothing, grad)

Tensor neg(const Tensor& self) {
  refuse_bool(self);
  return rows::neg(self);
}
Tensor square(const Tensor& self) { return pow(self, 2); }
Tensor positive(const Tensor& self) {
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, "The `+` operator, on a bool tensor is not supported.");
  return self;
}

// Integers are whole already.
Tensor floor(const Tensor& self) { return is_integral(self.dtype()) ? clone(self) : rows::floor(self); }
Tensor ceil(const Tensor& self) { return is_integral(self.dtype()) ? clone(self) : rows::ceil(self); }
Tensor trunc(const Tensor& self) { return is_integral(self.dtype()) ? clone(self) : rows::trunc(self); }
Tensor round(const Tensor& self) { return is_integral(self.dtype()) ? clone(self) : rows::round(self); }

Tensor round_decimals(const Tensor& self, int64_t decimals) {
  if (decimals == 0) return round(self);
  const Operand x(self);
  Tensor out = elementwise(kernels::unary().round_decimals, "round_vml_cpu", self.dtype(), {&x},
                           {std::pow(10.0, double(std::abs(decimals))), decimals < 0 ? 1.0 : 0.0});
  return record("RoundBackward1", out, {self},
                [] { return [](const Tensor& grad, Needs) { return TensorList{zeros_like(grad)}; }; });
}

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (is_integral(self.dtype(), true)) return clone(self);
  double highest = std::numeric_limits<double>::max();
  if (self.dtype() == DType::Float32) highest = std::numeric_limits<float>::max();
  if (self.dtype() == DType::Float16) highest = 65504;
  if (self.dtype() == DType::BFloat16) highest = 0x1.fep127;
  const Operand x(self);
  Tensor out = elementwise(kernels::unary().nan_to_num, "nan_to_num", self.dtype(), {&x},
                           {nan.value_or(0), posinf.value_or(highest), neginf.value_or(-highest)});
  return record("NanToNumBackward0", out, {self}, [&] {
    return [self = Saved(self)](const Tensor& grad, Needs) { return TensorList{mul(grad, isfinite(self))}; };
  });
}

Tensor logit(const Tensor& self, std::optional<double> eps) {
  Tensor out;
  {
    const GradMode off(false);
    const Tensor x = eps ? clamp(self, *eps, 1 - *eps) : self;
    out = log(div(x, rsub(x, 1)));
  }
  return record("LogitBackward0", out, {self}, [&] {
    return [self = Saved(self), eps](const Tensor& grad, Needs) {
      const Tensor x = self;
      const double low = eps.value_or(0), high = 1 - low;
      const Tensor outside = logical_or(lt(x, low), gt(x, high));
      const Tensor slope = div(grad, mul(x, rsub(x, 1)));
      return TensorList{where(outside, eps ? 0.0 : std::numeric_limits<double>::quiet_NaN(), slope)};
    };
  });
}

// Composed, as PyTorch composes it.
Tensor ndtr(const Tensor& self) { return mul(add(erf(mul(self, 0.70710678118654752440)), 1), 0.5); }

Tensor log_ndtr(const Tensor& self) {
  const Operand x(self);
  Tensor out = elementwise(kernels::special().log_ndtr, "log_ndtr", float_dtype(self.dtype()), {&x});
  return record("SpecialLogNdtrBackward0", out, {self}, [&] {
    return [self = Saved(self), out = Saved::output(out)](const Tensor& grad, Needs) {
      // The density over the distribution, by way of the logarithm of the latter.
      const Tensor exponent = neg(add(out.get(), div(pow(self.get(), 2), 2)));
      return TensorList{mul(div(grad, std::sqrt(2 * kPi)), exp(exponent))};
    };
  });
}

Tensor polygamma(int64_t n, const Tensor& self) {
  FLAMBEAU_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  const Operand x(self);
  Tensor out = elementwise(kernels::special().polygamma, "polygamma", float_dtype(self.dtype()), {&x}, {double(n)});
  return record("PolygammaBackward0", out, {self}, [&] {
    return [self = Saved(self), n](const Tensor& grad, Needs) { return TensorList{mul(grad, polygamma(n + 1, self))}; };
  });
}

Tensor mvlgamma(const Tensor& self, int64_t p) {
  FLAMBEAU_CHECK(p >= 1, "p has to be greater than or equal to 1");
  Tensor sum = lgamma(self);
  for (int64_t j = 1; j < p; ++j) sum = add(sum, lgamma(sub(self, double(j) / 2)));
  return add(sum, double(p * (p - 1)) * std::log(kPi) / 4);
}

}  // namespace flambeau::ops
