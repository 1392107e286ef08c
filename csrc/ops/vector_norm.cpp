// Norms (ops/vector_norm.h). Follows linalg_vector_norm and linalg_matrix_norm in
// aten/src/ATen/native/LinearAlgebra.cpp, norm_kernel in native/cpu/ReduceOpsKernel.cpp, renorm in
// native/Normalization.cpp, and norm_backward in torch/csrc/autograd/FunctionsManual.cpp.
#include "ops/vector_norm.h"

#include <cmath>

#include "kernels/moments.h"
#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

NormKind kind_of(double p) {
  if (p == 0) return NormKind::Zero;
  if (p == 1) return NormKind::One;
  if (p == 2) return NormKind::Two;
  if (p == HUGE_VAL) return NormKind::Largest;
  if (p == -HUGE_VAL) return NormKind::Smallest;
  return NormKind::Power;
}

template <class T>
T finish(NormKind kind, T acc, double p) {
  if (kind == NormKind::Two) return ::sqrt(acc);
  return kind == NormKind::Power ? T(std::pow(acc, T(1) / T(p))) : acc;
}

// The 2-norm of adjacent elements has a kernel of their own; the rest folds element by element.
void norm_into(const Tensor& out, const Tensor& x, const ReducedDims& dims, double p) {
  const NormKind kind = kind_of(p);
  const ReducePlan plan(x, dims);
  if (kind == NormKind::Two && plan.leading == 1 && plan.in[0] == 1) {
    const bool fused = profile().aten != AtenIsa::Default;
    const int64_t n = plan.sizes[0], width = int64_t(x.itemsize());
    const auto norm_two = kernels::moments().norm_two[compute_slot(x.dtype())];
    parallel_for(0, plan.outputs, std::max<int64_t>(1, kReduceGrain / n), [&](int64_t begin, int64_t end) {
      ReducePlan rows = plan;
      rows.sizes[0] = 1;
      rows.numel = plan.outputs;
      serial_for_each(rows, begin, end, [&](int64_t o, int64_t i, const ReduceShape& s) {
        for (int64_t row = 0; row < s.size1; ++row, o += s.out1, i += s.in1)
          norm_two(static_cast<char*>(out.raw()) + o * width, static_cast<char*>(x.raw()) + i * width, n, fused);
      });
    });
    return;
  }
  const auto fold = kernels::moments().norm[compute_slot(x.dtype())];
  visit_real("norm", x.dtype(), [&]<class T>(Type<T>) {
    reduce_each(
        plan, kind == NormKind::Smallest ? T(HUGE_VAL) : T(0),
        [&](T& acc, int64_t in, const ReduceShape& shape) { fold(&acc, x.data<T>() + in, shape, kind, p); },
        [&](T& acc, T part) {
          if (kind == NormKind::Largest) acc = (acc > part || acc != acc) ? acc : part;
          else if (kind == NormKind::Smallest) acc = (acc < part || acc != acc) ? acc : part;
          else acc = acc + part;
        },
        [&](int64_t at, T acc) { out.data<T>()[at] = finish(kind, acc, p); });
  });
}

void check_has_identity(const Tensor& self, Scalar ord, IntSpan dim) {
  if (self.numel() > 0 || (ord.to_double() >= 0 && ord.to_double() != HUGE_VAL)) return;
  FLAMBEAU_CHECK(!dim.empty(), "linalg.vector_norm cannot compute the ", ord,
                 " norm on an empty tensor because the operation does not have an identity");
  for (const int64_t d : dim)
    FLAMBEAU_CHECK(self.size(d) != 0, "linalg.vector_norm cannot compute the ", ord, " norm on the dimension ", d,
                   "because this dimension is empty and the operation does not have an identity");
}

Tensor raw_norm(const Tensor& self, Scalar ord, IntSpan dim, const ReducedDims& dims, bool keepdim, OptDType dtype) {
  FLAMBEAU_CHECK(self.is_floating(), "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
                 self.dtype());
  FLAMBEAU_CHECK(!dtype || is_floating(*dtype),
                 "linalg.vector_norm: dtype should be floating point or complex, but got ",
                 dtype.value_or(self.dtype()));
  check_has_identity(self, ord, dim);
  const DType out_dtype = dtype.value_or(self.dtype());
  const Tensor x = raw_cast(raw_cast(self, out_dtype), compute_dtype(out_dtype));
  Tensor out = empty(dims.sizes(keepdim), x.dtype());
  const double p = ord.to_double();
  // Nothing to add up: exactly the size. A scalar along its dim goes the long way in PyTorch, too.
  if (dims.count() == 1 && x.numel() > 0 && (x.dim() > 0 || dim.empty())) {
    GradMode off(false);
    const Tensor one = raw_reshape(raw_contiguous(x), out.sizes());
    return raw_cast(p == 0 ? ne(one, 0) : abs(one), out_dtype);
  }
  if (x.numel() == 0) raw_fill(out, p < 0 ? HUGE_VAL : 0.0);
  else norm_into(out, x, dims, p);
  return raw_cast(out, out_dtype);
}

