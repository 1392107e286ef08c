// Places in sorted sequences (ops/sort.h). Follows aten/src/ATen/native/Bucketization.cpp.
#include "ops/copy.h"
#include "ops/reduce_common.h"
#include "ops/sort.h"

#include <algorithm>

namespace flambeau::ops {
namespace {

bool right_of(bool right, const std::optional<std::string>& side) {
  if (!side) return right;
  FLAMBEAU_CHECK(*side == "left" || *side == "right",
                 "torch.searchsorted(): side can only be 'left' or 'right' but got ", *side);
  FLAMBEAU_CHECK(*side == "right" || !right,
                 "torch.searchsorted(): side and right can't be set to opposites, got side of ", *side,
                 " while right was True");
  return *side == "right";
}

void check_search(const Tensor& boundaries, const Tensor& values, const OptTensor& sorter) {
  FLAMBEAU_CHECK(boundaries.dim() != 0,
                 "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
  FLAMBEAU_CHECK(
      values.dim() > 0 || boundaries.dim() == 1,
      "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
      "boundaries tensor dim(",
      boundaries.dim(), ") and input value's dim(", values.dim(), ") numel(", values.numel(), ")");
  bool match = boundaries.dim() == 1 || boundaries.dim() == values.dim();
  for (int64_t d = 0; match && d + 1 < boundaries.dim(); ++d) match = boundaries.size(d) == values.size(d);
  FLAMBEAU_CHECK(
      match,
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
      "tensor and input value tensor must match, but we got boundaries tensor ",
      boundaries.sizes(), " and input value tensor ", values.sizes());
  if (!sorter) return;
  FLAMBEAU_CHECK(sorter->sizes() == boundaries.sizes(),
                 "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ",
                 boundaries.sizes(), "and got sorter tensor ", sorter->sizes());
  FLAMBEAU_CHECK(sorter->dtype() == DType::Int64,
                 "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ", sorter->dtype());
}

// The first place that is not before `value`; with right, the first that is after it. NaN values end up at the end.
template <class T>
int64_t place(const T* row, const int64_t* order, int64_t n, T value, bool right) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const T there = row[order ? order[middle] : middle];
    if (right ? !(there > value) : !(there >= value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

Tensor search(const Tensor& boundaries, const Operand& self, bool out_int32, bool right, const OptTensor& sorter) {
  const Tensor values = self.is_tensor() ? self.tensor() : scalar_tensor(self.scalar(), self.scalar().natural_dtype());
  check_search(boundaries, values, sorter);
  const Operand edges(boundaries);
  const DType common = result_type({edges, self});
  const DType compute = compute_dtype(common);
  const Tensor rows = raw_contiguous(raw_cast(raw_cast(boundaries, common), compute));
  const Tensor x = raw_contiguous(raw_cast(raw_cast(values, common), compute));
  const Tensor order = sorter ? raw_contiguous(*sorter) : Tensor();
  const int64_t n = boundaries.sizes().back(),
                per_row = boundaries.dim() == 1 || x.dim() == 0 ? x.numel() : x.sizes().back();
  if (sorter)
    for (int64_t i = 0; i < order.numel(); ++i)
      FLAMBEAU_CHECK(order.data<int64_t>()[i] >= 0 && order.data<int64_t>()[i] < n,
                     "torch.searchsorted(): sorter index out of range");
  const Tensor out = empty(values.sizes(), DType::Int64);
  const auto run = [&]<class T>(Type<T>) {
    parallel_for(0, x.numel(), 200, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t start = boundaries.dim() == 1 ? 0 : i / per_row * n;
        out.data<int64_t>()[i] =
            place(rows.data<T>() + start, sorter ? order.data<int64_t>() + start : nullptr, n, x.data<T>()[i], right);
      }
    });
  };
  if (compute == DType::Int64) run(Type<int64_t>{});
  else visit_real("searchsorted", compute, run);
  return out_int32 ? raw_cast(out, DType::Int32) : out;
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Operand& self, bool out_int32, bool right,
                    const std::optional<std::string>& side, const OptTensor& sorter) {
  return search(sorted_sequence, self, out_int32, right_of(right, side), sorter);
}

Tensor bucketize(const Operand& self, const Tensor& boundaries, bool out_int32, bool right) {
  FLAMBEAU_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  return search(boundaries, self, out_int32, right, {});
}

}  // namespace flambeau::ops
