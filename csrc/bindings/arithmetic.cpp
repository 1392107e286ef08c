// number op tensor: what Python's reflected operators compute, in PyTorch's order (torch/_tensor.py).
#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/pointwise.h"

namespace flambeau::bind {
namespace {

Tensor rsub(const Tensor& self, const Operand& other) { return ops::rsub(self, other); }
Tensor rdiv(const Tensor& self, const Operand& other) {
  const Tensor inverse = ops::reciprocal(self);
  return ops::mul(inverse, other);
}
Tensor rfloordiv(const Tensor& self, const Operand& other) { return ops::floor_divide(other, self); }
Tensor rmod(const Tensor& self, const Operand& other) { return ops::remainder(other, self); }
Tensor rpow(const Tensor& self, const Operand& other) { return ops::pow(other, self); }
Tensor rlshift(const Tensor& self, const Operand& other) { return ops::bitwise_left_shift(other, self); }
Tensor rrshift(const Tensor& self, const Operand& other) { return ops::bitwise_right_shift(other, self); }

}  // namespace

void bind_arithmetic() {
  def<&rsub>("_rsub(self, other)", kMethod);
  def<&rdiv>("_rdiv(self, other)", kMethod);
  def<&rfloordiv>("_rfloordiv(self, other)", kMethod);
  def<&rmod>("_rmod(self, other)", kMethod);
  def<&rpow>("_rpow(self, other)", kMethod);
  def<&rlshift>("_rlshift(self, other)", kMethod);
  def<&rrshift>("_rrshift(self, other)", kMethod);
}

}  // namespace flambeau::bind