Dims marked_dims(const ReducedDims& dims, int64_t ndim) {
  Dims out;
  for (int64_t d = 0; d < ndim; ++d)
    if (dims.marked(d)) out.push_back(d);
  return out;
}

// grad and norm have the reduced dimensions as 1. Where the norm is not smooth: a subgradient, 0 at the origin.
Tensor norm_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& norm, const ReducedDims& dims) {
  if (p == 0) return Tensor();
  if (p == 1) return mul(sign(self), grad);
  if (p == 2) return mul(grad, masked_fill(div(self, norm), eq(norm, 0), 0));
  if (std::isinf(p)) {
    const Tensor size = abs(self);
    const Tensor mask = logical_or(eq(size, norm), isnan(size));
    return mul(sign(self), mul(div(grad, sum(mask, marked_dims(dims, self.dim()), true)), mask));
  }
  if (p < 1) {
    const Tensor slope = masked_fill(pow(abs(self), p - 1), eq(self, 0), 0);
    return mul(mul(mul(sign(self), slope), grad), pow(norm, 1 - p));
  }
  const Tensor slope = p < 2 ? mul(sign(self), pow(abs(self), p - 1)) : mul(self, pow(abs(self), p - 2));
  return mul(slope, masked_fill(div(grad, pow(norm, p - 1)), eq(norm, 0), 0));
}

Tensor norm_over(std::string_view node, const Tensor& self, Scalar ord, IntSpan dim, bool keepdim, OptDType dtype) {
  const ReducedDims dims(self, dim);
  Tensor out = raw_norm(self, ord, dim, dims, keepdim, dtype);
  return record(node, out, {self}, [&] {
    return [dims, keepdim, p = ord.to_double(), self = Saved(self), result = Saved::output(out)](const Tensor& grad,
                                                                                                 Needs) {
      const Tensor given = self.get(), x = to_dtype(given, grad.dtype());
      const Tensor grad_x = norm_backward(unreduce(grad, dims, x.dim(), keepdim), x, p,
                                          unreduce(result.get(), dims, x.dim(), keepdim), dims);
      return TensorList{grad_x.defined() ? to_dtype(grad_x, given.dtype()) : grad_x};
    };
  });
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& self, Scalar ord, const OptDims& dim, bool keepdim, OptDType dtype) {
  return norm_over("LinalgVectorNormBackward0", self, ord, dim ? IntSpan(*dim) : IntSpan(), keepdim, dtype);
}

Tensor norm(const Tensor& self, Scalar p) { return norm_over("NormBackward0", self, p, {}, false, {}); }

Tensor norm(const Tensor& self, std::optional<Scalar> p, const Dims& dim, bool keepdim, OptDType dtype) {
  return norm_over("NormBackward1", self, p.value_or(Scalar(2)), dim, keepdim, dtype);
}

