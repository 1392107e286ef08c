#include "tensor/dims.h"

namespace flambeau {

int64_t wrap_dim(int64_t dim, int64_t ndim, bool wrap_scalar) {
  if (ndim <= 0) {
    FLAMBEAU_CHECK_AS(IndexError, wrap_scalar, "Dimension specified as ", dim, " but tensor has no dimensions");
    ndim = 1;
  }
  FLAMBEAU_CHECK_AS(IndexError, dim >= -ndim && dim < ndim, "Dimension out of range (expected to be in range of [",
                    -ndim, ", ", ndim - 1, "], but got ", dim, ")");
  return dim < 0 ? dim + ndim : dim;
}

Dims wrap_dims(IntSpan dims, int64_t ndim) {
  Dims wrapped(dims);
  bool seen[kMaxDim] = {};
  for (auto& dim : wrapped) {
    dim = wrap_dim(dim, ndim);
    FLAMBEAU_CHECK(!seen[dim], "dim ", dim, " appears multiple times in the list of dims");
    seen[dim] = true;
  }
  return wrapped;
}

int64_t numel_of(IntSpan sizes) {
  int64_t product = 1;
  bool overflows = false;
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
    overflows |= __builtin_mul_overflow(product, size, &product);
  }
  FLAMBEAU_CHECK(!overflows, "numel: integer multiplication overflow");
  return product;
}

Dims contiguous_strides(IntSpan sizes) {
  Dims strides(sizes.size(), 1);
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    // Sizes that overflow are refused elsewhere, in PyTorch's words.
    if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step)) step = 1;
  }
  return strides;
}

Dims broadcast_shapes(IntSpan a, IntSpan b) {
  if (a == b) return a;
  const size_t ndim = std::max(a.size(), b.size());
  Dims out(ndim, 1);
  for (size_t i = 0; i < ndim; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    FLAMBEAU_CHECK(x == y || x == 1 || y == 1, "The size of tensor a (", x, ") must match the size of tensor b (", y,
                   ") at non-singleton dimension ", ndim - 1 - i);
    out[ndim - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace flambeau
