// The k largest, the k-th smallest, the median, the most frequent (ops/sort.h). Which of several equal elements is
// found follows from the algorithm, so the algorithms are PyTorch's: partial_sort or nth_element for topk
// (native/TopKImpl.h), Hoare's selection with the median of three for kthvalue; medians are ranked by value and
// position (native/Sorting.cpp).
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/reduce_common.h"
#include "ops/sort.h"
#include "ops/sort_keys.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// positions: the k extreme elements of a row, in order if `sorted`. Small keys come first.
template <class Key>
void top_positions(DType dtype, const void* row, int64_t n, int64_t k, bool largest, bool sorted, int64_t* positions) {
  using Entry = std::pair<Key, int64_t>;
  const auto keys = std::make_unique_for_overwrite<Key[]>(size_t(n));
  make_keys(dtype, row, n, largest, keys.get());
  const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  const bool few = k * 64 <= n;
  const auto queue = std::make_unique_for_overwrite<Entry[]>(size_t(few ? k + 1 : n));
  Entry* first = queue.get();
  for (int64_t i = 0; i < (few ? k : n); ++i) first[i] = {keys[size_t(i)], i};
  if (few) {
    // partial_sort without the elements that never enter the heap.
    std::make_heap(first, first + k, before);
    for (int64_t i = k; i < n; ++i) {
      if (!(keys[size_t(i)] < first->first)) continue;
      first[k] = {keys[size_t(i)], i};
      std::pop_heap(first, first + k + 1, before);
    }
    std::sort_heap(first, first + k, before);
  } else {
    std::nth_element(first, first + k - 1, first + n, before);
    if (sorted) std::sort(first, first + k - 1, before);
  }
  for (int64_t i = 0; i < k; ++i) positions[i] = first[i].second;
}

// Orders positions so that the k-th smallest key stands at k.
template <class Key>
void hoare_select(const Key* keys, int64_t* at, int64_t n, int64_t k) {
  const auto above = [&](int64_t i, int64_t j) { return keys[at[i]] > keys[at[j]]; };
  int64_t left = 0, right = n - 1;
  while (left < right) {
    if (right == left + 1) {
      if (above(left, right)) std::swap(at[left], at[right]);
      return;
    }
    std::swap(at[left + (right - left) / 2], at[left + 1]);
    if (above(left + 1, right)) std::swap(at[left + 1], at[right]);
    if (above(left, right)) std::swap(at[left], at[right]);
    if (above(left + 1, left)) std::swap(at[left + 1], at[left]);
    const Key pivot = keys[at[left]];
    int64_t i = left + 1, j = right;
    for (;;) {
      while (pivot > keys[at[++i]]) {}
      while (keys[at[--j]] > pivot) {}
      if (j < i) break;
      std::swap(at[i], at[j]);
    }
    std::swap(at[left], at[j]);
    if (j <= k) left = i;
    if (j >= k) right = j - 1;
  }
}

// Fills one position a row and gives values and indices of the reduced shape, with history.
template <class Find>
TwoTensors pick_along(std::string_view node, const Tensor& self, int64_t dim, bool keepdim, Find&& find) {
  const Rows x(self, dim);
  const Tensor positions = x.make(DType::Int64, 1), picked = x.make(self.dtype(), 1);
  visit_width(self.itemsize(), [&]<class T>(Type<T>) {
    x.split([&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* row = x.data.data<T>() + r * x.n;
        const int64_t at = find(row, x.n);
        positions.data<int64_t>()[r] = at;
        picked.data<T>()[r] = row[at];
      }
    });
  });
  Tensor values = x.reduced(picked, keepdim);
  const Tensor indices = x.reduced(positions, keepdim);
  values = record(node, values, {self}, [&] {
    return [dim, keepdim, sizes = self.sizes(), indices](const Tensor& grad, Needs) {
      return TensorList{value_selecting_reduction_backward(grad, dim, indices, sizes, keepdim)};
    };
  });
  return {values, indices};
}

}  // namespace

TwoTensors topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK(k >= 0 && k <= (self.dim() > 0 ? self.size(dim) : 1), "selected index k out of range");
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, "topk does not support bool dtypes on CPU");
  const Rows x(self, dim);
  const Tensor top = x.make(self.dtype(), k), positions = x.make(DType::Int64, k);
  visit_width(self.itemsize(), [&]<class T>(Type<T>) {
    if (k == 0) return;
    x.split([&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* row = x.data.data<T>() + r * x.n;
        int64_t* at = positions.data<int64_t>() + r * k;
        with_key(self.dtype(),
                 [&](auto key) { top_positions<decltype(key)>(self.dtype(), row, x.n, k, largest, sorted, at); });
        for (int64_t i = 0; i < k; ++i) top.data<T>()[r * k + i] = row[at[i]];
      }
    });
  });
  Tensor values = x.restore(top);
  const Tensor indices = x.restore(positions);
  values = record("TopkBackward0", values, {self}, [&] {
    return [dim, sizes = self.sizes(), indices](const Tensor& grad, Needs) {
      return TensorList{value_selecting_reduction_backward(grad, dim, indices, sizes, true)};
    };
  });
  return {values, indices};
}

