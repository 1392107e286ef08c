// Running results (ops/scan.h). Follows aten/src/ATen/native/ReduceOps.cpp, native/cpu/ReduceOpsKernel.cpp and the
// backward formulas of torch/csrc/autograd/FunctionsManual.cpp.
#include "ops/scan.h"

#include <limits>

#include "kernels/rows.h"
#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// Rows of the compute dtype through a kernel, in parallel over rows.
Tensor raw_scan(const ScanRows* kernels, const Tensor& self, int64_t dim, DType dtype) {
  const Rows x(raw_cast(raw_cast(self, dtype), compute_dtype(dtype)), dim);
  const Tensor out = x.make(x.data.dtype());
  const ScanRows scan = kernels[compute_slot(out.dtype())];
  const int64_t row = x.n * int64_t(out.itemsize());
  x.split([&](int64_t begin, int64_t end) {
    scan(static_cast<char*>(out.raw()) + begin * row, static_cast<char*>(x.data.raw()) + begin * row, end - begin, x.n);
  });
  return raw_cast(x.restore(out), dtype);
}

// Sums and products of a contiguous tensor along another dimension than the last go down columns; the rest by rows.
Tensor raw_scan(const ScanRows* rows, const ScanColumns* columns, const Tensor& self, int64_t dim, DType dtype) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (d + 1 >= self.dim() || !self.is_contiguous()) return raw_scan(rows, self, dim, dtype);
  const Tensor x = raw_cast(raw_cast(self, dtype), compute_dtype(dtype));
  const Tensor out = empty(x.sizes(), x.dtype());
  int64_t inner = 1;
  for (int64_t i = d + 1; i < self.dim(); ++i) inner *= self.sizes()[size_t(i)];
  const int64_t n = self.sizes()[size_t(d)];
  if (x.numel() == 0) return raw_cast(out, dtype);
  const ScanColumns scan = columns[compute_slot(x.dtype())];
  constexpr int64_t kBand = 32;  // columns a task takes
  const int64_t bands = (inner + kBand - 1) / kBand, width = int64_t(x.itemsize());
  parallel_for(0, x.numel() / n / inner * bands, std::max<int64_t>(1, kReduceGrain / (n * kBand)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t task = begin; task < end; ++task) {
                   const int64_t first = task % bands * kBand, at = (task / bands * n * inner + first) * width;
                   scan(static_cast<char*>(out.raw()) + at, static_cast<char*>(x.raw()) + at, n, inner,
                        std::min(kBand, inner - first));
                 }
               });
  return raw_cast(out, dtype);
}

DType scan_dtype(const Tensor& self, OptDType dtype) {
  return dtype ? *dtype : summed_as_int(self.dtype()) ? DType::Int64 : self.dtype();
}

Tensor reversed_cumsum(const Tensor& x, int64_t dim) {
  if (x.numel() <= 1 || x.size(dim) == 1) return x;
  return flip(cumsum(flip(x, {dim}), dim), {dim});
}

}  // namespace

Tensor cumsum(const Tensor& self, int64_t dim, OptDType dtype) {
  Tensor out = raw_scan(kernels::rows().cumsum, kernels::rows().cumsum_columns, self, dim, scan_dtype(self, dtype));
  return record("CumsumBackward0", out, {self}, [&] {
    return [dim, like = self.dtype()](const Tensor& grad, Needs) {
      const Tensor g = to_dtype(grad, like);
      return TensorList{g.dim() == 0 ? g : reversed_cumsum(g, dim)};
    };
  });
}

