// gather, scatter and their relatives: each element of `index` names a position along `dim`, its own coordinates give
// the rest (native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, cpu/ScatterGatherKernel.cpp).
#include <algorithm>
#include <limits>

#include "ops/gather.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

int64_t size_or_1(const Tensor& t, int64_t d) { return t.dim() == 0 ? 1 : t.sizes()[size_t(d)]; }

void check_dtypes(const char* name, const Tensor& self, const Tensor& index, const Tensor* src) {
  FLAMBEAU_CHECK(index.numel() == 0 || index.dtype() == DType::Int64 || index.dtype() == DType::Int32, name,
                 "(): Expected dtype int32/int64 for index");
  FLAMBEAU_CHECK(!src || self.dtype() == src->dtype(), name, "(): Expected self.dtype to be equal to src.dtype");
}

int64_t dims_of(const Tensor& t) { return std::max<int64_t>(t.dim(), 1); }

void check_gather_shape(const Tensor& self, int64_t dim, const Tensor& index) {
  FLAMBEAU_CHECK(dims_of(self) == dims_of(index),
                 "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t d = 0; d < dims_of(self); ++d)
    FLAMBEAU_CHECK(d == dim || size_or_1(index, d) <= size_or_1(self, d), "Size does not match at dimension ", d,
                   " expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
                   " apart from dimension ", dim);
}

void check_scatter_shape(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* src) {
  if (index.numel() == 0) return;
  FLAMBEAU_CHECK(dims_of(self) == dims_of(index),
                 "Index tensor must have the same number of dimensions as self tensor");
  FLAMBEAU_CHECK(!src || dims_of(*src) == dims_of(index),
                 "Index tensor must have the same number of dimensions as src tensor");
  bool fits = true;
  for (int64_t d = 0; d < dims_of(self); ++d) {
    fits &= d == dim || size_or_1(index, d) <= size_or_1(self, d);
    fits &= !src || size_or_1(index, d) <= size_or_1(*src, d);
  }
  if (src)
    FLAMBEAU_CHECK(fits, "Expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
                   " apart from dimension ", dim, " and to be no larger size than src ", src->sizes());
  else
    FLAMBEAU_CHECK(fits, "Expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
                   " apart from dimension ", dim);
}

// Contiguous int64 and within bounds: what the kernels rely on.
Tensor checked_index(const Tensor& index, int64_t dim, int64_t size) {
  const Tensor values = as_int64(index, index.sizes());
  const int64_t* at = values.data<const int64_t>();
  bool outside = false;
  for (int64_t i = 0; i < values.numel(); ++i) outside |= uint64_t(at[i]) >= uint64_t(size);
  if (outside)
    for (int64_t i = 0;; ++i)
      FLAMBEAU_CHECK(uint64_t(at[i]) < uint64_t(size), "index ", at[i], " is out of bounds for dimension ", dim,
                     " with size ", size);
  return values;
}

// The part of src that the index covers, contiguous.
Tensor covered(const Tensor& src, const Tensor& index) {
  if (src.sizes() == index.sizes()) return raw_contiguous(src);
  Tensor window = alias(src);
  Dims strides = src.strides();
  strides.resize(size_t(index.dim()));  // a scalar may stand for a vector of one element, and the other way round
  window.impl()->set_geometry(index.sizes(), strides, src.storage_offset());
  Tensor out = empty(index.sizes(), src.dtype());
  raw_copy(out, window);
  return out;
}

std::optional<kernels::Reduction> reduction_of(const std::string& reduce) {
  if (reduce == "sum" || reduce == "mean") return kernels::Reduction::Add;
  if (reduce == "prod") return kernels::Reduction::Multiply;
  if (reduce == "amax") return kernels::Reduction::Maximum;
  if (reduce == "amin") return kernels::Reduction::Minimum;
  return {};
}

// Writes (no reduction) or reduces src, or one value everywhere, into a copy of self.
Tensor scatter_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, bool one_value,
                    std::optional<kernels::Reduction> reduction) {
  dim = wrap_dim(dim, self.dim());
  check_dtypes("scatter", self, index, &src);
  check_scatter_shape(self, dim, index, one_value ? nullptr : &src);
  if (index.numel() == 0) return writable_copy(self);
  const Tensor checked = checked_index(index, dim, size_or_1(self, dim));
  Tensor out = writable_copy(self);
  const Tensor at = apart(checked, out), values = one_value ? src : apart(covered(src, index), out);
  const LinePlan plan = plan_lines(out, dim, at);
  if (reduction) reduce_lines(*reduction, plan, out, values, one_value);
  else scatter_lines(plan, out, values, one_value);
  return out;
}

