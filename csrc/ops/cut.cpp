// Cutting a tensor into views, and broadcasting and reshaping helpers that views give (native/TensorShape.cpp).
#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"

namespace flambeau::ops {
namespace {

void check_can_split(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
                 self.dim(), " dims");
}

void check_dims_for(const char* name, const Tensor& self, int64_t least) {
  FLAMBEAU_CHECK(self.dim() >= least, "torch.", name, " requires a tensor with at least ", least,
                 " dimension, but got a tensor with ", self.dim(), " dimensions!");
}

TensorList split_evenly(const char* name, const Tensor& self, int64_t sections, int64_t dim) {
  FLAMBEAU_CHECK(sections != 0 && self.size(dim) % sections == 0, "torch.", name,
                 " attempted to split along dimension ", dim, ", but the size of the dimension ", self.size(dim),
                 " is not divisible by the split_size ", sections, "!");
  return tensor_split(self, sections, dim);
}

int64_t horizontal(const Tensor& self) {
  check_dims_for("hsplit", self, 1);
  return self.dim() == 1 ? 0 : 1;
}

template <class F>
TensorList map(const TensorList& tensors, F f) {
  TensorList out;
  for (const Tensor& t : tensors) out.push_back(f(t));
  return out;
}

}  // namespace

TensorList tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  check_can_split(self);
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  const int64_t size = self.size(dim) / sections, longer = self.size(dim) % sections;
  TensorList out;
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t length = size + (i < longer);
    out.push_back(slice(self, dim, start, start + length));
    start += length;
  }
  return out;
}

TensorList tensor_split_at(const Tensor& self, const Dims& indices, int64_t dim) {
  check_can_split(self);
  dim = wrap_dim(dim, self.dim());
  TensorList out;
  int64_t start = 0;
  for (const int64_t end : indices) {
    out.push_back(slice(self, dim, start, end));
    start = end;
  }
  out.push_back(slice(self, dim, start, {}));
  return out;
}

TensorList tensor_split_by(const Tensor& self, const Tensor& indices_or_sections, int64_t dim) {
  check_can_split(self);
  FLAMBEAU_CHECK(indices_or_sections.dtype() == DType::Int64,
                 "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
                 indices_or_sections.dtype());
  FLAMBEAU_CHECK(indices_or_sections.dim() <= 1,
                 "tensor_split expected tensor_indices_or_sections to be a "
                 "zero-dimensional or one-dimensional tensor, but got a tensor with ",
                 indices_or_sections.dim(), " dims");
  const Tensor dense = raw_contiguous(indices_or_sections);
  const int64_t* values = dense.data<const int64_t>();
  if (dense.dim() == 0) return tensor_split(self, *values, dim);
  return tensor_split_at(self, Dims(IntSpan(values, size_t(dense.numel()))), dim);
}

TensorList hsplit(const Tensor& self, int64_t sections) {
  return split_evenly("hsplit", self, sections, horizontal(self));
}
TensorList hsplit_at(const Tensor& self, const Dims& indices) {
  return tensor_split_at(self, indices, horizontal(self));
}

TensorList vsplit(const Tensor& self, int64_t sections) {
  check_dims_for("vsplit", self, 2);
  return split_evenly("vsplit", self, sections, 0);
}
TensorList vsplit_at(const Tensor& self, const Dims& indices) {
  check_dims_for("vsplit", self, 2);
  return tensor_split_at(self, indices, 0);
}

TensorList dsplit(const Tensor& self, int64_t sections) {
  check_dims_for("dsplit", self, 3);
  return split_evenly("dsplit", self, sections, 2);
}
TensorList dsplit_at(const Tensor& self, const Dims& indices) {
  check_dims_for("dsplit", self, 3);
  return tensor_split_at(self, indices, 2);
}

TensorList meshgrid(const TensorList& tensors, const std::string& indexing) {
  FLAMBEAU_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  FLAMBEAU_CHECK(indexing == "ij" || indexing == "xy",
                 "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  TensorList axes = tensors;
  const bool swapped = indexing == "xy" && axes.size() >= 2;
  if (swapped) std::swap(axes[0], axes[1]);
  Dims shape;
  for (const Tensor& axis : axes) {
    FLAMBEAU_CHECK(axis.dtype() == axes[0].dtype(), "meshgrid expects all tensors to have the same dtype");
    FLAMBEAU_CHECK(axis.dim() <= 1,
                   "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", axis.sizes());
    shape.push_back(axis.numel());
  }
  TensorList grids;
  for (size_t i = 0; i < axes.size(); ++i) {
    Dims sizes(axes.size(), 1);
    sizes[i] = axes[i].numel();
    grids.push_back(expand(view(axes[i], sizes), shape));
  }
  if (swapped) std::swap(grids[0], grids[1]);
  return grids;
}

TensorList broadcast_tensors(const TensorList& tensors) {
  Dims shape;
  for (const Tensor& t : tensors) shape = broadcast_shapes(shape, t.sizes());
  return map(tensors, [&](const Tensor& t) { return expand(t, shape); });
}

Tensor broadcast_to(const Tensor& self, const Dims& size) { return expand(self, size); }
Tensor expand_as(const Tensor& self, const Tensor& other) { return expand(self, other.sizes()); }
Tensor view_as(const Tensor& self, const Tensor& other) { return view(self, other.sizes()); }
Tensor reshape_as(const Tensor& self, const Tensor& other) { return reshape(self, other.sizes()); }
Tensor ravel(const Tensor& self) { return reshape(contiguous(self), {-1}); }

Tensor atleast_1d(const Tensor& self) { return self.dim() == 0 ? reshape(self, {1}) : self; }

Tensor atleast_2d(const Tensor& self) {
  if (self.dim() == 0) return reshape(self, {1, 1});
  return self.dim() == 1 ? unsqueeze(self, 0) : self;
}

Tensor atleast_3d(const Tensor& self) {
  if (self.dim() == 0) return reshape(self, {1, 1, 1});
  if (self.dim() == 1) return unsqueeze(unsqueeze(self, 0), -1);
  return self.dim() == 2 ? unsqueeze(self, -1) : self;
}

TensorList atleast_1d_all(const TensorList& tensors) { return map(tensors, atleast_1d); }
TensorList atleast_2d_all(const TensorList& tensors) { return map(tensors, atleast_2d); }
TensorList atleast_3d_all(const TensorList& tensors) { return map(tensors, atleast_3d); }

}  // namespace flambeau::ops
