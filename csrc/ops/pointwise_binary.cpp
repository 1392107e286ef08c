// Binary arithmetic (ops/pointwise.h). Follows aten/src/ATen/native/{BinaryOps,Pow}.cpp and derivatives.yaml.
// Gradients are those of the broadcast inputs: the engine sums them to the inputs' sizes.
#include <cmath>
#include <cstring>

#include "ops/copy.h"
#include "ops/destination.h"
#include "ops/pointwise_rows.h"

namespace flambeau::ops {
namespace {

Tensor as_tensor(const Operand& o) {
  return o.is_tensor() ? o.tensor() : scalar_tensor(o.scalar(), o.scalar().natural_dtype());
}
// A saved operand: a tensor, or a number as it was.
struct SavedOperand {
  Saved tensor;
  Scalar number;
  explicit SavedOperand(const Operand& o, bool keep = true)
      : tensor(keep && o.is_tensor() ? Saved(o.tensor()) : Saved()), number(o.is_tensor() ? Scalar() : o.scalar()) {}
};
// What a saved operand gives back: owns the tensor that the Operand refers to.
struct Restored {
  Tensor tensor;
  Scalar number;
  explicit Restored(const SavedOperand& s) : tensor(s.tensor.defined() ? s.tensor.get() : Tensor()), number(s.number) {}
  Operand operand() const { return tensor.defined() ? Operand(tensor) : Operand(number); }
};

Tensor not_differentiable(const Tensor& out, const char* name, const Operand& self, const Operand& other) {
  return record("NotImplemented", out, {input_of(self), input_of(other)}, [&] {
    return [name](const Tensor&, Needs) -> TensorList {
      throw Error(str("derivative for aten::", name, " is not implemented"));
    };
  });
}

void check_alpha(DType dtype, Scalar alpha) {
  FLAMBEAU_CHECK(!alpha.is_bool() || dtype == DType::Bool, "Boolean alpha only supported for Boolean results.");
  FLAMBEAU_CHECK(flambeau::is_floating(dtype) || is_complex(dtype) || !alpha.is_floating(),
                 "For integral input tensors, argument alpha must not be a floating point number.");
}

bool is_bool(const Operand& o) { return o.is_tensor() ? o.tensor().dtype() == DType::Bool : o.scalar().is_bool(); }

// Division of integers by zero is refused before anything is computed.
void check_divisor(DType dtype, const Operand& other) {
  if (!is_integral(dtype)) return;
  bool zero;
  if (other.is_tensor()) {
    const Tensor zeros = raw_contiguous(eq(other, 0));
    zero = std::memchr(zeros.raw(), 1, size_t(zeros.numel())) != nullptr;
  } else {
    zero = other.scalar().to_int() == 0;
  }
  FLAMBEAU_CHECK(!zero, "ZeroDivisionError");
}

Tensor times(const Tensor& grad, Scalar factor) { return factor.equals(1) ? grad : mul(grad, factor); }

}  // namespace

Tensor binary_plain(const Loops& loops, const char* kernel, const Operand& self, const Operand& other) {
  return elementwise(loops, kernel, result_type({self, other}), {&self, &other});
}

Tensor binary(const BinaryRow& row, const Operand& self, const Operand& other) {
  DType dtype = result_type({self, other});
  if (row.promotion == Promotion::Float) dtype = float_dtype(dtype);
  Tensor out = elementwise(row.loops(), row.kernel, dtype, {&self, &other});
  if (!grad_enabled() || !(self.requires_grad() || other.requires_grad())) return out;
  if (!row.self) return not_differentiable(out, row.kernel, self, other);
  const char* node = row.node_of_number && !other.is_tensor() ? row.node_of_number : row.node;
  return record(node, out, {input_of(self), input_of(other)}, [&] {
    return [&row, a = SavedOperand(self), b = SavedOperand(other)](const Tensor& grad, Needs need) {
      const Restored self(a), other(b);
      return TensorList{need[0] ? row.self(grad, self.operand(), other.operand()) : Tensor(),
                        need[1] ? row.other(grad, self.operand(), other.operand()) : Tensor()};
    };
  });
}

// Elements of the innermost loop lie side by side, and none is read twice.
static bool has_dense_rows(const Tensor& t) {
  bool dense = false;
  for (int64_t i = 0; i < t.dim(); ++i) {
    if (t.size(i) > 1 && t.stride(i) == 0) return false;
    dense |= t.size(i) > 1 && t.stride(i) == 1;
  }
  return dense;
}

static const Loops& axpy_loops(const Operand& self, const Operand& other, DType dtype) {
  const auto& kernels = kernels::arithmetic();
  const bool one = !other.is_tensor() || other.tensor().numel() == 1;
  return one && dtype == DType::Float32 && self.is_tensor() && has_dense_rows(self.tensor()) ? kernels.axpy_one
                                                                                             : kernels.axpy;
}

// self + alpha * other, where other enters the gradient with alpha.
static Tensor add_scaled(const char* node, const Operand& self, const Operand& other, Scalar alpha) {
  const DType dtype = result_type({self, other});
  const auto& kernels = kernels::arithmetic();
  Tensor out = alpha.equals(1)
                   ? elementwise(kernels.add, "add_stub", dtype, {&self, &other})
                   : elementwise(axpy_loops(self, other, dtype), "add_stub", dtype, {&self, &other}, {alpha});
  if (!grad_enabled() || !(self.requires_grad() || other.requires_grad())) return out;
  return record(node, out, {input_of(self), input_of(other)}, [&] {
    return [alpha](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? grad : Tensor(), !need[1]           ? Tensor()
                                                   : alpha.equals(-1) ? neg(grad)
                                                                      : times(grad, alpha)};
    };
  });
}