// What leaves the other operand unchanged: 0, 1, the lowest or the highest number.
Tensor identity_of(kernels::Reduction reduction, DType dtype) {
  Tensor out = empty({}, dtype);
  visit_all("scatter_reduce", dtype, [&]<class T>(Type<T>) {
    using Limits = std::numeric_limits<std::conditional_t<std::is_class_v<T>, float, T>>;
    T& value = *out.data<T>();
    if constexpr (Limits::has_infinity) {
      value = reduction == kernels::Reduction::Maximum ? T(-Limits::infinity()) : T(Limits::infinity());
    } else {
      value = reduction == kernels::Reduction::Maximum ? Limits::lowest() : Limits::max();
    }
    if (reduction == kernels::Reduction::Add) value = T(0);
    if (reduction == kernels::Reduction::Multiply) value = T(1);
  });
  return out;
}

// How many values met in each place; places that none reached count one, so that dividing leaves them.
Tensor counts_of(const Tensor& self, int64_t dim, const Tensor& index, bool include_self) {
  const Tensor start = include_self ? ones(self.sizes(), self.dtype()) : zeros(self.sizes(), self.dtype());
  const Tensor count = scatter_add(start, dim, index, ones(index.sizes(), self.dtype()));
  return masked_fill(count, eq(count, 0), 1);
}

[[noreturn]] void no_derivative(const char* name) {
  throw NotImplementedError(str("derivative for aten::", name, " is not implemented"));
}

}  // namespace

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  const int64_t wrapped = wrap_dim(dim, self.dim());
  check_dtypes("gather", self, index, nullptr);
  Tensor out = empty(index.sizes(), self.dtype());
  if (index.numel()) {
    check_gather_shape(self, wrapped, index);
    const Tensor at = checked_index(index, wrapped, size_or_1(self, wrapped));
    gather_lines(plan_lines(self, wrapped, at), self, out);
  }
  return record("GatherBackward0", out, {self}, [&] {
    return [index = Saved(index), wrapped, sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{scatter_add(zeros(sizes, grad.dtype()), wrapped, index.get(), grad)};
    };
  });
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor out = scatter_copy(self, dim, index, src, false, {});
  return record("ScatterBackward0", out, {self, src}, [&] {
    return [index = Saved(index), dim](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? scatter_value(grad, dim, index.get(), 0) : Tensor(),
                        need[1] ? gather(grad, dim, index.get()) : Tensor()};
    };
  });
}

Tensor scatter_value(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  Tensor out = scatter_copy(self, dim, index, scalar_tensor(value, self.dtype()), true, {});
  return record("ScatterBackward1", out, {self}, [&] {
    return [index = Saved(index), dim](const Tensor& grad, Needs) {
      return TensorList{scatter_value(grad, dim, index.get(), 0)};
    };
  });
}

static kernels::Reduction scatter_reduction(const std::string& reduce) {
  FLAMBEAU_CHECK(reduce == "add" || reduce == "multiply", "reduce argument must be either add or multiply.");
  return reduce == "add" ? kernels::Reduction::Add : kernels::Reduction::Multiply;
}

Tensor scatter_with(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    const std::string& reduce) {
  Tensor out = scatter_copy(self, dim, index, src, false, scatter_reduction(reduce));
  return record("NotImplemented", out, {self, src},
                [] { return [](const Tensor&, Needs) -> TensorList { no_derivative("scatter"); }; });
}

Tensor scatter_value_with(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                          const std::string& reduce) {
  Tensor out = scatter_copy(self, dim, index, scalar_tensor(value, self.dtype()), true, scatter_reduction(reduce));
  return record("NotImplemented", out, {self},
                [] { return [](const Tensor&, Needs) -> TensorList { no_derivative("scatter"); }; });
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor out = scatter_copy(self, dim, index, src, false, kernels::Reduction::Add);
  return record("ScatterAddBackward0", out, {self, src}, [&] {
    return [index = Saved(index), dim](const Tensor& grad, Needs need) {
      return TensorList{grad, need[1] ? gather(grad, dim, index.get()) : Tensor()};
    };
  });
}

