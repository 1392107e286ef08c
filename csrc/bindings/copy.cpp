#include "ops/copy.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

Tensor copy_(const Tensor& self, const Tensor& src, bool) { return ops::copy_(self, src); }
Tensor fill_(const Tensor& self, Scalar value) { return ops::fill_(self, value); }
Tensor fill_tensor_(const Tensor& self, const Tensor& value) {
  FLAMBEAU_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(), " dimensions.");
  return ops::copy_(self, value);
}

}  // namespace

void bind_copy() {
  def<&copy_>("copy_(self, src, non_blocking=False)", kMethod);
  def<&fill_>("fill_(self, value)", kMethod | kFunction);
  def<&fill_tensor_>("fill_(self, value)", kMethod | kFunction);
  def<&ops::zero_>("zero_(self)", kMethod | kFunction);
}

}  // namespace flambeau::bind
