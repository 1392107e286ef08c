// Sorting (ops/sort.h). Meaning and order of equal elements as in aten/src/ATen/native/{Sorting,cpu/SortingKernel}.cpp;
// the method is ours: a radix sort of keys, which is stable and needs no comparisons.
#include "ops/sort.h"

#include <algorithm>
#include <memory>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/reduce_common.h"
#include "ops/sort_keys.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kSmall = 256;  // below this a comparison sort wins

template <class Key>
struct Entry {
  Key key;
  uint32_t position;
  bool operator<(const Entry& other) const {
    return key < other.key || (key == other.key && position < other.position);
  }
};

// Least significant byte first; passes over bytes that are all equal are skipped.
template <class Key>
Entry<Key>* radix_sort(Entry<Key>* from, Entry<Key>* to, int64_t n) {
  constexpr int kBytes = sizeof(Key);
  auto counts = std::make_unique<int64_t[][256]>(kBytes);
  for (int64_t i = 0; i < n; ++i)
    for (int b = 0; b < kBytes; ++b) ++counts[b][from[i].key >> (8 * b) & 255];
  for (int b = 0; b < kBytes; ++b) {
    if (counts[b][from[0].key >> (8 * b) & 255] == n) continue;
    int64_t start = 0;
    for (int64_t& count : counts[b]) start += std::exchange(count, start);
    for (int64_t i = 0; i < n; ++i) to[counts[b][from[i].key >> (8 * b) & 255]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

template <class Key>
void sort_by_keys(DType dtype, const void* row, int64_t n, bool descending, int64_t* positions) {
  const auto keys = std::make_unique_for_overwrite<Key[]>(size_t(n));
  make_keys(dtype, row, n, descending, keys.get());
  const bool small = n < kSmall;
  const auto entries = std::make_unique_for_overwrite<Entry<Key>[]>(size_t(small ? n : 2 * n));
  for (int64_t i = 0; i < n; ++i) entries[size_t(i)] = {keys[size_t(i)], uint32_t(i)};
  Entry<Key>* sorted = entries.get();
  if (small) std::sort(sorted, sorted + n);
  else sorted = radix_sort(sorted, sorted + n, n);
  for (int64_t i = 0; i < n; ++i) positions[i] = sorted[i].position;
}

}  // namespace

void sorted_positions(DType dtype, const void* row, int64_t n, bool descending, int64_t* positions) {
  FLAMBEAU_CHECK(n < int64_t(1) << 32, "sort: expected fewer than 2^32 elements along the dimension, got ", n);
  if (n == 0) return;
  with_key(dtype, [&](auto key) { sort_by_keys<decltype(key)>(dtype, row, n, descending, positions); });
}

TwoTensors sort(const Tensor& self, int64_t dim, bool descending) {
  const Rows x(self, dim);
  const Tensor sorted = x.make(self.dtype()), order = x.make(DType::Int64);
  visit_width(self.itemsize(), [&]<class T>(Type<T>) {
    const auto sort_rows = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* row = x.data.data<T>() + r * x.n;
        int64_t* positions = order.data<int64_t>() + r * x.n;
        sorted_positions(self.dtype(), row, x.n, descending, positions);
        T* out = sorted.data<T>() + r * x.n;
        for (int64_t i = 0; i < x.n; ++i) out[i] = row[positions[i]];
      }
    };
    x.split(sort_rows, 8);
  });
  Tensor values = x.restore(sorted);
  const Tensor indices = x.restore(order);
  values = record("SortBackward0", values, {self}, [&] {
    return [dim, sizes = self.sizes(), indices](const Tensor& grad, Needs) {
      return TensorList{value_selecting_reduction_backward(grad, dim, indices, sizes, true)};
    };
  });
  return {values, indices};
}

TwoTensors sort(const Tensor& self, std::optional<bool>, int64_t dim, bool descending) {
  return sort(self, dim, descending);
}

Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(sort(detach(self), dim, descending));
}

Tensor argsort(const Tensor& self, bool, int64_t dim, bool descending) { return argsort(self, dim, descending); }

Tensor msort(const Tensor& self) { return std::get<0>(sort(self, int64_t(0), false)); }

}  // namespace flambeau::ops
