// Rows of a table by number (native/Embedding.cpp, EmbeddingBag.cpp, Onehot.cpp). Gradients are dense: rows are added
// to zeros in the order of the indices, one rounded addition each, whatever the number of threads.
#include <algorithm>
#include <cmath>

#include "ops/gather.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

void check_indices(const char* name, const Tensor& indices) {
  FLAMBEAU_CHECK(
      indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32,
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.",
      legacy_name(indices.dtype()), "Tensor instead (while checking arguments for ", name, ")");
}

// How often each row of the table is named.
std::vector<int64_t> counts_of(const Tensor& indices, int64_t rows) {
  std::vector<int64_t> counts(size_t(rows), 0);
  for (int64_t i = 0; i < indices.numel(); ++i) {
    const int64_t row = indices.data<const int64_t>()[i];
    FLAMBEAU_CHECK_AS(IndexError, row >= 0 && row < rows, "index out of range in self");
    ++counts[size_t(row)];
  }
  return counts;
}

// A factor a value row: 1 / (how often its table row is named).
Tensor frequency_scale(const Tensor& indices, int64_t rows, DType dtype) {
  const std::vector<int64_t> counts = counts_of(indices, rows);
  Tensor scale = empty({indices.numel(), 1}, DType::Float64);
  for (int64_t i = 0; i < indices.numel(); ++i)
    scale.data<double>()[i] = 1.0 / double(counts[size_t(indices.data<const int64_t>()[i])]);
  return raw_cast(scale, dtype);
}

// The positions of `indices` that are not padding, as int64.
Tensor kept_positions(const Tensor& indices, int64_t padding_idx) {
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < indices.numel(); ++i)
    if (indices.data<const int64_t>()[i] != padding_idx) kept.push_back(i);
  Tensor out = empty({int64_t(kept.size())}, DType::Int64);
  std::copy(kept.begin(), kept.end(), out.data<int64_t>());
  return out;
}

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq,
                 bool sparse) {
  FLAMBEAU_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  check_indices("embedding", indices);
  Dims sizes = indices.sizes();
  sizes.push_back(weight.size(1));
  Tensor out;
  {
    GradMode off(false);
    out = view(index_select(weight, 0, reshape(indices, {-1})), sizes);
  }
  return record("EmbeddingBackward0", alias(out), {weight}, [&] {
    return [indices = Saved(indices), rows = weight.size(0), padding_idx, scale_grad_by_freq, sparse](
               const Tensor& grad, Needs) {
      FLAMBEAU_CHECK_AS(NotImplementedError, !sparse,
                        "embedding: sparse gradients are not supported; use sparse=False");
      return TensorList{embedding_dense_backward(grad, indices.get(), rows, padding_idx, scale_grad_by_freq)};
    };
  });
}

Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq) {
  check_indices("embedding_backward", indices);
  Tensor out;
  {
    GradMode off(false);
    const Tensor rows = as_int64(reshape(indices, {-1}), {indices.numel()});
    Tensor grads = reshape(grad_output, {rows.numel(), grad_output.size(-1)});
    if (scale_grad_by_freq) grads = mul(grads, frequency_scale(rows, num_weights, grads.dtype()));
    out = index_add(zeros({num_weights, grad_output.size(-1)}, grad_output.dtype()), 0, rows, grads);
    if (padding_idx >= 0 && padding_idx < num_weights) raw_fill(select(out, 0, padding_idx), 0.0);
  }
  return record("EmbeddingDenseBackwardBackward0", out, {grad_output}, [&] {
    return [indices = Saved(indices), padding_idx, sizes = grad_output.sizes()](const Tensor& grad, Needs) {
      const Tensor rows = reshape(indices.get(), {-1});
      Tensor grads = index_select(grad, 0, rows);
      if (padding_idx >= 0) grads = masked_fill(grads, unsqueeze(eq(rows, Scalar(padding_idx)), 1), 0);
      return TensorList{view(grads, sizes)};
    };
  });
}

// Scales rows that are named and longer than max_norm down to it; each row once.
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  FLAMBEAU_CHECK(self.dim() == 2, "Expected 2-dimensional tensor, but got ", self.dim(),
                 "-dimensional tensor for argument #1 "
                 "'self' (while checking arguments for embedding_renorm_)");
  check_indices("embedding_renorm_", indices);
  GradMode off(false);
  const Tensor rows = as_int64(reshape(indices, {-1}), {indices.numel()});
  std::vector<int64_t> unique(rows.data<int64_t>(), rows.data<int64_t>() + rows.numel());
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  for (const int64_t i : unique) {
    const Tensor row = select(self, 0, i);
    const double norm = raw_cast(linalg_vector_norm(row, norm_type), DType::Float64).data<double>()[0];
    if (norm > max_norm) raw_copy(row, mul(row, max_norm / (norm + 1e-7)));
  }
  self.bump_version();
  return self;
}

