// Sums, means and products (ops/reduce.h). Follows aten/src/ATen/native/ReduceOps.cpp and the backward formulas of
// torch/csrc/autograd/FunctionsManual.cpp.
#include "ops/reduce.h"

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/scan.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

IntSpan span_of(const OptDims& dim) { return dim ? IntSpan(*dim) : IntSpan(); }

// Elements become `dtype`, are added in its compute dtype, and the sum becomes `dtype` again.
Tensor raw_sum(const Tensor& self, const ReducedDims& dims, bool keepdim, DType dtype) {
  const Tensor terms = raw_cast(raw_cast(self, dtype), compute_dtype(dtype));
  return raw_cast(reduce_with(kernels::reduce().sum, terms, dims, keepdim, 0), dtype);
}

DType sum_dtype(const Tensor& self, OptDType dtype) {
  return dtype ? *dtype : summed_as_int(self.dtype()) ? DType::Int64 : self.dtype();
}

Tensor sum_backward(const Tensor& grad, const ReducedDims& dims, const Dims& sizes, bool keepdim) {
  return expand(unreduce(grad, dims, int64_t(sizes.size()), keepdim), sizes);
}

Tensor sum_over(std::string_view node, const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  const ReducedDims dims(self, span_of(dim));
  Tensor out = raw_sum(self, dims, keepdim, sum_dtype(self, dtype));
  return record(node, out, {self}, [&] {
    return [dims, keepdim, sizes = self.sizes(), like = self.dtype()](const Tensor& grad, Needs) {
      return TensorList{to_dtype(sum_backward(grad, dims, sizes, keepdim), like)};
    };
  });
}

}  // namespace

Tensor sum(const Tensor& self, OptDType dtype) { return sum_over("SumBackward0", self, {}, false, dtype); }

Tensor sum(const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  return sum_over("SumBackward1", self, dim, keepdim, dtype);
}

Tensor sum_to_size(const Tensor& self, const Dims& size) {
  bool fits = size.size() <= self.sizes().size();
  for (size_t d = 0; fits && d < size.size(); ++d) {
    const int64_t have = self.sizes()[self.sizes().size() - size.size() + d];
    fits = size[d] == have || size[d] == 1;
  }
  FLAMBEAU_CHECK(fits, "size {", size, "} is not expandable to size {", self.sizes(), "}.");
  return size.empty() ? sum(self) : sum_to(self, size);  // to a scalar even a scalar is summed: bool becomes int64
}

namespace {

// The elements with 0 for NaN, in the same layout: a cascade of them is nansum's.
Tensor without_nan(const Tensor& self) {
  Tensor out = empty_like(self, self.dtype());
  raw_copy(out, self);
  visit_real("nansum", out.dtype(), [&]<class T>(Type<T>) {
    T* p = out.data<T>();
    parallel_for(0, out.numel(), kReduceGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) p[i] = p[i] != p[i] ? T(0) : p[i];
    });
  });
  return out;
}

}  // namespace

Tensor nansum(const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  if (summed_as_int(self.dtype())) return sum(self, dim, keepdim, dtype);
  const DType to = dtype.value_or(self.dtype());
  const ReducedDims dims(self, span_of(dim));
  const Tensor terms = without_nan(raw_cast(self, compute_dtype(self.dtype())));
  Tensor out = raw_sum(terms, dims, keepdim, to);
  return record("NansumBackward0", out, {self}, [&] {
    return [dims, keepdim, self = Saved(self)](const Tensor& grad, Needs) {
      const Tensor x = self.get();
      return TensorList{mul(sum_backward(to_dtype(grad, x.dtype()), dims, x.sizes(), keepdim), logical_not(isnan(x)))};
    };
  });
}

namespace {

void check_mean_dtype(const Tensor& self, OptDType dtype) {
  const DType in = dtype.value_or(self.dtype());
  FLAMBEAU_CHECK(is_floating(in), "mean(): could not infer output dtype. ", dtype ? "Optional" : "Input",
                 " dtype must be either a floating point or complex dtype. Got: ", in);
}

// The sum in the compute dtype, divided once, then rounded.
Tensor raw_mean(const Tensor& self, const ReducedDims& dims, bool keepdim, DType dtype) {
  const Tensor terms = raw_cast(raw_cast(self, dtype), compute_dtype(dtype));
  const Tensor out = reduce_with(kernels::reduce().sum, terms, dims, keepdim, 0);
  visit_real("mean", out.dtype(), [&]<class T>(Type<T>) {
    T* p = out.data<T>();
    const T count = T(dims.count());
    for (int64_t i = 0; i < out.numel(); ++i) p[i] = p[i] / count;
  });
  return raw_cast(out, dtype);
}

Tensor mean_over(std::string_view node, const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  check_mean_dtype(self, dtype);
  const ReducedDims dims(self, span_of(dim));
  Tensor out = raw_mean(self, dims, keepdim, dtype.value_or(self.dtype()));
  return record(node, out, {self}, [&] {
    return [dims, keepdim, sizes = self.sizes(), like = self.dtype()](const Tensor& grad, Needs) {
      return TensorList{to_dtype(div(sum_backward(grad, dims, sizes, keepdim), Scalar(dims.count())), like)};
    };
  });
}

}  // namespace

