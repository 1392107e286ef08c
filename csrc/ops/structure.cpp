// Products with a structure of positions: Kronecker, Vandermonde, cross (native/LinearAlgebra.cpp, Cross.cpp).
#include <cmath>

#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/pointwise.h"

namespace flambeau::ops {

// (a0, 1, a1, 1, ...) * (1, b0, 1, b1, ...), read as (a0 * b0, a1 * b1, ...).
Tensor kron(const Tensor& self, const Tensor& other) {
  const int64_t ndim = std::max(self.dim(), other.dim());
  Dims a, b, sizes;
  for (int64_t d = 0; d < ndim; ++d) {
    const int64_t from_self = d - (ndim - self.dim()), from_other = d - (ndim - other.dim());
    const int64_t m = from_self < 0 ? 1 : self.size(from_self), n = from_other < 0 ? 1 : other.size(from_other);
    for (const int64_t size : {m, int64_t(1)}) a.push_back(size);
    for (const int64_t size : {int64_t(1), n}) b.push_back(size);
    sizes.push_back(m * n);
  }
  return reshape(mul(reshape(self, a), reshape(other, b)), sizes);
}

static Tensor powers(const Tensor& x, int64_t n) {
  Dims sizes = x.sizes();
  const DType dtype = x.is_floating() ? x.dtype() : DType::Int64;
  sizes.push_back(1);
  const Tensor first = ones(sizes, dtype);
  sizes.back() = n - 1;
  if (n == 1) return first;
  return cat({first, cumprod(expand(unsqueeze(x, -1), sizes), -1)}, -1);
}

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N) {
  FLAMBEAU_CHECK(x.dtype() != DType::Bool,
                 "linalg.vander supports floating point, complex, and integer tensors, but got ", x.dtype());
  const Tensor row = atleast_1d(x);
  const int64_t n = N.value_or(row.size(-1));
  FLAMBEAU_CHECK(n > 1, "N must be greater than 1.");
  return powers(row, n);
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  FLAMBEAU_CHECK(x.dim() == 1, "x must be a one-dimensional tensor.");
  const int64_t n = N.value_or(x.size(0));
  FLAMBEAU_CHECK(n >= 0, "N must be non-negative.");
  if (n == 0) return empty({x.size(0), 0}, x.is_floating() ? x.dtype() : DType::Int64);
  const Tensor columns = powers(x, n);
  return increasing ? columns : flip(columns, {1});
}

// PyTorch's compiler fuses the first product with the difference (cpu/CrossKernel.cpp).
static Tensor raw_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  const DType dtype = promote(self.dtype(), other.dtype());
  if (dtype == DType::Bool) not_implemented_for("cross", dtype);
  Tensor out = empty(broadcast_shapes(self.sizes(), other.sizes()), dtype);
  Tensor x = empty(out.sizes(), dtype), y = empty(out.sizes(), dtype);
  raw_copy(x, self);
  raw_copy(y, other);
  const int64_t inner = out.stride(dim), outers = out.numel() / (3 * std::max<int64_t>(inner, 1));
  visit_all("cross", dtype, [&]<class T>(Type<T>) {
    for (int64_t o = 0; o < outers; ++o)
      for (int64_t n = 0; n < 3; ++n)
        for (int64_t i = 0; i < inner; ++i) {
          const int64_t at = o * 3 * inner + i, j = at + (n + 1) % 3 * inner, k = at + (n + 2) % 3 * inner;
          const T *a = x.data<const T>(), *b = y.data<const T>();
          T& result = out.data<T>()[at + n * inner];
          if constexpr (std::is_floating_point_v<T>) result = std::fma(a[j], b[k], -(a[k] * b[j]));
          else if constexpr (std::is_integral_v<T>) result = T(a[j] * b[k] - a[k] * b[j]);
          else result = T(float(T(a[j] * b[k])) - float(T(a[k] * b[j])));
        }
  });
  return out;
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  FLAMBEAU_CHECK(self.dim() == other.dim(), "linalg.cross: inputs must have the same number of dimensions.");
  const int64_t along = wrap_dim(dim, self.dim(), false);
  FLAMBEAU_CHECK(self.size(along) == 3 && other.size(along) == 3, "linalg.cross: inputs dimension ", dim,
                 " must have length 3. Got ", self.size(along), " and ", other.size(along));
  const Tensor out = raw_cross(self, other, along);
  return record("LinalgCrossBackward0", out, {self, other}, [&] {
    return [self = Saved(self), other = Saved(other), dim](const Tensor& grad, Needs need) {
      const Tensor a = self.get(), b = other.get();
      return TensorList{need[0] ? sum_to(linalg_cross(expand(b, grad.sizes()), grad, dim), a.sizes()) : Tensor(),
                        need[1] ? sum_to(linalg_cross(grad, expand(a, grad.sizes()), dim), b.sizes()) : Tensor()};
    };
  });
}

// Without dim: the first dimension of size 3.
Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (dim) return linalg_cross(self, other, *dim);
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.size(d) == 3) return linalg_cross(self, other, d);
  throw Error("no dimension of size 3 in input");
}

}  // namespace flambeau::ops