namespace {

// Differentiable and quadratic: each element's factor, the product of the others up to every later place.
Tensor cumprod_backward_by_element(const Tensor& grad, const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  TensorList parts;
  for (int64_t k = 0; k < n; ++k) {
    Tensor others = k == 0 ? ones(narrow(x, dim, 0, 1).sizes(), x.dtype()) : prod(narrow(x, dim, 0, k), dim, true);
    if (k + 1 < n) others = cat({others, mul(others, cumprod(narrow(x, dim, k + 1, n - k - 1), dim))}, dim);
    parts.push_back(sum(mul(narrow(grad, dim, k, n - k), others), dim, true));
  }
  return cat(parts, dim);
}

// Linear: before the first zero as without zeros; at the first zero the product of the others; after it nothing.
Tensor cumprod_backward_with_zeros(const Tensor& grad, const Tensor& x, int64_t dim, const Tensor& result) {
  const Tensor zeros_met = cumsum(eq(x, 0), dim);
  const Tensor before = eq(zeros_met, 0), between = eq(zeros_met, 1);
  const Tensor smooth = div(reversed_cumsum(masked_fill(mul(result, grad), logical_not(before), 0), dim), x);
  const Tensor first = argmax(to_dtype(between, DType::Int64), dim, true);
  const Tensor at_first = logical_and(scatter_value(zeros(x.sizes(), DType::Bool), dim, first, true), between);
  const Tensor after = cumprod(masked_fill(x, logical_not(logical_and(between, logical_not(at_first))), 1), dim);
  const Tensor left = masked_fill(gather(result, dim, clamp_min(sub(first, 1), 0)), eq(first, 0), 1);
  const Tensor at_zero = mul(sum(mul(after, masked_fill(grad, logical_not(between), 0)), dim, true), left);
  return where(at_first, at_zero, where(before, smooth, 0.0));
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& x, int64_t dim, const Tensor& result) {
  if (x.numel() <= 1 || x.size(dim) == 1) return grad;
  if (!any(eq(detach(x), 0)).data<bool>()[0]) return div(reversed_cumsum(mul(result, grad), dim), x);
  return grad_enabled() ? cumprod_backward_by_element(grad, x, dim) : cumprod_backward_with_zeros(grad, x, dim, result);
}

}  // namespace

Tensor cumprod(const Tensor& self, int64_t dim, OptDType dtype) {
  Tensor out = raw_scan(kernels::rows().cumprod, kernels::rows().cumprod_columns, self, dim, scan_dtype(self, dtype));
  return record("CumprodBackward0", out, {self}, [&] {
    return [dim, self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      const Tensor x = self.get();
      return TensorList{cumprod_backward(to_dtype(grad, x.dtype()), x, dim, to_dtype(result.get(), x.dtype()))};
    };
  });
}

namespace {

// In logarithms, positive and negative gradients apart.
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& x, const Tensor& result, int64_t dim) {
  if (grad.dim() == 0 || grad.numel() == 0) return grad;
  const double lowest = grad.dtype() == DType::Float64 ? std::numeric_limits<double>::lowest()
                                                       : double(std::numeric_limits<float>::lowest());
  const Tensor size = log(abs(grad));
  const auto part = [&](const Tensor& sign) {
    const Tensor terms = sub(where(sign, size, grad.dtype() == DType::Float16 ? -65504.0 : lowest), result);
    return exp(add(flip(logcumsumexp(flip(terms, {dim}), dim), {dim}), x));
  };
  return sub(part(gt(grad, 0)), part(lt(grad, 0)));
}

}  // namespace

Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  if (!self.is_floating()) not_implemented_for("logcumsumexp_out_cpu", self.dtype());
  Tensor out = raw_scan(kernels::rows().logcumsumexp, self, dim, self.dtype());
  return record("LogcumsumexpBackward0", out, {self}, [&] {
    return [dim, self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      return TensorList{logcumsumexp_backward(grad, self.get(), result.get(), dim)};
    };
  });
}

namespace {

TwoTensors scan_extreme(std::string_view node, const ScanExtremeRows* kernels, const Tensor& self, int64_t dim) {
  const Rows x(self, dim);
  const Tensor data = raw_cast(x.data, compute_dtype(self.dtype()));
  const Tensor best = x.make(data.dtype()), positions = x.make(DType::Int64);
  const ScanExtremeRows scan = kernels[compute_slot(data.dtype())];
  const int64_t row = x.n * int64_t(data.itemsize());
  x.split([&](int64_t begin, int64_t end) {
    scan(static_cast<char*>(best.raw()) + begin * row, positions.data<int64_t>() + begin * x.n,
         static_cast<char*>(data.raw()) + begin * row, end - begin, x.n);
  });
  Tensor values = x.restore(raw_cast(best, self.dtype()));
  const Tensor indices = x.restore(positions);
  values = record(node, values, {self}, [&] {
    return [dim, sizes = self.sizes(), indices](const Tensor& grad, Needs) {
      return TensorList{scatter_add(zeros(sizes, grad.dtype()), dim, indices, grad)};
    };
  });
  return {values, indices};
}

}  // namespace

TwoTensors cummax(const Tensor& self, int64_t dim) {
  return scan_extreme("CummaxBackward0", kernels::rows().cummax, self, dim);
}
TwoTensors cummin(const Tensor& self, int64_t dim) {
  return scan_extreme("CumminBackward0", kernels::rows().cummin, self, dim);
}

}  // namespace flambeau::ops
