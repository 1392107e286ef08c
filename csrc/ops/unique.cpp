// Distinct values (ops/sort.h). Follows aten/src/ATen/native/Unique.cpp in results; every NaN is distinct. Its outputs
// have no gradient, and asking for one is an error.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/reduce_common.h"
#include "ops/sort.h"
#include "ops/sort_keys.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// Groups of equal elements in the order they are walked: element order[i] belongs to group group[i].
struct Groups {
  std::vector<int64_t> first;  // the element that stands for each group
  std::vector<int64_t> counts;
};

// same(a, b): are elements a and b, neighbours in `order`, equal. Fills inverse when it is defined.
template <class Same>
Groups group_neighbours(const int64_t* order, int64_t n, const Tensor& inverse, Same&& same) {
  Groups groups;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = order ? order[i] : i;
    if (i == 0 || !same(order ? order[i - 1] : i - 1, at)) {
      groups.first.push_back(at);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    if (inverse.numel() > 0) inverse.data<int64_t>()[at] = int64_t(groups.first.size()) - 1;
  }
  return groups;
}

Tensor counts_tensor(const Groups& groups, bool wanted) {
  const Tensor out = empty({wanted ? int64_t(groups.counts.size()) : 0}, DType::Int64);
  if (wanted && !groups.counts.empty())
    std::memcpy(out.raw(), groups.counts.data(), groups.counts.size() * sizeof(int64_t));
  return out;
}

Tensor not_differentiable(std::string_view node, std::string_view name, const Tensor& out, const Tensor& self) {
  return record(node, out, {self}, [&] {
    return [name](const Tensor&, Needs) -> TensorList {
      throw Error(str("the derivative for '", name, "' is not implemented."));
    };
  });
}

ThreeTensors unique_of_all(const Tensor& self, bool by_value, bool return_inverse, bool return_counts) {
  const Tensor flat = raw_contiguous(self);
  const int64_t n = flat.numel();
  const Tensor inverse = return_inverse ? empty(self.sizes(), DType::Int64) : empty({0}, DType::Int64);
  std::vector<int64_t> order(size_t(by_value ? n : 0));
  if (by_value) sorted_positions(flat.dtype(), flat.raw(), n, false, order.data());
  Groups groups;
  Tensor values;
  visit_all("unique", flat.dtype(), [&]<class T>(Type<T>) {
    const T* x = flat.data<T>();
    groups = group_neighbours(by_value ? order.data() : nullptr, n, inverse,
                              [&](int64_t a, int64_t b) { return x[a] == x[b]; });
    values = empty({int64_t(groups.first.size())}, flat.dtype());
    for (size_t g = 0; g < groups.first.size(); ++g) values.data<T>()[g] = x[groups.first[g]];
  });
  return {values, inverse, counts_tensor(groups, return_counts)};
}

// Slices of self along dim as rows, walked in lexicographic order or as they stand.
ThreeTensors unique_slices(const Tensor& self, int64_t dim, bool by_value, bool return_inverse, bool return_counts) {
  dim = wrap_dim(dim, self.dim());
  const int64_t n = self.dim() > 0 ? self.size(dim) : 1;
  if (self.numel() == 0) {
    int64_t empty_dims = 0;
    for (const int64_t size : self.sizes()) empty_dims += size == 0;
    FLAMBEAU_CHECK(n == 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    FLAMBEAU_CHECK(empty_dims == 1, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    return {empty(self.sizes(), self.dtype()), empty({0}, DType::Int64), empty({0}, DType::Int64)};
  }
  const Tensor rows = raw_contiguous(self.dim() > 1 ? movedim(detach(self), Dims{dim}, Dims{0}) : detach(self));
  const int64_t width = rows.numel() / n;
  const Tensor inverse = empty({return_inverse ? n : 0}, DType::Int64);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  Groups groups;
  visit_all("unique", rows.dtype(), [&]<class T>(Type<T>) {
    const T* x = rows.data<T>();
    if (by_value)
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(x + a * width, x + (a + 1) * width, x + b * width, x + (b + 1) * width,
                                            [](T p, T q) { return sort_key(p) < sort_key(q); });
      });
    groups = group_neighbours(order.data(), n, inverse, [&](int64_t a, int64_t b) {
      return std::equal(x + a * width, x + (a + 1) * width, x + b * width);
    });
  });
  Dims sizes = rows.sizes();
  if (sizes.empty()) sizes.push_back(1);
  sizes[0] = int64_t(groups.first.size());
  const Tensor kept = empty(sizes, rows.dtype());
  const size_t bytes = size_t(width) * rows.itemsize();
  for (size_t g = 0; g < groups.first.size(); ++g)
    std::memcpy(static_cast<char*>(kept.raw()) + g * bytes,
                static_cast<char*>(rows.raw()) + size_t(groups.first[g]) * bytes, bytes);
  // Back in place as a view, as PyTorch leaves it.
  Dims shape = kept.sizes(), strides = kept.strides();
  for (Dims* d : {&shape, &strides}) {
    const int64_t first = (*d)[0];
    d->erase(0);
    d->insert(size_t(dim), first);
  }
  return {raw_view(kept, shape, strides, 0), inverse, counts_tensor(groups, return_counts)};
}

}  // namespace

ThreeTensors unique2(const Tensor& self, bool, bool return_inverse, bool return_counts) {
  auto [values, inverse, counts] = unique_of_all(self, true, return_inverse, return_counts);
  return {not_differentiable("Unique2Backward0", "_unique2", values, self), inverse, counts};
}

ThreeTensors unique_dim(const Tensor& self, int64_t dim, bool, bool return_inverse, bool return_counts) {
  auto [values, inverse, counts] = unique_slices(self, dim, true, return_inverse, return_counts);
  return {not_differentiable("UniqueDimBackward0", "unique_dim", values, self), inverse, counts};
}

ThreeTensors unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                                std::optional<int64_t> dim) {
  auto [values, inverse, counts] = dim ? unique_slices(self, *dim, false, return_inverse, return_counts)
                                       : unique_of_all(self, false, return_inverse, return_counts);
  return {not_differentiable("UniqueConsecutiveBackward0", "unique_consecutive", values, self), inverse, counts};
}

}  // namespace flambeau::ops
