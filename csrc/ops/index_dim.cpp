// Along one dimension by a vector of positions, and take and put on the flattened tensor
// (native/TensorAdvancedIndexing.cpp, cpu/IndexKernel.cpp). Duplicate positions: later values win, or add in order.
#include <algorithm>

#include "ops/gather.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

bool is_index(const Tensor& t) { return t.dtype() == DType::Int64 || t.dtype() == DType::Int32; }
int64_t size_along(const Tensor& t, int64_t dim) { return t.dim() ? t.sizes()[size_t(dim)] : 1; }

// The plan of self's rows at `index`; `outside` raises for the first position that is none.
template <class Outside>
BlockPlan rows_at(const Tensor& self, int64_t dim, const Tensor& index, bool wrap, Outside outside) {
  BlockPlan plan = plan_rows(self, dim);
  const Tensor at = as_int64(index, index.sizes());
  const int64_t* positions = at.data<const int64_t>();
  const int64_t size = size_along(self, dim), stride = self.dim() ? self.stride(dim) : 0;
  plan.rows.resize(size_t(at.numel()));
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    int64_t position = positions[i];
    if (wrap && position < 0) position += size;
    if (uint64_t(position) >= uint64_t(size)) outside(positions[i], size);
    plan.rows[i] = position * stride;
  }
  return plan;
}

void out_of_self(int64_t, int64_t) { throw IndexError("index out of range in self"); }

auto out_of_dim(int64_t dim, const char* prefix = "") {
  return [dim, prefix](int64_t position, int64_t size) {
    throw IndexError(str(prefix, "index ", position, " is out of bounds for dimension ", dim, " with size ", size));
  };
}

// Shapes of self and source agree except along dim.
void check_source_shape(const Tensor& self, int64_t dim, const Tensor& source) {
  bool same = self.dim() == source.dim();
  for (int64_t d = 0; same && d < self.dim(); ++d) same = d == dim || self.size(d) == source.size(d);
  FLAMBEAU_CHECK(
      same, "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = ",
      self.sizes(), " source.shape = ", source.sizes());
}

// As PyTorch does it: add()'s arithmetic a row, in index order.
void add_scaled_rows(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  GradMode off(false);
  const Tensor at = as_int64(index, index.sizes());
  const auto row_of = [dim](const Tensor& t, int64_t i) { return t.dim() ? narrow(t, dim, i, 1) : t; };
  for (int64_t i = 0; i < at.numel(); ++i) {
    const Tensor row = row_of(out, at.data<const int64_t>()[i]);
    raw_copy(row, add(row, row_of(source, i), alpha));
  }
}