namespace {

Dims matrix_dims(const Tensor& self, const Dims& dim) {
  FLAMBEAU_CHECK(self.is_floating(), "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got ",
                 self.dtype());
  FLAMBEAU_CHECK(self.dim() >= 2, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  FLAMBEAU_CHECK(dim.size() == 2, "linalg.matrix_norm: dim must be a 2-tuple. Got ", dim);
  Dims out{wrap_dim(dim[0], self.dim()), wrap_dim(dim[1], self.dim())};
  FLAMBEAU_CHECK(out[0] != out[1], "linalg.matrix_norm: dims must be different. Got (", dim[0], ", ", dim[1], ")");
  return out;
}

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, Scalar ord, const Dims& dim, bool keepdim, OptDType dtype) {
  const double p = ord.to_double();
  Dims dims = matrix_dims(self, dim);
  FLAMBEAU_CHECK(std::fabs(p) == 1 || std::fabs(p) == 2 || std::isinf(p), "linalg.matrix_norm: Order ", ord,
                 " not supported.");
  FLAMBEAU_CHECK_AS(NotImplementedError, std::fabs(p) != 2, "linalg.matrix_norm: the norm of order ", ord,
                    " needs singular values, which are not supported yet");
  if (std::isinf(p)) std::swap(dims[0], dims[1]);
  const Tensor sums = linalg_vector_norm(self, 1, Dims{dims[0]}, keepdim, dtype);
  const int64_t rest = !keepdim && dims[0] < dims[1] ? dims[1] - 1 : dims[1];
  return p > 0 ? amax(sums, {rest}, keepdim) : amin(sums, {rest}, keepdim);
}

Tensor linalg_matrix_norm(const Tensor& self, const std::string& ord, const Dims& dim, bool keepdim, OptDType dtype) {
  const Dims dims = matrix_dims(self, dim);
  FLAMBEAU_CHECK(ord == "fro" || ord == "nuc", "linalg.matrix_norm: Order ", ord, " not supported.");
  FLAMBEAU_CHECK_AS(NotImplementedError, ord == "fro", "linalg.matrix_norm: the norm of order ", ord,
                    " needs singular values, which are not supported yet");
  return linalg_vector_norm(self, 2, dims, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, std::optional<Scalar> ord, const OptDims& dim, bool keepdim, OptDType dtype) {
  FLAMBEAU_CHECK(!dim || dim->size() == 1 || dim->size() == 2,
                 "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", dim.value_or(Dims()));
  FLAMBEAU_CHECK(dim || !ord || self.dim() == 1 || self.dim() == 2,
                 "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ", self.dim(), "D.");
  if (ord && ((dim && dim->size() == 2) || (!dim && self.dim() == 2)))
    return linalg_matrix_norm(self, *ord, dim ? *dim : Dims{0, 1}, keepdim, dtype);
  return linalg_vector_norm(self, ord.value_or(Scalar(2)), dim, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, const std::string& ord, const OptDims& dim, bool keepdim, OptDType dtype) {
  FLAMBEAU_CHECK(!dim || dim->size() == 1 || dim->size() == 2,
                 "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", dim.value_or(Dims()));
  FLAMBEAU_CHECK(dim || self.dim() == 1 || self.dim() == 2,
                 "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ", self.dim(), "D.");
  return linalg_matrix_norm(self, ord, dim ? *dim : Dims{0, 1}, keepdim, dtype);
}

Tensor dist(const Tensor& self, const Tensor& other, Scalar p) {
  Tensor out;
  {
    GradMode off(false);
    out = norm(sub(self, other), p);
  }
  return record("DistBackward0", out, {self, other}, [&] {
    return [p = p.to_double(), self = Saved(self), other = Saved(other), result = Saved::output(out)](
               const Tensor& grad, Needs need) {
      const Tensor a = self.get(), b = other.get(), d = sub(a, b);
      const Tensor grad_d = norm_backward(grad, d, p, result.get(), ReducedDims(d, {}));
      if (!grad_d.defined()) return TensorList(2);
      return TensorList{need[0] ? sum_to(grad_d, a.sizes()) : Tensor(),
                        need[1] ? sum_to(neg(grad_d), b.sizes()) : Tensor()};
    };
  });
}

namespace {

Dims other_dims(int64_t dim, int64_t ndim) {
  Dims out;
  for (int64_t d = 0; d < ndim; ++d)
    if (d != dim) out.push_back(d);
  return out;
}

}  // namespace

Tensor renorm(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm) {
  FLAMBEAU_CHECK(p.to_double() > 0, "renorm: non-positive-norm not supported");
  FLAMBEAU_CHECK(self.dim() > 1, "renorm: input needs at least 2 dimensions, got ", self.dim(), " dimensions");
  dim = wrap_dim(dim, self.dim());
  const double limit = maxnorm.to_double();
  FLAMBEAU_CHECK(limit >= 0, "renorm: expected maxnorm to be >= 0 but got ", streamed(limit));
  const Dims dims = other_dims(dim, self.dim());
  const DType acc = compute_dtype(self.dtype());
  Tensor out;
  {
    GradMode off(false);
    const Tensor size = linalg_vector_norm(self, p, dims, true, acc);
    const Tensor factor = where(gt(size, limit), div(limit, add(size, 1e-7)), 1.0);
    out = mul(self, to_dtype(factor, self.dtype()));
  }
  return record("RenormBackward0", out, {self}, [&] {
    // The gradient accumulates in double for floats, unlike the result.
    const DType wide = is_reduced_float(self.dtype()) ? DType::Float32 : DType::Float64;
    return [p, dims, limit, acc = wide, self = Saved(self)](const Tensor& grad, Needs) {
      const Tensor x = self.get();
      const Tensor size = linalg_vector_norm(x, p, dims, true, acc);
      const Tensor grad_size =
          norm_backward(sum(mul(x, grad), dims, true, acc), x, p.to_double(), size, ReducedDims(x, dims));
      const Tensor inverse = reciprocal(add(size, 1e-7));
      const Tensor scaled = mul(mul(inverse, limit), sub(grad, mul(inverse, grad_size)));
      return TensorList{where(gt(size, limit), to_dtype(scaled, grad.dtype()), grad)};
    };
  });
}

}  // namespace flambeau::ops
