#include "ops/copy.h"

#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/memory_format.h"

namespace flambeau::bind {
namespace {

Tensor copy_(const Tensor& self, const Tensor& src, bool) { return ops::copy_(self, src); }
Tensor fill_(const Tensor& self, Scalar value) { return ops::fill_(self, value); }
Tensor fill_tensor_(const Tensor& self, const Tensor& value) {
  FLAMBEAU_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
                 " dimensions.");
  return ops::copy_(self, value);
}
Tensor fill(const Tensor& self, Scalar value) { return ops::fill_(ops::clone(self), value); }
Tensor fill_tensor(const Tensor& self, const Tensor& value) { return fill_tensor_(ops::clone(self), value); }
Tensor clone(const Tensor& self, MemoryFormat format) { return ops::clone(self, format); }
Tensor contiguous(const Tensor& self, MemoryFormat format) {
  return ops::contiguous(self, format == MemoryFormat::Preserve ? MemoryFormat::Contiguous : format);
}
bool is_contiguous(const Tensor& self, MemoryFormat format) { return ops::is_contiguous(self, format); }

}  // namespace

void bind_copy() {
  def<&copy_>("copy_(self, src, non_blocking=False)", kMethod);
  def<&fill_tensor_>("fill_(self, value)", kPlain);
  def<&fill_>("fill_(self, value)", kPlain);
  def<&fill_tensor>("fill(self, value)", kFunction);
  def<&fill>("fill(self, value)", kFunction);
  def<&ops::zero_>("zero_(self)", kPlain);
  def<&clone>("clone(self, *, memory_format=None)", kPlain);
  def<&contiguous>("contiguous(self, memory_format=None)", kMethod);
  def<&is_contiguous>("is_contiguous(self, memory_format=None)", kMethod);
  def<&ops::to_dtype>("_to_dtype(self, dtype)", kMethod);
}

}  // namespace flambeau::bind
