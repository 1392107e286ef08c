// Triangles and diagonals, and copies with one view's place overwritten (native/TriangularOps.cpp,
// TensorTransformations.cpp, ReduceOps.cpp for trace).
#include <cstring>

#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

// Zero bits are zero in every dtype. Row i keeps columns up to i + diagonal (lower) or from there on (upper).
Tensor raw_triangle(const Tensor& self, int64_t diagonal, bool lower) {
  Tensor out = empty(self.sizes(), self.dtype());
  raw_copy(out, self);
  if (out.numel() == 0) return out;
  const int64_t n = self.size(-2), m = self.size(-1), width = int64_t(self.itemsize());
  char* data = static_cast<char*>(out.raw());
  parallel_for(0, out.numel() / m, std::max<int64_t>(1, 32768 / m), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t edge = std::clamp<int64_t>(row % n + diagonal + (lower ? 1 : 0), 0, m);
      char* at = data + row * m * width;
      if (lower) std::memset(at + edge * width, 0, size_t((m - edge) * width));
      else std::memset(at, 0, size_t(edge * width));
    }
  });
  return out;
}

// Room for a copy of self with its strides, gaps included.
Tensor empty_with_strides_of(const Tensor& self) {
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.size(d) > 1 && self.stride(d) == 0) return empty_like(self, self.dtype());
  return empty_strided(self.sizes(), self.strides(), self.dtype());
}

// A copy of self in which the place that `window` shows holds src.
template <class Window>
Tensor view_scatter(const char* name, const Tensor& self, const Tensor& src, Window window) {
  Tensor out = empty_with_strides_of(self);
  {
    GradMode off(false);
    raw_copy(out, self);
    const Tensor slice = window(out);
    FLAMBEAU_CHECK(slice.sizes() == src.sizes(),
                   "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
                   ", slice size = ", slice.sizes());
    raw_copy(slice, src);
  }
  return record(name, out, {self, src}, [&] {
    return [name, window, sizes = src.sizes(), src_dtype = src.dtype()](const Tensor& grad, Needs need) {
      TensorList grads(2);
      if (need[0]) grads[0] = view_scatter(name, grad, zeros(sizes, grad.dtype()), window);
      if (need[1]) grads[1] = to_dtype(clone(window(grad)), src_dtype);
      return grads;
    };
  });
}

// Coordinates (2, count) of the triangle in row-major order.
Tensor triangle_indices(const char* name, int64_t row, int64_t col, int64_t offset, const Options& options,
                        bool lower) {
  FLAMBEAU_CHECK(row >= 0, "row must be non-negative, got", row);
  FLAMBEAU_CHECK(col >= 0, "col must be non-negative, got", col);
  const DType dtype = options.dtype_or(DType::Int64);
  if (dtype != DType::Int64 && dtype != DType::Int32) not_implemented_for(name, dtype);
  std::vector<int64_t> rows, columns;
  for (int64_t i = 0; i < row; ++i) {
    const int64_t edge = std::clamp<int64_t>(i + offset + (lower ? 1 : 0), 0, col);
    for (int64_t j = lower ? 0 : edge; j < (lower ? edge : col); ++j) {
      rows.push_back(i);
      columns.push_back(j);
    }
  }
  Tensor out = empty({2, int64_t(rows.size())}, DType::Int64);
  std::copy(rows.begin(), rows.end(), out.data<int64_t>());
  std::copy(columns.begin(), columns.end(), out.data<int64_t>() + rows.size());
  return raw_cast(out, dtype);
}

}  // namespace

Tensor tril(const Tensor& self, int64_t diagonal) {
  FLAMBEAU_CHECK(self.dim() >= 2, "tril: input tensor must have at least 2 dimensions");
  return record("TrilBackward0", raw_triangle(self, diagonal, true), {self},
                [&] { return [diagonal](const Tensor& grad, Needs) { return TensorList{tril(grad, diagonal)}; }; });
}

