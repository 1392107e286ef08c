// Shared parts of the reducing families (ops/reduce_common.h).
#include "ops/reduce_common.h"

#include <cstdio>

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/pointwise.h"
#include "ops/views.h"

namespace flambeau::ops {

Tensor reduce_with(const ReduceLoop (&loops)[3], const Tensor& self, const ReducedDims& dims, bool keepdim,
                   Scalar identity) {
  Tensor out = empty(dims.sizes(keepdim), self.dtype());
  raw_fill(out, identity);
  if (self.numel() == 0) return out;
  const Tensor first = scalar_tensor(identity, self.dtype());
  parallel_reduce(ReducePlan(self, dims), loops[compute_slot(self.dtype())], out.raw(), self.raw(), self.itemsize(),
                  first.raw());
  return out;
}

Tensor raw_view(const Tensor& t, IntSpan sizes, IntSpan strides, int64_t offset) {
  return from_storage(t.storage(), t.dtype(), sizes, strides, offset);
}

Rows::Rows(const Tensor& self, int64_t dim) : sizes_(self.sizes()), ndim_(self.dim()) {
  dim_ = wrap_dim(dim, ndim_);
  Dims strides = self.strides();
  if (ndim_ == 0) {
    sizes_.push_back(1);
    strides.push_back(1);
  }
  n = sizes_[size_t(dim_)];
  Dims moved = sizes_;
  for (Dims* d : {&moved, &strides}) {
    const int64_t value = (*d)[size_t(dim_)];
    d->erase(size_t(dim_));
    d->push_back(value);
  }
  rows = 1;
  for (size_t d = 0; d + 1 < moved.size(); ++d) rows *= moved[d];
  data = raw_contiguous(raw_view(self, moved, strides, self.storage_offset()));
}

Tensor Rows::make(DType dtype, int64_t length) const {
  Dims sizes = data.sizes();
  sizes.back() = length;
  return empty(sizes, dtype);
}

Tensor Rows::restore(const Tensor& result) const {
  if (ndim_ == 0) return raw_reshape(result, {});
  if (dim_ == ndim_ - 1) return result;
  Dims sizes = result.sizes(), strides = result.strides();
  for (Dims* d : {&sizes, &strides}) {
    const int64_t value = d->back();
    d->resize(d->size() - 1);
    d->insert(size_t(dim_), value);
  }
  Tensor out = empty(sizes, result.dtype());
  raw_copy(out, raw_view(result, sizes, strides, result.storage_offset()));
  return out;
}

Tensor Rows::reduced(const Tensor& result, bool keepdim) const {
  Dims sizes = sizes_;
  if (ndim_ == 0) sizes.clear();
  else if (keepdim) sizes[size_t(dim_)] = 1;
  else sizes.erase(size_t(dim_));
  return raw_reshape(result, sizes);
}

std::string streamed(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

void check_nonempty_dim(std::string_view name, const Tensor& self, int64_t dim) {
  if (self.dim() == 0) {
    FLAMBEAU_CHECK_AS(IndexError, dim == 0 || dim == -1, name, ": Expected reduction dim -1 or 0 for scalar but got ",
                      dim);
    return;
  }
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(IndexError, self.sizes()[size_t(dim)] != 0, name, ": Expected reduction dim ", dim,
                    " to have non-zero size.");
}

void check_nonempty_dims(std::string_view name, const Tensor& self, IntSpan dim) {
  if (self.numel() != 0) return;
  FLAMBEAU_CHECK(!dim.empty(), name,
                 ": Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
                 "'dim' argument.");
  for (const int64_t d : dim) check_nonempty_dim(name, self, d);
}

Tensor unreduce(const Tensor& t, const ReducedDims& dims, int64_t ndim, bool keepdim) {
  if (keepdim || dims.all()) return t;
  Tensor out = t;
  for (int64_t d = 0; d < ndim; ++d)
    if (dims.marked(d)) out = unsqueeze(out, d);
  return out;
}

Tensor value_selecting_reduction_backward(const Tensor& grad, int64_t dim, const Tensor& indices, const Dims& sizes,
                                          bool keepdim) {
  const bool lost = !keepdim && !sizes.empty();
  return scatter(zeros(sizes, grad.dtype()), dim, lost ? unsqueeze(indices, dim) : indices,
                 lost ? unsqueeze(grad, dim) : grad);
}

Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& value) {
  const Tensor mask = where(isnan(value), isnan(self), eq(self, value));
  return masked_fill(zeros(self.sizes(), grad.dtype()), mask, div(grad, sum(mask)));
}

}  // namespace flambeau::ops
