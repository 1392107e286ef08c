// Comparisons, logic and bits (ops/pointwise.h): nothing here has a gradient. Follows aten/src/ATen/native/
// {BinaryOps,TensorCompare}.cpp.
#include <cstring>

#include "ops/copy.h"
#include "ops/pointwise_rows.h"

namespace flambeau::ops {
namespace {

// A predicate that integers answer without being looked at.
Tensor float_predicate(const Loops& loops, const char* name, const Tensor& self, bool of_integers) {
  if (is_integral(self.dtype(), true)) return full(self.sizes(), of_integers, DType::Bool);
  const Operand x(self);
  return elementwise(loops, name, self.dtype(), {&x});
}

Tensor bits(const Loops& loops, const char* name, const Operand& self, const Operand& other) {
  const DType dtype = result_type({self, other});
  return elementwise(loops, name, dtype, {&self, &other});
}

}  // namespace

#define FLAMBEAU_COMPARISON(name)                                               \
  Tensor name(const Operand& self, const Operand& other) {                      \
    return binary_plain(kernels::comparison().name, #name "_cpu", self, other); \
  }
FLAMBEAU_COMPARISONS(FLAMBEAU_COMPARISON)

Tensor logical_not(const Tensor& self) {
  const Operand x(self);
  return elementwise(kernels::comparison().logical_not, "logical_not_cpu", self.dtype(), {&x});
}
Tensor signbit(const Tensor& self) {
  if (self.dtype() == DType::Bool) return full(self.sizes(), false, DType::Bool);
  const Operand x(self);
  return elementwise(kernels::comparison().signbit, "signbit_cpu", self.dtype(), {&x});
}
Tensor isnan(const Tensor& self) { return float_predicate(kernels::comparison().isnan, "isnan", self, false); }
Tensor isinf(const Tensor& self) { return float_predicate(kernels::comparison().isinf, "isinf", self, false); }
Tensor isposinf(const Tensor& self) { return float_predicate(kernels::comparison().isposinf, "isposinf", self, false); }
Tensor isneginf(const Tensor& self) { return float_predicate(kernels::comparison().isneginf, "isneginf", self, false); }
Tensor isfinite(const Tensor& self) { return float_predicate(kernels::comparison().isfinite, "isfinite", self, true); }
Tensor isreal(const Tensor& self) { return full(self.sizes(), true, DType::Bool); }

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  FLAMBEAU_CHECK(self.dtype() == other.dtype(), self.dtype(), " did not match ", other.dtype());
  FLAMBEAU_CHECK(rtol >= 0, "rtol must be greater than or equal to zero, but got ", rtol);
  FLAMBEAU_CHECK(atol >= 0, "atol must be greater than or equal to zero, but got ", atol);
  const GradMode off(false);
  Tensor close = eq(self, other);
  if (equal_nan && self.is_floating()) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  if (rtol == 0 && atol == 0) return close;
  // Integers are compared in floating point; bools subtract nowhere else.
  const Tensor x = to_dtype(self, float_dtype(self.dtype())), y = to_dtype(other, float_dtype(self.dtype()));
  const Tensor allowed = add(abs(mul(y, rtol)), atol);
  const Tensor actual = abs(sub(x, y));
  return logical_or(close, logical_and(isfinite(actual), le(actual, allowed)));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const Tensor close = raw_contiguous(isclose(self, other, rtol, atol, equal_nan));
  return std::memchr(close.raw(), 0, size_t(close.numel())) == nullptr;
}

bool equal(const Tensor& self, const Tensor& other) {
  FLAMBEAU_CHECK(self.dtype() == other.dtype(), "Expected object of data type ", self.dtype(), " but got data type ",
                 other.dtype(), " for argument 'other' in call to equal");
  if (!(self.sizes() == other.sizes())) return false;
  const Tensor same = raw_contiguous(eq(self, other));
  return std::memchr(same.raw(), 0, size_t(same.numel())) == nullptr;
}

Tensor bitwise_and(const Operand& self, const Operand& other) {
  return bits(kernels::arithmetic().bitwise_and, "bitwise_and_cpu", self, other);
}
Tensor bitwise_or(const Operand& self, const Operand& other) {
  return bits(kernels::arithmetic().bitwise_or, "bitwise_or_cpu", self, other);
}
Tensor bitwise_xor(const Operand& self, const Operand& other) {
  return bits(kernels::arithmetic().bitwise_xor, "bitwise_xor_cpu", self, other);
}
Tensor bitwise_left_shift(const Operand& self, const Operand& other) {
  return bits(kernels::arithmetic().left_shift, "lshift_cpu", self, other);
}
Tensor bitwise_right_shift(const Operand& self, const Operand& other) {
  return bits(kernels::arithmetic().right_shift, "rshift_cpu", self, other);
}
Tensor bitwise_not(const Tensor& self) {
  const Operand x(self);
  return elementwise(kernels::unary().bitwise_not, "bitwise_not_cpu", self.dtype(), {&x});
}

}  // namespace flambeau::ops
