// In-place views: x.t_() gives x other sizes and strides over the same memory. No element changes, so the history of
// a base stays as it is, and x's own goes on through the view (VariableType's rebase_history in PyTorch).
#include "autograd/node.h"
#include "ops/copy.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// Makes `self` the view of itself that `look` returns for a stand-in with self's memory and history.
template <class Look>
Tensor become(const Tensor& self, Look&& look) {
  check_inplace(self);
  const Tensor view = look(stand_in(self));
  TensorImpl* impl = self.impl();
  impl->set_geometry(view.sizes(), view.strides(), view.storage_offset());
  if (grad_enabled() && view.requires_grad()) {
    auto& meta = autograd_meta(self);
    meta.grad_fn = grad_fn(view);
    meta.output_index = view.impl()->autograd_->output_index;
  } else if (auto* meta = impl->autograd_.get()) {
    meta->accumulator = nullptr;  // made for the old shape
  }
  self.bump_version();
  return self;
}

}  // namespace

Tensor transpose_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return become(self, [&](const Tensor& x) { return transpose(x, dim0, dim1); });
}

Tensor t_(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
  return become(self, [](const Tensor& x) { return t(x); });
}

Tensor squeeze_(const Tensor& self) {
  return become(self, [](const Tensor& x) { return squeeze(x); });
}

Tensor squeeze_dims_(const Tensor& self, const Dims& dim) {
  return become(self, [&](const Tensor& x) { return squeeze_dims(x, dim); });
}

Tensor unsqueeze_(const Tensor& self, int64_t dim) {
  return become(self, [&](const Tensor& x) { return unsqueeze(x, dim); });
}

Tensor as_strided_(const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> storage_offset) {
  return become(self, [&](const Tensor& x) { return as_strided(x, size, stride, storage_offset); });
}

Tensor detach_(const Tensor& self) {
  TensorImpl* impl = self.impl();
  FLAMBEAU_CHECK(!impl->base_, "Can't detach views in-place. Use detach() instead.");
  if (auto* meta = impl->autograd_.get()) {
    meta->grad_fn = {};
    meta->output_index = 0;
    meta->requires_grad = false;
  }
  return self;
}

Tensor fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap) {
  FLAMBEAU_CHECK(self.dim() >= 2, "dimensions must larger than 1");
  int64_t length = self.sizes()[0], step = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    FLAMBEAU_CHECK(self.dim() == 2 || self.sizes()[d] == self.sizes()[0],
                   "all dimensions of input must be of equal length");
    length = std::min(length, self.sizes()[d]);
    step += self.strides()[d];
  }
  fill_(as_strided(self, {length}, {step}), fill_value);
  // A tall matrix: the diagonal begins anew below each square and an empty row.
  const int64_t rows = self.sizes()[0], columns = self.sizes()[1];
  if (wrap && self.dim() == 2 && rows > columns + 1) {
    for (int64_t row = columns + 1; row < rows; row += columns + 1)
      fill_diagonal_(slice(self, 0, row, std::min(row + columns, rows)), fill_value, false);
  }
  return self;
}

}  // namespace flambeau::ops
