// Advanced indexing: x[i, :, mask] and x[...] = v, after masks became positions and slices became views
// (at::native::index in TensorAdvancedIndexing.cpp, IndexingUtils.h).
#include <algorithm>

#include "ops/destination.h"
#include "ops/gather.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

bool is_mask(const Tensor& t) { return t.dtype() == DType::Bool || t.dtype() == DType::UInt8; }

// One entry a dimension of self: masks become one vector of positions for each of their dimensions.
TensorList expand_masks(const Tensor& self, const OptTensorList& indices) {
  TensorList out;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor index = deref(indices[i]);
    if (!index.defined() || !is_mask(index)) {
      FLAMBEAU_CHECK_AS(IndexError, !index.defined() || index.dtype() == DType::Int64 || index.dtype() == DType::Int32,
                        "tensors used as indices must be long, int, byte or bool tensors");
      out.push_back(index);
      continue;
    }
    for (int64_t d = 0; d < index.dim(); ++d) {
      const int64_t at = int64_t(out.size()) + d;
      FLAMBEAU_CHECK_AS(IndexError, at < self.dim(), "too many indices for tensor of dimension ", self.dim());
      FLAMBEAU_CHECK_AS(IndexError, index.size(d) == self.size(at), "The shape of the mask ", index.sizes(),
                        " at index ", d, " does not match the shape of the indexed tensor ", self.sizes(), " at index ",
                        at);
    }
    for (const Tensor& column : nonzero_numpy(alias(index))) out.push_back(column);
  }
  FLAMBEAU_CHECK_AS(IndexError, int64_t(out.size()) <= self.dim(), "too many indices for tensor of dimension ",
                    self.dim());
  out.resize(size_t(self.dim()));
  return out;
}

Dims broadcast_indices(const TensorList& indices) {
  Dims shape;
  bool first = true, fits = true;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    if (first) shape = index.sizes();
    else if (!(shape == index.sizes())) {
      for (int64_t d = 1; d <= std::min(int64_t(shape.size()), index.dim()); ++d) {
        const int64_t a = shape[shape.size() - size_t(d)], b = index.size(-d);
        fits &= a == b || a == 1 || b == 1;
      }
      if (!fits) break;
      shape = broadcast_shapes(shape, index.sizes());
    }
    first = false;
  }
  if (fits) return shape;
  std::string shapes;
  for (const Tensor& index : indices)
    if (index.defined()) append(shapes, str(shapes.empty() ? "" : ", ", index.sizes()));
  throw IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes " + shapes);
}

// Adds index * stride to each row's offset. Negative positions count from the end.
void add_offsets(std::vector<int64_t>& rows, const Tensor& index, IntSpan shape, int64_t number, int64_t size,
                 int64_t stride) {
  const Tensor values = as_int64(index, shape);
  const int64_t* at = values.data<const int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t position = at[i] < 0 ? at[i] + size : at[i];
    FLAMBEAU_CHECK_AS(IndexError, position >= 0 && position < size, "index ", at[i], " is out of bounds for dimension ",
                      number, " with size ", size);
    rows[i] += position * stride;
  }
}

struct IndexPlan : BlockPlan {
  Dims result;
};

// self (before, indexed dims, after) to result (before, shape of the indices, after) when the indexed dims are
// neighbours, else (shape of the indices, the others).
IndexPlan plan_index(const Tensor& self, const OptTensorList& optional_indices) {
  FLAMBEAU_CHECK_AS(IndexError, !optional_indices.empty(), "at least one index must be provided");
  const TensorList indices = expand_masks(self, optional_indices);
  const Dims shape = broadcast_indices(indices);
  const int64_t ndim = self.dim();
  int64_t first = ndim, last = -1, count = 0;
  for (int64_t d = 0; d < ndim; ++d) {
    if (!indices[size_t(d)].defined()) continue;
    first = std::min(first, d);
    last = d;
    ++count;
  }
  const bool neighbours = last - first + 1 == count;

  Dims before_sizes, before_strides, after_sizes, after_strides;
  for (int64_t d = 0; d < ndim; ++d) {
    if (indices[size_t(d)].defined()) continue;
    const bool before = neighbours && d < first;
    (before ? before_sizes : after_sizes).push_back(self.size(d));
    (before ? before_strides : after_strides).push_back(self.stride(d));
  }

  IndexPlan plan;
  plan.result = before_sizes;
  for (const int64_t size : shape) plan.result.push_back(size);
  for (const int64_t size : after_sizes) plan.result.push_back(size);
  plan.set_outer(before_sizes, before_strides);
  plan.set_inner(after_sizes, after_strides);
  plan.rows.assign(size_t(numel_of(shape)), 0);
  int64_t number = 0;  // PyTorch's message counts the indexed dimensions alone
  for (int64_t d = 0; d < ndim; ++d) {
    if (!indices[size_t(d)].defined()) continue;
    add_offsets(plan.rows, indices[size_t(d)], shape, number++, self.size(d), self.stride(d));
  }
  return plan;
}