TwoTensors kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  check_nonempty_dim("kthvalue()", self, dim);
  FLAMBEAU_CHECK(k >= 1 && k <= (self.dim() > 0 ? self.size(dim) : 1),
                 "kthvalue(): selected number k out of range for dimension ", wrap_dim(dim, self.dim()));
  const DType dtype = self.dtype();
  if (dtype == DType::Bool) not_implemented_for("kthvalue_cpu", dtype);
  return pick_along("KthvalueBackward0", self, dim, keepdim, [&](const void* row, int64_t n) {
    int64_t found = 0;
    with_key(dtype, [&](auto key) {
      using Key = decltype(key);
      const auto keys = std::make_unique_for_overwrite<Key[]>(size_t(n));
      const auto at = std::make_unique_for_overwrite<int64_t[]>(size_t(n));
      make_keys(dtype, row, n, false, keys.get());
      std::iota(at.get(), at.get() + n, int64_t(0));
      hoare_select(keys.get(), at.get(), n, k - 1);
      found = at[size_t(k - 1)];
    });
    return found;
  });
}

namespace {

// The lower median's position. The first NaN is the median unless NaN is to be ignored and something else is there.
int64_t median_position(DType dtype, const void* row, int64_t n, bool ignore_nan) {
  int64_t found = 0;
  with_key(dtype, [&](auto key) {
    using Key = decltype(key);
    const auto keys = std::make_unique_for_overwrite<Key[]>(size_t(n));
    make_keys(dtype, row, n, false, keys.get());
    int64_t count = n;
    if (is_floating(dtype)) {
      const Key* first = std::find(keys.get(), keys.get() + n, ~Key(0));
      if (!ignore_nan && first != keys.get() + n) {
        found = first - keys.get();
        return;
      }
      count -= std::count(first, static_cast<const Key*>(keys.get() + n), ~Key(0));
    }
    const auto at = std::make_unique_for_overwrite<int64_t[]>(size_t(n));
    std::iota(at.get(), at.get() + n, int64_t(0));
    int64_t* middle = at.get() + (count > 0 ? (count - 1) / 2 : 0);
    std::nth_element(at.get(), middle, at.get() + n, [&](int64_t i, int64_t j) {
      const Key a = keys[size_t(i)], b = keys[size_t(j)];
      return a < b || (a == b && i < j);
    });
    found = *middle;
  });
  return found;
}

TwoTensors median_along(std::string_view name, std::string_view node, bool ignore_nan, const Tensor& self, int64_t dim,
                        bool keepdim) {
  check_nonempty_dim(name, self, dim);
  const DType dtype = self.dtype();
  if (dtype == DType::Bool) not_implemented_for("median_out", dtype);
  return pick_along(node, self, dim, keepdim,
                    [&](const void* row, int64_t n) { return median_position(dtype, row, n, ignore_nan); });
}

Tensor median_of_all(std::string_view node, bool ignore_nan, const Tensor& self) {
  const DType dtype = self.dtype();
  if (dtype == DType::Bool) not_implemented_for("median_cpu", dtype);
  Tensor out = empty({}, dtype);
  if (self.numel() == 0) {
    raw_fill(out, NAN);
    return out;
  }
  const Tensor flat = raw_contiguous(self);
  const int64_t at = median_position(dtype, flat.raw(), flat.numel(), ignore_nan);
  raw_copy(out, raw_view(flat, {}, {}, flat.storage_offset() + at));
  return record(node, out, {self}, [&] {
    return [self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      return TensorList{evenly_distribute_backward(grad, self.get(), result.get())};
    };
  });
}

}  // namespace

Tensor median(const Tensor& self) { return median_of_all("MedianBackward0", false, self); }
TwoTensors median(const Tensor& self, int64_t dim, bool keepdim) {
  return median_along("median()", "MedianBackward1", false, self, dim, keepdim);
}
Tensor nanmedian(const Tensor& self) { return median_of_all("NanmedianBackward0", true, self); }
TwoTensors nanmedian(const Tensor& self, int64_t dim, bool keepdim) {
  return median_along("nanmedian()", "NanmedianBackward1", true, self, dim, keepdim);
}

// The smallest of the most frequent values, and where it stands last.
TwoTensors mode(const Tensor& self, int64_t dim, bool keepdim) {
  check_nonempty_dim("mode()", self, dim);
  return pick_along("ModeBackward0", self, dim, keepdim, [&](const void* row, int64_t n) {
    const auto order = std::make_unique_for_overwrite<int64_t[]>(size_t(n));
    sorted_positions(self.dtype(), row, n, false, order.get());
    int64_t found = 0;
    with_key(self.dtype(), [&](auto key) {
      const auto keys = std::make_unique_for_overwrite<decltype(key)[]>(size_t(n));
      make_keys(self.dtype(), row, n, false, keys.get());
      int64_t longest = 0, run = 0;
      for (int64_t i = 0; i < n; ++i) {
        run = i > 0 && keys[size_t(order[size_t(i)])] == keys[size_t(order[size_t(i - 1)])] ? run + 1 : 1;
        if (run <= longest) continue;
        longest = run;
        found = order[size_t(i)];
      }
    });
    return found;
  });
}

}  // namespace flambeau::ops