Tensor add(const Operand& self, const Operand& other, Scalar alpha) {
  check_alpha(result_type({self, other}), alpha);
  return add_scaled("AddBackward0", self, other, alpha);
}

static void check_subtraction(const Operand& self, const Operand& other, Scalar alpha) {
  FLAMBEAU_CHECK(!(is_bool(self) && is_bool(other)),
                 "Subtraction, the `-` operator, with two bool tensors is not supported. "
                 "Use the `^` or `logical_xor()` operator instead.");
  FLAMBEAU_CHECK(!(is_bool(self) || is_bool(other)),
                 "Subtraction, the `-` operator, with a bool tensor is not supported. "
                 "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  check_alpha(result_type({self, other}), alpha);
}

Tensor sub(const Operand& self, const Operand& other, Scalar alpha) {
  check_subtraction(self, other, alpha);
  return add_scaled("SubBackward0", self, other, -alpha);
}

// other - alpha * self: Python's reflected minus has a number for `other`.
Tensor rsub(const Operand& self, const Operand& other, Scalar alpha) {
  check_subtraction(self, other, alpha);
  return add_scaled(other.is_tensor() ? "RsubBackward0" : "RsubBackward1", other, self, -alpha);
}

Tensor mul(const Operand& self, const Operand& other) {
  Tensor out = elementwise(kernels::arithmetic().mul, "mul_cpu", result_type({self, other}), {&self, &other});
  if (!grad_enabled() || !(self.requires_grad() || other.requires_grad())) return out;
  return record("MulBackward0", out, {input_of(self), input_of(other)}, [&] {
    return [a = SavedOperand(self, other.requires_grad()), b = SavedOperand(other, self.requires_grad())](
               const Tensor& grad, Needs need) {
      return TensorList{need[0] ? mul(grad, Restored(b).operand()) : Tensor(),
                        need[1] ? mul(grad, Restored(a).operand()) : Tensor()};
    };
  });
}

Tensor div(const Operand& self, const Operand& other) {
  const DType dtype = float_dtype(result_type({self, other}));
  Tensor out = elementwise(kernels::arithmetic().div, "div_cpu", dtype, {&self, &other});
  if (!grad_enabled() || !(self.requires_grad() || other.requires_grad())) return out;
  return record("DivBackward0", out, {input_of(self), input_of(other)}, [&] {
    return [a = SavedOperand(self, other.requires_grad()), b = SavedOperand(other)](const Tensor& grad, Needs need) {
      const Restored other(b);
      return TensorList{
          need[0] ? div(grad, other.operand()) : Tensor(),
          need[1] ? mul(neg(grad), div(div(Restored(a).operand(), other.operand()), other.operand())) : Tensor()};
    };
  });
}

static Tensor div_value(const Loops& loops, const char* kernel, const Operand& self, const Operand& other) {
  const DType dtype = result_type({self, other});
  check_divisor(dtype, other);
  return elementwise(loops, kernel, dtype, {&self, &other});
}
static Tensor div_rounded(const Loops& loops, const char* kernel, const Operand& self, const Operand& other) {
  return record(other.is_tensor() ? "DivBackward2" : "DivBackward3", div_value(loops, kernel, self, other),
                {input_of(self), input_of(other)}, [] {
                  return [](const Tensor& grad, Needs need) {
                    return TensorList{need[0] ? zeros_like(grad) : Tensor(), need[1] ? zeros_like(grad) : Tensor()};
                  };
                });
}

Tensor div_mode(const Operand& self, const Operand& other, const std::optional<std::string>& rounding_mode) {
  if (!rounding_mode) return div(self, other);
  if (*rounding_mode == "trunc") return div_rounded(kernels::arithmetic().div_trunc, "div_trunc_cpu", self, other);
  if (*rounding_mode == "floor") return div_rounded(kernels::arithmetic().div_floor, "div_floor_cpu", self, other);
  throw Error(
      str("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", *rounding_mode, "'"));
}

Tensor floor_divide(const Operand& self, const Operand& other) {
  return not_differentiable(div_value(kernels::arithmetic().div_floor, "div_floor_cpu", self, other), "floor_divide",
                            self, other);
}

// One row: FLAMBEAU_BINARY(name, node, promotion, loops, slope of self, slope of other).
#define FLAMBEAU_LOOPS_OF(table, member) +[]() -> const Loops& { return kernels::table().member; }
#define FLAMBEAU_BINARY(name, node, promotion, slope_self, slope_other, ...)                                    \
  Tensor name(const Operand& self, const Operand& other) {                                                      \
    static constexpr BinaryRow row = {                                                                          \
        node,                                                                                                   \
        #name,                                                                                                  \
        FLAMBEAU_LOOPS_OF(arithmetic, name),                                                                    \
        Promotion::promotion,                                                                                   \
        [](const Tensor& grad, [[maybe_unused]] const Operand& self,                                            \
           [[maybe_unused]] const Operand& other) -> Tensor { return slope_self; },                             \
        [](const Tensor& grad, [[maybe_unused]] const Operand& self,                                            \
           [[maybe_unused]] const Operand& other) -> Tensor { return slope_other; } __VA_OPT__(, __VA_ARGS__)}; \
    return binary(row, self, other);                                                                            \
  }

namespace {

// 1 / (self^2 + other^2)
Tensor reciprocal_norm(const Operand& self, const Operand& other) {
  return reciprocal(add(mul(self, self), mul(other, other)));
}

namespace rows {
FLAMBEAU_BINARY(fmod, "FmodBackward1", Keep, grad, mul(neg(grad), div_mode(self, other, "trunc")), "FmodBackward0")
FLAMBEAU_BINARY(remainder, "RemainderBackward1", Keep, grad, mul(neg(grad), div_mode(self, other, "floor")),
                "RemainderBackward0")
}  // namespace rows

Tensor tie_or(const Tensor& grad, const Operand& self, const Operand& other, const Tensor& lost) {
  return masked_fill(where(eq(self, other), div(grad, 2), grad), lost, 0);
}
Tensor wins_fmax(const Operand& self, const Operand& other) {
  return logical_or(ge(self, other), isnan(as_tensor(other)));
}
Tensor wins_fmin(const Operand& self, const Operand& other) {
  return logical_or(le(self, other), isnan(as_tensor(other)));
}

}  // namespace

Tensor fmod(const Operand& self, const Operand& other) {
  check_divisor(result_type({self, other}), other);
  return rows::fmod(self, other);
}
Tensor remainder(const Operand& self, const Operand& other) {
  check_divisor(result_type({self, other}), other);
  return rows::remainder(self, other);
}

FLAMBEAU_BINARY(maximum, "MaximumBackward0", Keep, tie_or(grad, self, other, lt(self, other)),
                tie_or(grad, self, other, gt(self, other)))
FLAMBEAU_BINARY(minimum, "MinimumBackward0", Keep, tie_or(grad, self, other, gt(self, other)),
                tie_or(grad, self, other, lt(self, other)))
FLAMBEAU_BINARY(fmax, "FmaxBackward0", Keep, masked_fill(grad, logical_not(wins_fmax(self, other)), 0),
                masked_fill(grad, wins_fmax(self, other), 0))
FLAMBEAU_BINARY(fmin, "FminBackward0", Keep, masked_fill(grad, logical_not(wins_fmin(self, other)), 0),
                masked_fill(grad, wins_fmin(self, other), 0))
FLAMBEAU_BINARY(atan2, "Atan2Backward0", Float, mul(mul(grad, other), reciprocal_norm(self, other)),
                mul(mul(grad, neg(as_tensor(self))), reciprocal_norm(self, other)))
FLAMBEAU_BINARY(hypot, "HypotBackward0", Keep, div(mul(grad, self), hypot(self, other)),
                div(mul(grad, other), hypot(self, other)))
FLAMBEAU_BINARY(copysign, "CopysignBackward0", Float,
                mul(grad, masked_fill(div(copysign(self, other), self), eq(self, 0), 0)), zeros_like(grad))
FLAMBEAU_BINARY(logaddexp, "LogaddexpBackward0", Keep, div(grad, add(exp(sub(other, self)), 1)),
                div(grad, add(exp(sub(self, other)), 1)))
FLAMBEAU_BINARY(logaddexp2, "Logaddexp2Backward0", Keep, div(grad, add(pow(2, sub(other, self)), 1)),
                div(grad, add(pow(2, sub(self, other)), 1)))
FLAMBEAU_BINARY(nextafter, "NextafterBackward0", Keep, grad, zeros_like(grad))
FLAMBEAU_BINARY(xlogy, "XlogyBackward0", Float,
                masked_fill(xlogy(grad, other), logical_and(eq(self, 0), le(other, 0)), 0), div(mul(grad, self), other))
FLAMBEAU_BINARY(xlog1py, "SpecialXlog1PyBackward0", Float,
                masked_fill(xlog1py(grad, other), logical_and(eq(self, 0), le(other, -1)), 0),
                div(mul(grad, self), add(other, 1)))

#define FLAMBEAU_BINARY_WITHOUT_SLOPE(name, table, promotion)                                                \
  Tensor name(const Operand& self, const Operand& other) {                                                   \
    static constexpr BinaryRow row = {"",      #name,  FLAMBEAU_LOOPS_OF(table, name), Promotion::promotion, \
                                      nullptr, nullptr};                                                     \
    return binary(row, self, other);                                                                         \
  }
FLAMBEAU_BINARY_WITHOUT_SLOPE(heaviside, arithmetic, Keep)
FLAMBEAU_BINARY_WITHOUT_SLOPE(gcd, arithmetic, Keep)
FLAMBEAU_BINARY_WITHOUT_SLOPE(lcm, arithmetic, Keep)

Tensor zeta(const Operand& self, const Operand& other) {
  static constexpr BinaryRow row = {"SpecialZetaBackward0",
                                    "zeta",
                                    FLAMBEAU_LOOPS_OF(special, zeta),
                                    Promotion::Float,
                                    [](const Tensor&, const Operand&, const Operand&) -> Tensor {
                                      throw Error("derivative for aten::special_zeta is not implemented");
                                    },
                                    [](const Tensor& grad, const Operand& self, const Operand& other) {
                                      return mul(mul(grad, neg(as_tensor(self))), zeta(add(self, 1), other));
                                    }};
  return binary(row, self, other);
}

Tensor ldexp(const Operand& self, const Operand& other) {
  Tensor out;
  {
    const GradMode off(false);
    out = mul(self, pow(2.0, other));
  }
  return record("LdexpBackward0", out, {input_of(self), input_of(other)}, [&] {
    return [b = SavedOperand(other), out = Saved::output(out)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? mul(grad, pow(2.0, Restored(b).operand())) : Tensor(),
                        need[1] ? mul(mul(grad, out.get()), 0.69314718055994530942) : Tensor()};
    };
  });
}