// index as a tensor of source's shape, for the operators that take one position an element.
Tensor spread(const Tensor& index, int64_t dim, const Tensor& source) {
  if (source.dim() == 0) return reshape(index, {});
  Dims shape(size_t(source.dim()), 1);
  shape[size_t(dim)] = index.numel();
  return expand(reshape(index, shape), source.sizes());
}

}  // namespace

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(IndexError, index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  FLAMBEAU_CHECK(is_index(index), "index_select(): Expected dtype int32 or int64 for index");
  FLAMBEAU_CHECK(self.dim() || index.numel() == 1, "index_select(): Index to scalar can have only 1 value, got ",
                 index.numel(), " value(s)");
  Dims sizes = self.sizes();
  if (self.dim()) sizes[size_t(dim)] = index.numel();
  Tensor out = empty(sizes, self.dtype());
  read_blocks(rows_at(self, dim, index, false, out_of_self), self, out);
  return record("IndexSelectBackward0", out, {self}, [&] {
    return [index = Saved(index), dim, sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{index_add(zeros(sizes, grad.dtype()), dim, index.get(), grad)};
    };
  });
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(IndexError, index.dim() <= 1,
                    "index_add_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", index.dtype(), " and size: ", index.sizes());
  FLAMBEAU_CHECK(is_index(index), "index_add_(): Expected dtype int32/int64 for index but got: ", index.dtype());
  FLAMBEAU_CHECK(self.dtype() == source.dtype(), "index_add_(): self (", self.dtype(), ") and source (", source.dtype(),
                 ") must have the same scalar type");
  FLAMBEAU_CHECK(index.numel() == size_along(source, dim), "index_add_(): Number of indices (", index.numel(),
                 ") should be equal to source.size(dim): (", size_along(source, dim), "), for dim: ", dim);
  check_source_shape(self, dim, source);
  // A vector's positions are refused in other words than a matrix's.
  const auto plan_of = [&](const Tensor& t) {
    return t.dim() > 1 ? rows_at(t, dim, index, false,
                                 [&](int64_t position, int64_t size) {
                                   throw Error(str("index ", position, " is out of bounds for dimension ", dim,
                                                   " with size ", size));
                                 })
                       : rows_at(t, dim, index, false, out_of_self);
  };
  BlockPlan plan = plan_of(self);
  Tensor out = writable_copy(self);  // first: no other result may take the place meant for this one
  if (alpha.equals(1) || (out.dtype() == DType::Bool && alpha.to_bool())) {
    if (out.strides() != self.strides()) plan = plan_of(out);
    add_blocks(plan, out, apart(raw_contiguous(source), out));
  } else if (out.dtype() != DType::Bool) {
    add_scaled_rows(out, dim, index, apart(source, out), alpha);
  }
  return record("IndexAddBackward0", out, {self, source}, [&] {
    return [index = Saved(index), dim, alpha](const Tensor& grad, Needs need) {
      TensorList grads{grad, {}};
      if (need[1]) {
        grads[1] = index_select(grad, dim, index.get());
        if (!alpha.equals(1)) grads[1] = mul(grads[1], alpha);
      }
      return grads;
    };
  });
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(IndexError, index.dim() < 2, "index_copy_(): Index should have dimension 1 or 0 (got ", index.dim(),
                    ")");
  FLAMBEAU_CHECK(index.dtype() == DType::Int64, "index_copy_(): Expected a long tensor for index, but got ",
                 index.dtype());
  FLAMBEAU_CHECK(self.dtype() == source.dtype(),
                 "index_copy_(): self and source expected to have the same dtype, but got (self) ", self.dtype(),
                 " and (source) ", source.dtype());
  FLAMBEAU_CHECK_AS(IndexError, source.dim() || index.numel() == 1,
                    "index_copy_(): When source is scalar, index should have one element (got ", index.numel(), ")");
  FLAMBEAU_CHECK_AS(IndexError, source.dim() == self.dim() || !source.dim() || !self.dim(),
                    "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
                    "Source dimensionality (",
                    source.dim(), "), destination dimensionality (", self.dim(), ")");
  const auto slice_of = [dim](const Tensor& t) {
    Dims sizes = t.sizes();
    if (t.dim()) sizes.erase(size_t(dim));
    return sizes;
  };
  const auto text_of = [](const Dims& sizes) {  // without the brackets
    const std::string text = str(sizes);
    return text.substr(1, text.size() - 2);
  };
  const Dims self_slice = slice_of(self), source_slice = slice_of(source);
  FLAMBEAU_CHECK(self_slice == source_slice,
                 "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ",
                 text_of(self_slice), " at dimension ", dim, " and source slice shape: ", text_of(source_slice),
                 " at dimension 0.");
  FLAMBEAU_CHECK_AS(IndexError, !source.dim() || index.numel() == source.size(dim),
                    "index_copy_(): Number of indices (", index.numel(), ") should be equal to source.size(dim) (",
                    size_along(source, dim), ")");
  const auto outside = out_of_dim(dim, "index_copy_(): ");
  BlockPlan plan = rows_at(self, dim, index, true, outside);
  const Tensor values = raw_contiguous(source);
  Tensor out = writable_copy(self);
  if (out.strides() != self.strides()) plan = rows_at(out, dim, index, true, outside);
  write_blocks(plan, out, apart(values, out));
  return record("IndexCopyBackward0", out, {self, source}, [&] {
    return [index = Saved(index), dim, sizes = source.sizes()](const Tensor& grad, Needs need) {
      TensorList grads(2);
      if (need[0]) grads[0] = index_fill(grad, dim, index.get(), 0);
      if (need[1]) grads[1] = reshape(index_select(grad, dim, index.get()), sizes);
      return grads;
    };
  });
}

static Tensor fill_rows(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  FLAMBEAU_CHECK_AS(IndexError, index.dtype() == DType::Int64, "index_fill_(): Expected dtype int64 for index.");
  FLAMBEAU_CHECK(index.dim() <= 1, "Index has to be a vector/scalar");
  BlockPlan plan = rows_at(self, dim, index, true, out_of_dim(dim));
  Tensor out = writable_copy(self);
  if (out.strides() != self.strides()) plan = rows_at(out, dim, index, true, out_of_dim(dim));
  write_blocks(plan, out, value, true);
  return out;
}

Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  dim = wrap_dim(dim, self.dim());
  Tensor out = fill_rows(self, dim, index, scalar_tensor(value, self.dtype()));
  return record("IndexFillBackward0", out, {self}, [&] {
    return [index = Saved(index), dim](const Tensor& grad, Needs) {
      return TensorList{index_fill(grad, dim, index.get(), 0)};
    };
  });
}

