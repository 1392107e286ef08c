// Positions and elements that masks pick (native/TensorAdvancedIndexing.cpp). Row-major order throughout.
#include <algorithm>

#include "ops/gather.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

// (dim, count): a row of coordinates for each dimension.
Tensor nonzero_columns(const Tensor& self) {
  const Tensor dense = raw_contiguous(self);
  const int64_t ndim = self.dim(), numel = self.numel();
  return visit_all("nonzero", self.dtype(), [&]<class T>(Type<T>) {
    const T* x = dense.data<const T>();
    int64_t count = 0;
    for (int64_t i = 0; i < numel; ++i) count += x[i] != T(0);
    Tensor out = empty({ndim, count}, DType::Int64);
    int64_t* columns = out.data<int64_t>();
    const int64_t width = ndim ? self.sizes().back() : 1;
    Dims at(size_t(ndim), 0);  // the coordinates of a row's first element
    for (int64_t first = 0, found = 0; found < count; first += width) {
      const int64_t before = found;
      for (int64_t i = 0; i < width; ++i) {
        if (x[first + i] == T(0)) continue;
        if (ndim) columns[(ndim - 1) * count + found] = i;
        ++found;
      }
      for (int64_t d = 0; d + 1 < ndim; ++d)
        std::fill(columns + d * count + before, columns + d * count + found, at[size_t(d)]);
      for (int64_t d = ndim - 1; d-- > 0 && ++at[size_t(d)] == self.sizes()[size_t(d)];) at[size_t(d)] = 0;
    }
    return out;
  });
}

Tensor raw_expand(const Tensor& t, const Dims& sizes) {
  Tensor out = empty(sizes, t.dtype());
  raw_copy(out, t);
  return out;
}

// Calls f(i) for each set element of the contiguous mask.
template <class F>
void for_each_set(const Tensor& mask, F f) {
  const bool* set = mask.data<const bool>();
  for (int64_t i = 0; i < mask.numel(); ++i)
    if (set[i]) f(i);
}

// The i-th value belongs to the i-th place of the mask; values left over stay unused.
Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, const Dims& sizes) {
  const Tensor picked = masked_select(grad, mask);
  const int64_t missing = numel_of(sizes) - picked.numel();
  if (missing == 0) return view(picked, sizes);
  return view(cat({picked, zeros({missing}, grad.dtype())}), sizes);
}

}  // namespace

// The strides are PyTorch's: one column after the other.
Tensor nonzero(const Tensor& self) { return alias(transpose(nonzero_columns(self), 0, 1)); }

TensorList nonzero_numpy(const Tensor& self) {
  return unbind(nonzero_columns(self.dim() ? self : unsqueeze(alias(self), 0)), 0);
}

Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value) {
  FLAMBEAU_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  const Tensor found = nonzero(self);
  Tensor out = full({size, self.dim()}, fill_value, DType::Int64);
  const int64_t kept = std::min(size, found.size(0));
  if (kept) raw_copy(narrow(out, 0, 0, kept), narrow(found, 0, 0, kept));
  return out;
}

Tensor argwhere(const Tensor& self) { return nonzero(self); }

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  FLAMBEAU_CHECK(mask.dtype() == DType::Bool, "masked_select: expected BoolTensor for mask");
  const Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
  const Tensor values = self.is_contiguous() && self.sizes() == sizes ? self : raw_expand(self, sizes);
  const Tensor set = mask.is_contiguous() && mask.sizes() == sizes ? mask : raw_expand(mask, sizes);
  int64_t count = 0;
  for_each_set(set, [&](int64_t) { ++count; });
  Tensor out = empty({count}, self.dtype());
  visit_width(self.itemsize(), [&]<class T>(Type<T>) {
    const T* from = values.data<const T>();
    T* to = out.data<T>();
    for_each_set(set, [&](int64_t i) { *to++ = from[i]; });
  });
  return record("MaskedSelectBackward0", out, {self}, [&] {
    return [mask = Saved(mask), sizes, self_sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{sum_to(masked_scatter(zeros(sizes, grad.dtype()), mask.get(), grad), self_sizes)};
    };
  });
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  FLAMBEAU_CHECK(self.dtype() == source.dtype(), "masked_scatter: expected self and source to have same dtypes but got",
                 self.dtype(), " and ", source.dtype());
  FLAMBEAU_CHECK(mask.dtype() == DType::Bool, "masked_scatter_ only supports boolean masks, but got mask with dtype ",
                 mask.dtype());
  const Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
  const Tensor set = mask.is_contiguous() && mask.sizes() == sizes ? mask : raw_expand(mask, sizes);
  Tensor values = raw_contiguous(source);
  int64_t count = 0;
  for_each_set(set, [&](int64_t) { ++count; });
  FLAMBEAU_CHECK(count <= values.numel(), "Number of elements of source < number of ones in mask");
  Tensor out = self.sizes() == sizes && self.is_contiguous() ? writable_copy(self) : raw_expand(self, sizes);
  values = apart(values, out);
  visit_width(self.itemsize(), [&]<class T>(Type<T>) {
    const T* from = values.data<const T>();
    T* to = out.data<T>();
    for_each_set(set, [&](int64_t i) { to[i] = *from++; });
  });
  return record("MaskedScatterBackward0", out, {self, source}, [&] {
    return [mask = Saved(mask), sizes, self_sizes = self.sizes(), source_sizes = source.sizes()](const Tensor& grad,
                                                                                                 Needs need) {
      const Tensor set = expand(mask.get(), sizes);
      TensorList grads(2);
      if (need[0]) grads[0] = sum_to(masked_fill(grad, set, 0), self_sizes);
      if (need[1]) grads[1] = masked_scatter_backward(grad, set, source_sizes);
      return grads;
    };
  });
}

}  // namespace flambeau::ops