namespace {

// The powers PyTorch has loops of their own for; null for others.
const Loops* simple_power(double exponent, DType dtype) {
  const auto& k = kernels::unary();
  if (exponent == 0.5) return &mkl_or(kernels::vml().sqrt, k.sqrt, dtype);
  return exponent == 2      ? &k.square
         : exponent == 3    ? &k.cube
         : exponent == -2   ? &k.reciprocal_square
         : exponent == -0.5 ? &k.rsqrt
         : exponent == -1   ? &k.reciprocal
                            : nullptr;
}

Tensor pow_value(const Operand& self, const Operand& exponent, DType dtype) {
  if (!exponent.is_tensor() && self.is_tensor()) {
    const double e = exponent.scalar().to_double();
    FLAMBEAU_CHECK(!(is_integral(dtype, true) && e < 0), "Integers to negative integer powers are not allowed.");
    if (e == 0 || e == 1) {
      Tensor out = make_output(self.sizes(), dtype, &self.tensor());
      if (e == 0) raw_fill(out, 1);
      else raw_copy(out, self.tensor());
      return out;
    }
    const Loops* loops = simple_power(e, dtype);
    if (loops && (flambeau::is_floating(dtype) || e > 1)) return elementwise(*loops, "pow", dtype, {&self});
    if (flambeau::is_floating(dtype)) {
      const double high = float(e), middle = float(e - high);
      if (dtype == DType::Float64 || !std::isfinite(high))
        return elementwise(kernels::unary().pow_number, "pow", dtype, {&self}, {e});
      return elementwise(kernels::unary().pow_number, "pow", dtype, {&self}, {high, middle, e - high - middle});
    }
  }
  return elementwise(kernels::arithmetic().pow, "pow", dtype, {&self, &exponent});
}

Tensor pow_slope_self(const Tensor& grad, const Operand& self, const Operand& exponent) {
  if (!exponent.is_tensor()) {
    const Scalar e = exponent.scalar();
    if (e.equals(0)) return zeros_like(grad);
    const Scalar less = e.is_floating() ? Scalar(e.to_double() - 1) : Scalar(e.to_int() - 1);
    return mul(grad, mul(pow(self, less), e));
  }
  const Tensor product = mul(grad, mul(exponent, pow(self, sub(exponent, 1))));
  return where(eq(exponent, 0), 0, product);
}

Tensor pow_slope_exponent(const Tensor& grad, const Operand& self, const Operand& exponent, const Tensor& result) {
  const Tensor flat = logical_and(eq(self, 0), ge(exponent, 0));
  return mul(grad, where(flat, 0, mul(result, log(as_tensor(self)))));
}

}  // namespace

Tensor pow(const Operand& self, const Operand& exponent) {
  Tensor out = pow_value(self, exponent, result_type({self, exponent}));
  if (!grad_enabled() || !(self.requires_grad() || exponent.requires_grad())) return out;
  const char* node = !exponent.is_tensor() ? "PowBackward0" : self.is_tensor() ? "PowBackward1" : "PowBackward2";
  return record(node, out, {input_of(self), input_of(exponent)}, [&] {
    return [a = SavedOperand(self), b = SavedOperand(exponent),
            saved = exponent.requires_grad() ? Saved::output(out) : Saved()](const Tensor& grad, Needs need) {
      const Restored self(a), exponent(b);
      return TensorList{need[0] ? pow_slope_self(grad, self.operand(), exponent.operand()) : Tensor(),
                        need[1] ? pow_slope_exponent(grad, self.operand(), exponent.operand(), saved.get()) : Tensor()};
    };
  });
}

Tensor float_power(const Operand& self, const Operand& exponent) {
  const Tensor base = to_dtype(as_tensor(self), DType::Float64);
  if (!exponent.is_tensor()) return pow(base, exponent.scalar().to_double());
  return pow(base, to_dtype(exponent.tensor(), DType::Float64));
}

}  // namespace flambeau::ops