static Tensor distinct(const Tensor& index) {
  std::vector<int64_t> values(size_t(index.numel()));
  const Tensor dense = raw_contiguous(index);
  std::copy_n(dense.data<const int64_t>(), values.size(), values.begin());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Tensor out = empty({int64_t(values.size())}, DType::Int64);
  std::copy(values.begin(), values.end(), out.data<int64_t>());
  return out;
}

Tensor index_fill_tensor(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK(value.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
                 value.dim(), " dimension(s).");
  Tensor out = fill_rows(self, dim, index, raw_cast(value, self.dtype()));
  return record("IndexFillBackward1", out, {self, value}, [&] {
    return [index = Saved(index), dim](const Tensor& grad, Needs need) {
      TensorList grads(2);
      if (need[0]) grads[0] = index_fill(grad, dim, index.get(), 0);
      if (need[1]) grads[1] = sum(index_select(grad, dim, distinct(index.get())));
      return grads;
    };
  });
}

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, bool include_self) {
  FLAMBEAU_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
                 "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", reduce, ".");
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(IndexError, index.dim() <= 1,
                    "index_reduce_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", index.dtype(), " and size: ", index.sizes());
  FLAMBEAU_CHECK(is_index(index), "index_reduce_(): Expected dtype int32/int64 for index but got: ", index.dtype());
  FLAMBEAU_CHECK(index.numel() == size_along(source, dim), "index_reduce_(): Number of indices (", index.numel(),
                 ") should be equal to source.size(dim): (", size_along(source, dim), "), for dim: ", dim);
  check_source_shape(self, dim, source);
  rows_at(self, dim, index, false, out_of_self);
  return scatter_reduce(self, dim, spread(index, dim, source), source, reduce, include_self);
}

// Offsets of the flattened tensor's elements that index names; negative positions count from the end.
static BlockPlan elements_at(const Tensor& self, const Tensor& index) {
  BlockPlan plan;
  plan.outer = {0};
  const Tensor at = as_int64(index, index.sizes());
  const int64_t* positions = at.data<const int64_t>();
  const int64_t numel = self.numel();
  plan.rows.resize(size_t(at.numel()));
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    int64_t rest = positions[i];
    FLAMBEAU_CHECK_AS(IndexError, rest >= -numel && rest < numel, "out of range: tried to access index ", rest,
                      " on a tensor of ", numel, " elements.");
    if (rest < 0) rest += numel;
    if (self.is_contiguous()) {
      plan.rows[i] = rest;
      continue;
    }
    for (int64_t d = self.dim(); d-- > 0; rest /= self.sizes()[size_t(d)])
      plan.rows[i] += rest % self.sizes()[size_t(d)] * self.strides()[size_t(d)];
  }
  return plan;
}

Tensor take(const Tensor& self, const Tensor& index) {
  FLAMBEAU_CHECK(index.dtype() == DType::Int64, "take(): Expected a long tensor for index, but got ", index.dtype());
  FLAMBEAU_CHECK_AS(IndexError, self.numel() || !index.numel(), "take(): tried to take from an empty tensor");
  Tensor out = empty(index.sizes(), self.dtype());
  read_blocks(elements_at(self, index), self, out);
  return record("TakeBackward0", out, {self}, [&] {
    return [index = Saved(index), sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{put(zeros(sizes, grad.dtype()), index.get(), grad, true)};
    };
  });
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  FLAMBEAU_CHECK(index.dtype() == DType::Int64, "put_(): Expected a long tensor for index, but got ", index.dtype());
  FLAMBEAU_CHECK(self.dtype() == source.dtype(),
                 "put_(): self and source expected to have the same dtype, but got self.dtype = ", self.dtype(),
                 " and source.dtype = ", source.dtype());
  FLAMBEAU_CHECK_AS(IndexError, source.numel() == index.numel(),
                    "put_(): Expected source and index to have the same number of elements, but got source.numel() = ",
                    source.numel(), ", index.numel() = ", index.numel());
  FLAMBEAU_CHECK_AS(IndexError, self.numel() || !index.numel(), "put_(): Tried to put elements into an empty tensor");
  BlockPlan plan = elements_at(self, index);
  const Tensor values = raw_contiguous(source);
  Tensor out = writable_copy(self);
  if (out.strides() != self.strides()) plan = elements_at(out, index);
  if (accumulate) add_blocks(plan, out, apart(values, out));
  else write_blocks(plan, out, apart(values, out));
  return record("PutBackward0", out, {self, source}, [&] {
    return [index = Saved(index), accumulate, sizes = source.sizes()](const Tensor& grad, Needs need) {
      TensorList grads(2);
      if (need[0]) grads[0] = accumulate ? grad : put(grad, index.get(), zeros(sizes, grad.dtype()));
      if (need[1]) grads[1] = reshape(take(grad, index.get()), sizes);
      return grads;
    };
  });
}

}  // namespace flambeau::ops