Tensor mean(const Tensor& self, OptDType dtype) { return mean_over("MeanBackward0", self, {}, false, dtype); }

Tensor mean(const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  return mean_over("MeanBackward1", self, dim, keepdim, dtype);
}

Tensor nanmean(const Tensor& self, const OptDims& dim, bool keepdim, OptDType dtype) {
  FLAMBEAU_CHECK(self.is_floating(), "nanmean(): expected input to have floating point or complex dtype but got ",
                 self.dtype());
  return div(nansum(self, dim, keepdim, dtype), sum(logical_not(isnan(detach(self))), dim, keepdim));
}

namespace {

Tensor raw_prod(const Tensor& self, const ReducedDims& dims, bool keepdim, DType dtype) {
  const Tensor factors = raw_cast(raw_cast(self, dtype), compute_dtype(dtype));
  return raw_cast(reduce_with(kernels::reduce().prod, factors, dims, keepdim, 1), dtype);
}

// The product of all others, from the left times from the right: right where elements are 0, too.
Tensor prod_safe_zeros_backward(const Tensor& grad, const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  if (n <= 1) return n == 1 ? grad : zeros_like(x);
  Dims one = x.sizes();
  one[size_t(wrap_dim(dim, x.dim()))] = 1;
  const Tensor first = ones(one, x.dtype());
  const Tensor left = cumprod(cat({first, narrow(x, dim, 0, n - 1)}, dim), dim);
  const Tensor right = flip(cumprod(cat({first, flip(narrow(x, dim, 1, n - 1), {dim})}, dim), dim), {dim});
  return mul(grad, mul(left, right));
}

int64_t count_zeros(const Tensor& x) { return sum(eq(detach(x), 0)).data<int64_t>()[0]; }

}  // namespace

Tensor prod(const Tensor& self, OptDType dtype) {
  Tensor out = raw_prod(self, ReducedDims(self, {}), false, sum_dtype(self, dtype));
  return record("ProdBackward0", out, {self}, [&] {
    return [self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      const Tensor given = self.get(), x = to_dtype(given, grad.dtype());
      Tensor grad_x;
      if (x.dim() == 0) grad_x = clone(grad);
      else if (const int64_t count = count_zeros(x); count == 0) grad_x = mul(grad, div(result.get(), x));
      else if (count > 1 && !grad_enabled()) grad_x = zeros_like(x);
      else grad_x = reshape(prod_safe_zeros_backward(grad, reshape(x, {-1}), 0), x.sizes());
      return TensorList{to_dtype(grad_x, given.dtype())};
    };
  });
}

Tensor prod(const Tensor& self, int64_t dim, bool keepdim, OptDType dtype) {
  const ReducedDims dims(self, {dim});
  Tensor out = raw_prod(self, dims, keepdim, sum_dtype(self, dtype));
  return record("ProdBackward1", out, {self}, [&] {
    return [dims, dim, keepdim, self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      const Tensor given = self.get(), x = to_dtype(given, grad.dtype());
      Tensor grad_x;
      if (x.dim() == 0) grad_x = clone(grad);
      else {
        const Tensor g = unreduce(grad, dims, x.dim(), keepdim);
        grad_x = count_zeros(x) ? prod_safe_zeros_backward(g, x, dim)
                                : mul(g, div(unreduce(result.get(), dims, x.dim(), keepdim), x));
      }
      return TensorList{to_dtype(grad_x, given.dtype())};
    };
  });
}

Tensor count_nonzero(const Tensor& self, const Dims& dim) { return sum(ne(self, 0), dim); }

Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
  return dim ? count_nonzero(self, Dims{*dim}) : sum(ne(self, 0));
}

// Shifted by the largest element so that nothing overflows; a row of infinities is not shifted.
Tensor logsumexp(const Tensor& self, const Dims& dim, bool keepdim) {
  const ReducedDims dims(self, dim);
  const auto raw = [&](const Tensor& x) {
    if (x.numel() == 0) return log(sum(exp(x), OptDims(dim), keepdim));
    const Tensor top = amax(x, dim, true);
    Tensor shift = keepdim ? top : raw_reshape(top, dims.sizes(false));
    shift = masked_fill(shift, eq(abs(shift), HUGE_VAL), 0);
    const Tensor finite_top = keepdim ? shift : raw_reshape(shift, top.sizes());
    return add(log(sum(exp(sub(x, finite_top)), OptDims(dim), keepdim)), shift);
  };
  const Tensor x = self.is_floating() ? self : to_dtype(self, default_dtype());
  Tensor out;
  {
    GradMode off(false);
    out = raw(x);
  }
  return record("LogsumexpBackward0", out, {self}, [&] {
    return [dims, keepdim, self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      const Tensor x = self.get();
      return TensorList{
          mul(unreduce(grad, dims, x.dim(), keepdim), exp(sub(x, unreduce(result.get(), dims, x.dim(), keepdim))))};
    };
  });
}

}  // namespace flambeau::ops
