#include "tensor/tensor.h"

#include <numeric>

#include "autograd/node.h"

namespace flambeau {

PythonHooks python_hooks;

namespace {

bool contiguous_geometry(const Dims& sizes, const Dims& strides) {
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

// Bytes from the first to past the last element; 0 when empty.
int64_t extent_bytes(IntSpan sizes, IntSpan strides, size_t item) {
  __int128 last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += __int128(sizes[i] - 1) * strides[i];
  }
  const __int128 bytes = (last + 1) * item;
  FLAMBEAU_CHECK(bytes < (__int128(1) << 62), "Storage size calculation overflowed with sizes=", sizes,
                 " and strides=", strides);
  return int64_t(bytes);
}

void check_sizes(IntSpan sizes) {
  FLAMBEAU_CHECK(int64_t(sizes.size()) <= kMaxDim, "tensors have at most ", kMaxDim, " dimensions, got ", sizes.size());
  for (const int64_t size : sizes)
    FLAMBEAU_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
}

}  // namespace

TensorImpl::TensorImpl(Ref<Storage> storage, DType dtype, IntSpan sizes, IntSpan strides, int64_t offset)
    : storage_(std::move(storage)), dtype_(dtype) {
  set_geometry(sizes, strides, offset);
}

TensorImpl::~TensorImpl() {
  if (base_) base_->release();
}

void TensorImpl::set_geometry(IntSpan sizes, IntSpan strides, int64_t offset) {
  sizes_ = sizes;
  strides_ = strides;
  offset_ = offset;
  numel_ = numel_of(sizes);
  contiguous_ = contiguous_geometry(sizes_, strides_);
}

Tensor empty(IntSpan sizes, DType dtype) {
  check_sizes(sizes);
  const int64_t count = numel_of(sizes);
  int64_t bytes = 0;
  FLAMBEAU_CHECK(!__builtin_mul_overflow(count, int64_t(itemsize(dtype)), &bytes),
                 "Storage size calculation overflowed with sizes=", sizes);
  const Dims strides = contiguous_strides(sizes);
  return Tensor(new TensorImpl(make_ref<Storage>(size_t(bytes)), dtype, sizes, strides, 0));
}

Tensor empty_strided(IntSpan sizes, IntSpan strides, DType dtype) {
  check_sizes(sizes);
  FLAMBEAU_CHECK(sizes.size() == strides.size(), "dimensionality of sizes (", sizes.size(),
                 ") must match dimensionality of strides (", strides.size(), ")");
  for (const int64_t s : strides)
    FLAMBEAU_CHECK(s >= 0, "as_strided: Negative strides are not supported at the moment, got strides: ", strides);
  numel_of(sizes);
  const int64_t bytes = extent_bytes(sizes, strides, itemsize(dtype));
  return Tensor(new TensorImpl(make_ref<Storage>(size_t(bytes)), dtype, sizes, strides, 0));
}

Tensor from_storage(Ref<Storage> storage, DType dtype, IntSpan sizes, IntSpan strides, int64_t offset) {
  check_sizes(sizes);
  FLAMBEAU_CHECK(sizes.size() == strides.size(), "mismatch in length of strides and shape");
  FLAMBEAU_CHECK(offset >= 0, "Tensor: invalid storage offset ", offset);
  for (const int64_t s : strides)
    FLAMBEAU_CHECK(s >= 0, "as_strided: Negative strides are not supported at the moment, got strides: ", strides);
  numel_of(sizes);
  const size_t item = itemsize(dtype);
  const int64_t extent = extent_bytes(sizes, strides, item);
  const __int128 needed = extent ? __int128(extent) + __int128(offset) * item : 0;
  FLAMBEAU_CHECK(needed <= __int128(storage->nbytes()), "setStorage: sizes ", sizes, ", strides ", strides,
                 ", storage offset ", offset, ", and itemsize ", item, " requiring a storage size of ", int64_t(needed),
                 " are out of bounds for storage of size ", storage->nbytes());
  return Tensor(new TensorImpl(std::move(storage), dtype, sizes, strides, offset));
}

bool is_dense(const Tensor& t) {
  if (t.is_contiguous() || t.numel() < 2) return true;
  Dims order(size_t(t.dim()), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return t.strides()[a] < t.strides()[b]; });
  int64_t expected = 1;
  for (const int64_t d : order) {
    if (t.sizes()[d] == 1) continue;
    if (t.strides()[d] != expected) return false;
    expected *= t.sizes()[d];
  }
  return true;
}

Tensor empty_like(const Tensor& like, DType dtype) {
  if (like.is_contiguous()) return empty(like.sizes(), dtype);
  if (is_dense(like)) return empty_strided(like.sizes(), like.strides(), dtype);
  // Keep the order of the strides, drop their gaps (infer_dense_strides in ATen): the later dimension goes
  // inside when strides tie or are zero.
  const int64_t ndim = like.dim();
  Dims order(size_t(ndim), 0);
  for (int64_t i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  auto should_swap = [&](int64_t a, int64_t b) {
    const int64_t x = like.strides()[a], y = like.strides()[b];
    if (x == 0 || y == 0) return 0;
    if (x != y) return x < y ? -1 : 1;
    return like.sizes()[a] > like.sizes()[b] ? 1 : 0;
  };
  for (int64_t i = 1; i < ndim; ++i) {
    int64_t at = i;
    for (int64_t j = i; j-- > 0;) {
      const int swap = should_swap(order[j], order[at]);
      if (swap > 0) {
        std::swap(order[j], order[at]);
        at = j;
      } else if (swap < 0) {
        break;
      }
    }
  }
  Dims strides(size_t(ndim), 0);
  int64_t step = 1;
  for (int64_t i = 0; i < ndim; ++i) {
    strides[order[i]] = step;
    step *= std::max<int64_t>(like.sizes()[order[i]], 1);
  }
  return empty_strided(like.sizes(), strides, dtype);
}

Tensor scalar_tensor(Scalar value, DType dtype) {
  Tensor out = empty({}, dtype);
  visit_all("fill_cpu", dtype, [&]<class T>(Type<T>) { *out.data<T>() = value.to<T>(); });
  return out;
}

Tensor alias(const Tensor& t) {
  auto* impl = new TensorImpl(t.storage(), t.dtype(), t.sizes(), t.strides(), t.storage_offset());
  impl->untracked_ = t.impl()->untracked_;
  return Tensor(impl);
}

void check_no_internal_overlap(const Tensor& t) {
  if (t.is_contiguous() || t.numel() < 2) return;
  for (int64_t d = 0; d < t.dim(); ++d)
    FLAMBEAU_CHECK(t.sizes()[d] < 2 || t.strides()[d] != 0,
                   "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                   "location. Please clone() the tensor before performing the operation.");
}

bool same_memory(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && a.dtype() == b.dtype();
}

bool may_overlap(const Tensor& a, const Tensor& b) {
  if (!(a.storage() == b.storage()) || !a.numel() || !b.numel()) return false;
  const auto* pa = static_cast<const char*>(a.raw());
  const auto* pb = static_cast<const char*>(b.raw());
  return pa < pb + extent_bytes(b.sizes(), b.strides(), b.itemsize()) &&
         pb < pa + extent_bytes(a.sizes(), a.strides(), a.itemsize());
}

void check_no_partial_overlap(const Tensor& out, const Tensor& in) {
  if (out.is(in) || same_memory(out, in)) return;
  // Interleaved views that share a range but no element are allowed: only dense windows are judged.
  FLAMBEAU_CHECK(!(may_overlap(out, in) && is_dense(out) && is_dense(in)),
                 "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                 "memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace flambeau