// One row a bag: the sum, mean (mode 1) or maximum (mode 2) of the table's rows that the bag names. Returns also the
// bag of each index, the bags' sizes, and for maxima where they came from.
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                                         const Tensor& offsets, bool scale_grad_by_freq, int64_t mode,
                                                         bool sparse, const OptTensor& per_sample_weights,
                                                         bool include_last_offset, std::optional<int64_t> padding_idx) {
  enum { Sum, Mean, Max };
  check_indices("embedding_bag", indices);
  check_indices("embedding_bag", offsets);
  FLAMBEAU_CHECK(indices.dim() <= 1, "input has to be a 1D or 2D Tensor, but got Tensor of dimension ", indices.dim());
  FLAMBEAU_CHECK(offsets.dim() <= 1, "offsets has to be a 1D Tensor, but got Tensor of dimension ", offsets.dim());
  FLAMBEAU_CHECK(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension ", weight.dim());
  const Tensor rows = as_int64(indices, indices.sizes()), starts = as_int64(offsets, offsets.sizes());
  const int64_t* start = starts.data<const int64_t>();
  const int64_t count = rows.numel(), bags = std::max<int64_t>(0, starts.numel() - (include_last_offset ? 1 : 0));
  if (bags > 0) {
    FLAMBEAU_CHECK(start[0] == 0,
                   "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                   "However, got ",
                   start[0]);
    FLAMBEAU_CHECK(start[bags - 1] <= count, "offsets[-1] can not be greater than input's length ", count,
                   " but got offsets[-1] of ", start[bags - 1]);
  }
  for (int64_t b = 1; b < starts.numel(); ++b)
    FLAMBEAU_CHECK(start[b] >= start[b - 1] && start[b] <= count,
                   "embedding_bag: expected offsets that do not fall, within "
                   "input's length ",
                   count, ", but got ", start[b], " after ", start[b - 1]);
  int64_t padding = padding_idx.value_or(-1);
  if (padding_idx && padding < 0) padding += weight.size(0);

  Tensor bag_of = empty({count}, DType::Int64), sizes = zeros({bags}, DType::Int64);
  for (int64_t b = 0; b < bags; ++b) {
    const int64_t end = b + 1 < starts.numel() ? start[b + 1] : count;
    for (int64_t i = start[b]; i < end; ++i) {
      bag_of.data<int64_t>()[i] = b;
      sizes.data<int64_t>()[b] += rows.data<int64_t>()[i] != padding;
    }
  }
  const Tensor used = kept_positions(rows, padding);
  const Tensor used_rows = index_select(rows, 0, used), used_bags = index_select(bag_of, 0, used);
  Tensor picked = embedding(weight, used_rows, -1, scale_grad_by_freq, sparse);
  Tensor maxima = zeros({0}, DType::Int64), out;
  if (mode == Max) {
    maxima = zeros({bags, weight.size(1)}, DType::Int64);
    GradMode off(false);
    const Tensor values = raw_contiguous(raw_cast(picked, DType::Float64));
    std::vector<int64_t> first(size_t(bags), -1);
    Tensor best = zeros({bags, weight.size(1)}, DType::Float64);
    const int64_t width = weight.size(1);
    for (int64_t i = 0; i < used.numel(); ++i) {
      const int64_t b = used_bags.data<int64_t>()[i];
      for (int64_t c = 0; c < width; ++c) {
        const double value = values.data<double>()[i * width + c];
        double& top = best.data<double>()[b * width + c];
        if (first[size_t(b)] >= 0 && !(value > top)) continue;
        top = value;
        maxima.data<int64_t>()[b * width + c] = used_rows.data<int64_t>()[i];
      }
      first[size_t(b)] = i;
    }
  }
  if (mode == Max) {
    const Tensor empty_bags = unsqueeze(eq(sizes, 0), 1);
    out =
        weight.size(0) ? masked_fill(gather(weight, 0, maxima), empty_bags, 0) : zeros(maxima.sizes(), weight.dtype());
  } else {
    if (per_sample_weights) {
      FLAMBEAU_CHECK(mode == Sum,
                     "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                     "mode='sum' (got mode='mean'). Please open a feature request on GitHub.");
      if (is_reduced_float(picked.dtype())) picked = to_dtype(picked, DType::Float32);
      picked = mul(picked, unsqueeze(index_select(*per_sample_weights, 0, used), 1));
    }
    // Half precision adds up in float.
    const DType sum_dtype = is_reduced_float(weight.dtype()) ? DType::Float32 : weight.dtype();
    out = index_add(zeros({bags, weight.size(1)}, sum_dtype), 0, used_bags, to_dtype(picked, sum_dtype));
    if (mode == Mean) out = div(out, unsqueeze(to_dtype(clamp_min(sizes, 1), sum_dtype), 1));
    out = to_dtype(out, weight.dtype());
  }
  return {out, bag_of, sizes, maxima};
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  FLAMBEAU_CHECK(self.dtype() == DType::Int64, "one_hot is only applicable to index tensor of type LongTensor.");
  Dims sizes = self.sizes();
  if (self.numel() == 0) {
    FLAMBEAU_CHECK(num_classes > 0, "Can not infer total number of classes from empty tensor.");
    sizes.push_back(num_classes);
    return empty(sizes, DType::Int64);
  }
  const Tensor classes = raw_contiguous(self);
  const int64_t* begin = classes.data<const int64_t>();
  const auto [least, most] = std::minmax_element(begin, begin + classes.numel());
  FLAMBEAU_CHECK(*least >= 0, "Class values must be non-negative.");
  FLAMBEAU_CHECK(num_classes == -1 || num_classes > 0, "num_classes should be positive");
  FLAMBEAU_CHECK(num_classes == -1 || *most < num_classes, "Class values must be smaller than num_classes.");
  if (num_classes == -1) num_classes = *most + 1;
  sizes.push_back(num_classes);
  Tensor out = zeros(sizes, DType::Int64);
  for (int64_t i = 0; i < classes.numel(); ++i) out.data<int64_t>()[i * num_classes + begin[i]] = 1;
  return out;
}

}  // namespace flambeau::ops