Tensor triu(const Tensor& self, int64_t diagonal) {
  FLAMBEAU_CHECK(self.dim() >= 2, "triu: input tensor must have at least 2 dimensions");
  return record("TriuBackward0", raw_triangle(self, diagonal, false), {self},
                [&] { return [diagonal](const Tensor& grad, Needs) { return TensorList{triu(grad, diagonal)}; }; });
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, const Options& options) {
  return triangle_indices("tril_indices", row, col, offset, options, true);
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, const Options& options) {
  return triangle_indices("triu_indices", row, col, offset, options, false);
}

Tensor diag(const Tensor& self, int64_t diagonal) {
  FLAMBEAU_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ", self.dim(), "D");
  return self.dim() == 1 ? diag_embed(self, diagonal) : clone(ops::diagonal(self, diagonal, 0, 1));
}

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t ndim = self.dim() + 1;
  const int64_t first = wrap_dim(dim1, ndim), second = wrap_dim(dim2, ndim);
  FLAMBEAU_CHECK(first != second, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  Dims sizes = self.sizes();
  const int64_t length = sizes.back() + std::abs(offset);
  sizes.erase(sizes.size() - 1);
  sizes.insert(size_t(std::min(first, second)), length);
  sizes.insert(size_t(std::max(first, second)), length);
  Tensor out = zeros(sizes, self.dtype());
  raw_copy(diagonal(out, offset, first, second), self);
  return record("DiagEmbedBackward0", out, {self}, [&] {
    return [=](const Tensor& grad, Needs) { return TensorList{diagonal(grad, offset, first, second)}; };
  });
}

Tensor diagflat(const Tensor& self, int64_t offset) { return diag(reshape(contiguous(self), {-1}), offset); }

// Floating point adds up in double along the diagonal, integers in int64.
Tensor trace(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  if (self.dtype() == DType::Bool) not_implemented_for("trace", self.dtype());
  const int64_t n = std::min(self.size(0), self.size(1)), step = self.stride(0) + self.stride(1);
  Tensor out = empty({}, self.is_floating() ? self.dtype() : DType::Int64);
  visit_all("trace", self.dtype(), [&]<class T>(Type<T>) {
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    const T* x = self.data<const T>();
    Sum sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += Sum(x[i * step]);
    *out.data<Out>() = Out(sum);
  });
  return record("TraceBackward0", out, {self}, [&] {
    return [n, sizes = self.sizes()](const Tensor& grad, Needs) {
      Tensor index = empty({n}, DType::Int64);
      for (int64_t i = 0; i < n; ++i) index.data<int64_t>()[i] = i * (sizes[1] + 1);
      const Tensor flat = zeros({sizes[0] * sizes[1]}, grad.dtype());
      return TensorList{view(index_fill_tensor(flat, 0, index, grad), sizes)};
    };
  });
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  return view_scatter("DiagonalScatterBackward0", self, src,
                      [=](const Tensor& t) { return diagonal(t, offset, dim1, dim2); });
}

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  return view_scatter("SelectScatterBackward0", self, src, [=](const Tensor& t) { return select(t, dim, index); });
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  return view_scatter("SliceScatterBackward0", self, src,
                      [=](const Tensor& t) { return slice(t, dim, start, end, step); });
}

// The gradient of self is PyTorch's, which keeps the window and drops the rest (as_strided_scatter_backward in
// FunctionsManual.cpp); the derivative would do the reverse.
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, const Dims& size, const Dims& stride,
                          std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  Tensor out = empty_with_strides_of(self);
  {
    GradMode off(false);
    raw_copy(out, self);
    const Tensor window = as_strided(out, size, stride, offset);
    FLAMBEAU_CHECK(window.sizes() == src.sizes(),
                   "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
                   ", slice size = ", window.sizes());
    raw_copy(window, src);
  }
  return record("AsStridedScatterBackward0", out, {self, src}, [&] {
    return [=](const Tensor& grad, Needs need) {
      TensorList grads(2);
      const Tensor window = as_strided(contiguous(grad), size, stride, offset);
      if (need[0]) grads[0] = as_strided_scatter(zeros(grad.sizes(), grad.dtype()), window, size, stride, offset);
      if (need[1]) grads[1] = clone(window);
      return grads;
    };
  });
}

}  // namespace flambeau::ops
