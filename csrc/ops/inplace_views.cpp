#include "ops/inplace_views.h"

#include "autograd/node.h"
#include "ops/copy.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// self becomes `view`, a view of it, history included.
Tensor become(const Tensor& self, const Tensor& view) {
  check_inplace(self);
  if (const Ref<Node> node = grad_enabled() ? grad_fn(view) : Ref<Node>()) {
    const uint32_t index = autograd_meta(view).output_index;
    auto& meta = autograd_meta(self);
    meta.grad_fn = node;
    meta.output_index = index;
  }
  self.impl()->set_geometry(view.sizes(), view.strides(), view.storage_offset());
  self.bump_version();
  return self;
}

}  // namespace

Tensor unsqueeze_(const Tensor& self, int64_t dim) { return become(self, unsqueeze(self, dim)); }
Tensor squeeze_(const Tensor& self) { return become(self, squeeze(self)); }
Tensor squeeze_dims_(const Tensor& self, const Dims& dim) { return become(self, squeeze_dims(self, dim)); }
Tensor t_(const Tensor& self) { return become(self, t(self)); }
Tensor transpose_(const Tensor& self, int64_t dim0, int64_t dim1) { return become(self, transpose(self, dim0, dim1)); }
Tensor as_strided_(const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> storage_offset) {
  return become(self, as_strided(self, size, stride, storage_offset));
}

Tensor fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap) {
  FLAMBEAU_CHECK(self.dim() >= 2, "dimensions must larger than 1");
  const int64_t height = self.size(0), width = self.size(1);
  int64_t stride = 0, length = height;
  for (int64_t d = 0; d < self.dim(); ++d) {
    FLAMBEAU_CHECK(self.dim() == 2 || self.size(d) == height, "all dimensions of input must be of equal length");
    stride += self.stride(d);
    length = std::min(length, self.size(d));
  }
  fill_(as_strided(self, {length}, {stride}, self.storage_offset()), fill_value);
  if (wrap && self.dim() == 2 && height > width + 1) {
    const int64_t rest = (self.numel() + width) / (width + 1) - length;
    fill_(as_strided(self, {rest}, {stride}, self.storage_offset() + self.stride(0) * (width + 1)), fill_value);
  }
  return self;
}

}  // namespace flambeau::ops