// Gradients of self and src; `result` is scatter_reduce's.
static TensorList scatter_reduce_backward(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index,
                                          const Tensor& src, const std::string& reduce, bool include_self,
                                          const Tensor& result) {
  Tensor grad_self, grad_src;
  if (reduce == "sum") {
    grad_self = grad;
    grad_src = gather(grad, dim, index);
  } else if (reduce == "mean") {
    const Tensor share = div(grad, counts_of(grad, dim, index, include_self));
    grad_self = share;
    grad_src = gather(share, dim, index);
  } else if (reduce == "prod") {
    // A single zero has the product of the others as its slope; with two zeros every slope is 0.
    const Tensor self_nonzero = masked_fill(self, eq(self, 0), 1);
    const Tensor self_product = scatter_reduce(self_nonzero, dim, index, src, reduce, include_self);
    grad_self = div(mul(grad, self_product), self_nonzero);
    const Tensor src_zero = eq(src, 0);
    const Tensor zeros_met = scatter_add(zeros(self.sizes(), src.dtype()), dim, index, to_dtype(src_zero, src.dtype()));
    const Tensor alone = mul(src_zero, eq(gather(zeros_met, dim, index), 1));
    const Tensor others = scatter_reduce(self, dim, index, masked_fill(src, alone, 1), reduce, include_self);
    const Tensor by_others = gather(mul(grad, others), dim, index);
    const Tensor by_result = div(gather(mul(grad, result), dim, index), masked_fill(src, src_zero, 1));
    grad_src = where(alone, by_others, by_result);
  } else {
    const Tensor self_wins = to_dtype(eq(self, result), self.dtype());
    const Tensor src_wins = to_dtype(eq(src, gather(result, dim, index)), self.dtype());
    const Tensor winners = scatter_add(self_wins, dim, index, src_wins);
    const Tensor share = div(grad, winners);
    grad_self = mul(self_wins, share);
    grad_src = mul(src_wins, gather(share, dim, index));
  }
  if (!include_self) grad_self = scatter_value(grad_self, dim, index, 0);
  return {grad_self, grad_src};
}

Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      const std::string& reduce, bool include_self) {
  const auto reduction = reduction_of(reduce);
  FLAMBEAU_CHECK(reduction.has_value(), "reduce argument must be either sum, prod, mean, amax or amin, got ", reduce);
  Tensor out;
  {
    GradMode off(false);
    Tensor start = self;
    if (!include_self) start = scatter_copy(self, dim, index, identity_of(*reduction, self.dtype()), true, {});
    out = scatter_copy(start, dim, index, src, false, reduction);
    if (reduce == "mean") {
      const Tensor count = counts_of(self, dim, index, include_self);
      out = self.is_floating() ? div(out, count) : floor_divide(out, count);
    }
  }
  return record("ScatterReduceBackward0", out, {self, src}, [&] {
    return [self = Saved(self), src = Saved(src), index = Saved(index), result = Saved::output(out), dim, reduce,
            include_self](const Tensor& grad, Needs) {
      return scatter_reduce_backward(grad, self.get(), dim, index.get(), src.get(), reduce, include_self, result.get());
    };
  });
}

// Negative positions count from the end, unlike gather's.
static Tensor wrap_positions(const Tensor& indices, int64_t size) {
  const Tensor dense = as_int64(indices, indices.sizes());
  const int64_t* at = dense.data<const int64_t>();
  if (std::none_of(at, at + dense.numel(), [](int64_t i) { return i < 0; })) return indices;
  Tensor out = empty(indices.sizes(), DType::Int64);
  std::transform(at, at + dense.numel(), out.data<int64_t>(), [&](int64_t i) { return i < 0 ? i + size : i; });
  return out;
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  FLAMBEAU_CHECK(indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32,
                 "torch.take_along_dim(): dtype of indices should be Long but got ", indices.dtype());
  if (!dim) return gather(reshape(self, {-1}), 0, reshape(wrap_positions(indices, self.numel()), {-1}));
  FLAMBEAU_CHECK(self.dim() == indices.dim(),
                 "torch.take_along_dim(): input and indices should have the same number of dimensions, but got ",
                 self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  const int64_t along = wrap_dim(*dim, self.dim());
  Dims self_sizes = self.sizes(), index_sizes = indices.sizes();
  self_sizes[size_t(along)] = indices.size(along);
  const Dims for_indices = broadcast_shapes(self_sizes, indices.sizes());
  index_sizes[size_t(along)] = self.size(along);
  const Dims for_self = broadcast_shapes(index_sizes, self.sizes());
  return gather(expand(self, for_self), along, expand(wrap_positions(indices, self.size(along)), for_indices));
}

}  // namespace flambeau::ops