void check_values(const Tensor& self, const IndexPlan& plan, const Tensor& values) {
  FLAMBEAU_CHECK_AS(Error, self.dtype() == values.dtype(),
                    "Index put requires the source and destination dtypes match, got ", self.dtype(),
                    " for the destination and ", values.dtype(), " for the source.");
  bool fits = values.dim() <= int64_t(plan.result.size());
  for (int64_t d = 1; fits && d <= values.dim(); ++d)
    fits = values.size(-d) == 1 || values.size(-d) == plan.result[plan.result.size() - size_t(d)];
  FLAMBEAU_CHECK(fits, "shape mismatch: value tensor of shape ", values.sizes(),
                 " cannot be broadcast to indexing result of shape ", plan.result);
}

void put_values(const Tensor& self, const IndexPlan& plan, const Tensor& values, bool accumulate) {
  const bool one_value = values.numel() == 1;
  Tensor dense = values;
  if (!one_value && !(values.is_contiguous() && values.sizes() == plan.result)) {
    dense = empty(plan.result, values.dtype());
    raw_copy(dense, values);
  }
  dense = apart(dense, self);
  if (accumulate) add_blocks(plan, self, dense, one_value);
  else write_blocks(plan, self, dense, one_value);
}

// Saved like inputs: changing an index tensor between forward and backward is an error.
std::vector<Saved> save(const OptTensorList& indices) {
  std::vector<Saved> saved;
  for (const OptTensor& index : indices) saved.push_back(index && index->defined() ? Saved(*index) : Saved());
  return saved;
}
OptTensorList unpack(const std::vector<Saved>& saved) {
  OptTensorList indices;
  for (const Saved& index : saved) indices.push_back(index.defined() ? OptTensor(index.get()) : OptTensor());
  return indices;
}

}  // namespace

Tensor index(const Tensor& self, const OptTensorList& indices) {
  const IndexPlan plan = plan_index(self, indices);
  Tensor out = empty(plan.result, self.dtype());
  read_blocks(plan, self, out);
  return record("IndexBackward0", out, {self}, [&] {
    return [indices = save(indices), sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{index_put(zeros(sizes, grad.dtype()), unpack(indices), grad, true)};
    };
  });
}

// x[mask] = number, the mask over leading dimensions: one elementwise pass. Undefined where that is not the case.
static Tensor sole_mask(const Tensor& self, const OptTensorList& indices, const Tensor& values, bool accumulate) {
  if (accumulate || values.numel() != 1 || indices.size() != 1) return {};
  Tensor mask = deref(indices[0]);
  if (!mask.defined() || mask.dtype() != DType::Bool || mask.dim() > self.dim()) return {};
  for (int64_t d = 0; d < mask.dim(); ++d)
    if (mask.size(d) != self.size(d)) return {};
  while (mask.dim() < self.dim()) mask = unsqueeze(mask, -1);
  return mask;
}

Tensor index_put(const Tensor& self, const OptTensorList& indices, const Tensor& values, bool accumulate) {
  if (const Tensor mask = sole_mask(self, indices, values, accumulate); mask.defined())
    return masked_fill(self, mask, reshape(values, {}));
  const IndexPlan plan = plan_index(self, indices);
  check_values(self, plan, values);
  Tensor out = writable_copy(self);
  const IndexPlan out_plan = out.strides() == self.strides() ? plan : plan_index(out, indices);
  put_values(out, out_plan, values, accumulate);
  return record("IndexPutBackward0", out, {self, values}, [&] {
    return [indices = save(indices), accumulate, sizes = values.sizes()](const Tensor& grad, Needs need) {
      const OptTensorList at = unpack(indices);
      TensorList grads(2);
      if (need[0]) grads[0] = accumulate ? grad : index_put(grad, at, scalar_tensor(0.0, grad.dtype()), false);
      if (need[1]) grads[1] = sum_to(index(grad, at), sizes);
      return grads;
    };
  });
}

// The result is self's own memory under another head, so that its history becomes self's.
Tensor index_put_(const Tensor& self, const OptTensorList& indices, const Tensor& values, bool accumulate) {
  check_inplace(self);
  check_no_internal_overlap(self);
  Tensor result = alias(self);
  {
    Destination destination(result);
    result = index_put(self, indices, values, accumulate);
  }
  return assign_inplace(self, result);
}

}  // namespace flambeau::ops
