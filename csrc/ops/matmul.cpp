#include "ops/matmul.h"

#include "ops/copy.h"
#include "ops/join.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/product.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// As C++ names the type, which is what PyTorch's messages about products print.
std::string_view type_name(DType dtype) {
  switch (dtype) {
    case DType::UInt8: return "unsigned char";
    case DType::Int8: return "signed char";
    case DType::Int16: return "short int";
    case DType::Int32: return "int";
    case DType::Int64: return "long int";
    case DType::Float16: return "c10::Half";
    case DType::BFloat16: return "c10::BFloat16";
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    case DType::Bool: return "bool";
    default: return name(dtype);
  }
}

void check_multipliable(const Tensor& a, const Tensor& b) {
  FLAMBEAU_CHECK(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x", a.size(1),
                 " and ", b.size(0), "x", b.size(1), ")");
}

Tensor scaled(const Tensor& t, Scalar factor) { return factor.equals(1) ? t : mul(t, factor); }

bool is_column_major(const Tensor& t) { return t.stride(0) == 1 && t.stride(1) == t.size(0); }

// The gradients of a matrix come in its own layout (mm_mat1_grad and mm_mat2_grad in FunctionsManual.cpp).
Tensor grad_left(const Tensor& grad, const Tensor& right, bool column_major, Scalar alpha) {
  return scaled(column_major ? t(mm(right, t(grad))) : mm(grad, t(right)), alpha);
}
Tensor grad_right(const Tensor& grad, const Tensor& left, bool column_major, Scalar alpha) {
  return scaled(column_major ? t(mm(t(grad), left)) : mm(t(left), grad), alpha);
}

// What a product is added to: beta * self, broadcast, as a new contiguous tensor; self is not read when beta is 0.
Tensor start_of(const Tensor& self, const Dims& sizes, Scalar beta) {
  const Tensor out = empty(sizes, self.dtype());
  if (beta.equals(0)) return out;
  const GradMode off(false);
  const Tensor wide = self.sizes() == sizes ? self : expand(self, sizes);
  raw_copy(out, beta.equals(1) ? wide : mul(wide, beta));
  return out;
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  FLAMBEAU_CHECK(self.dim() == 2, "self must be a matrix");
  FLAMBEAU_CHECK(mat2.dim() == 2, "mat2 must be a matrix");
  check_multipliable(self, mat2);
  FLAMBEAU_CHECK(self.dtype() == mat2.dtype(),
                 "expected m1 and m2 to have the same dtype, but got: ", type_name(self.dtype()),
                 " != ", type_name(mat2.dtype()));
  const Tensor out = empty({self.size(0), mat2.size(1)}, self.dtype());
  product(out, self, mat2);
  return record("MmBackward0", out, {self, mat2}, [&] {
    return [a = Saved(self), b = Saved(mat2), a_cm = is_column_major(self), b_cm = is_column_major(mat2)](
               const Tensor& grad, Needs need) {
      return TensorList{need[0] ? grad_left(grad, b.get(), a_cm, 1) : Tensor(),
                        need[1] ? grad_right(grad, a.get(), b_cm, 1) : Tensor()};
    };
  });
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha) {
  FLAMBEAU_CHECK(self.dtype() == mat2.dtype(), "self and mat2 must have the same dtype, but got ", self.dtype(),
                 " and ", mat2.dtype());
  FLAMBEAU_CHECK(mat1.dtype() == mat2.dtype(), "mat1 and mat2 must have the same dtype, but got ", mat1.dtype(),
                 " and ", mat2.dtype());
  FLAMBEAU_CHECK(mat1.dim() == 2, "mat1 must be a matrix, got ", mat1.dim(), "-D tensor");
  FLAMBEAU_CHECK(mat2.dim() == 2, "mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
  check_multipliable(mat1, mat2);
  // In half precision all is added in float32, beta * self included, and rounded once.
  const DType wide = is_reduced_float(self.dtype()) ? DType::Float32 : self.dtype();
  // In float32 beta is left to the product: MKL may fuse it.
  const bool fused = wide == DType::Float32 && !beta.equals(0);
  const Tensor sum = start_of(raw_cast(self, wide), {mat1.size(0), mat2.size(1)}, fused ? Scalar(1) : beta);
  product(sum, raw_cast(mat1, wide), raw_cast(mat2, wide), !beta.equals(0), alpha.to_double(),
          fused ? float(beta.to_double()) : 1.0f);
  const Tensor out = raw_cast(sum, self.dtype());
  return record("AddmmBackward0", out, {self, mat1, mat2}, [&] {
    return [a = Saved(mat1), b = Saved(mat2), a_cm = is_column_major(mat1), b_cm = is_column_major(mat2),
            sizes = self.sizes(), beta, alpha](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? scaled(sum_to(grad, sizes), beta) : Tensor(),
                        need[1] ? grad_left(grad, b.get(), a_cm, alpha) : Tensor(),
                        need[2] ? grad_right(grad, a.get(), b_cm, alpha) : Tensor()};
    };
  });
}

namespace {

void check_batches(const Tensor& batch1, const Tensor& batch2) {
  FLAMBEAU_CHECK(batch1.dim() == 3, "batch1 must be a 3D tensor");
  FLAMBEAU_CHECK(batch2.dim() == 3, "batch2 must be a 3D tensor");
  FLAMBEAU_CHECK(batch1.size(0) == batch2.size(0) && batch1.size(2) == batch2.size(1),
                 "Expected size for first two dimensions of batch2 tensor to be: [", batch1.size(0), ", ",
                 batch1.size(2), "] but got: [", batch2.size(0), ", ", batch2.size(1), "].");
}

}  // namespace

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  check_batches(self, mat2);
  FLAMBEAU_CHECK(self.dtype() == mat2.dtype(), "expected scalar type ", self.dtype(), " but found ", mat2.dtype());
  const Tensor out = empty({self.size(0), self.size(1), mat2.size(2)}, self.dtype());
  batched_product(out, self, mat2);
  return record("BmmBackward0", out, {self, mat2}, [&] {
    return [a = Saved(self), b = Saved(mat2)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? bmm(grad, transpose(b.get(), 1, 2)) : Tensor(),
                        need[1] ? bmm(transpose(a.get(), 1, 2), grad) : Tensor()};
    };
  });
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha) {
  FLAMBEAU_CHECK(self.dtype() == batch1.dtype() && self.dtype() == batch2.dtype(),
                 "Input dtypes must be the same, got: input ", type_name(self.dtype()),
                 ", batch1: ", type_name(batch1.dtype()), ", batch2: ", type_name(batch2.dtype()));
  check_batches(batch1, batch2);
  const Tensor out = start_of(self, {batch1.size(0), batch1.size(1), batch2.size(2)}, beta);
  batched_product(out, batch1, batch2, !beta.equals(0), alpha.to_double());
  return record("BaddbmmBackward0", out, {self, batch1, batch2}, [&] {
    return [a = Saved(batch1), b = Saved(batch2), sizes = self.sizes(), beta, alpha](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? scaled(sum_to(grad, sizes), beta) : Tensor(),
                        need[1] ? scaled(bmm(grad, transpose(b.get(), 1, 2)), alpha) : Tensor(),
                        need[2] ? scaled(bmm(transpose(a.get(), 1, 2), grad), alpha) : Tensor()};
    };
  });
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha) {
  FLAMBEAU_CHECK(batch1.dim() == 3, "batch1 must be a 3D tensor");
  FLAMBEAU_CHECK(batch2.dim() == 3, "batch2 must be a 3D tensor");
  FLAMBEAU_CHECK(batch1.size(0) == batch2.size(0), "batch1 and batch2 must have same number of batches, got ",
                 batch1.size(0), " and ", batch2.size(0));
  FLAMBEAU_CHECK(batch1.size(2) == batch2.size(1), "Incompatible matrix sizes for bmm (", batch1.size(1), "x",
                 batch1.size(2), " and ", batch2.size(1), "x", batch2.size(2), ")");
  FLAMBEAU_CHECK(self.dtype() == batch2.dtype(), "self and mat2 must have the same dtype, but got ", self.dtype(),
                 " and ", batch2.dtype());
  FLAMBEAU_CHECK(batch1.dtype() == batch2.dtype(), "mat1 and mat2 must have the same dtype, but got ", batch1.dtype(),
                 " and ", batch2.dtype());
  const Tensor out = start_of(self, {batch1.size(1), batch2.size(2)}, beta);
  if (beta.equals(0)) raw_fill(out, 0);
  {
    const GradMode off(false);
    for (int64_t i = 0; i < batch1.size(0); ++i)
      product(out, select(batch1, 0, i), select(batch2, 0, i), true, alpha.to_double());
  }
  return record("AddbmmBackward0", out, {self, batch1, batch2}, [&] {
    return [a = Saved(batch1), b = Saved(batch2), sizes = self.sizes(), beta, alpha](const Tensor& grad, Needs need) {
      const Dims wide{a.get().size(0), grad.size(0), grad.size(1)};
      const Tensor grads = expand(unsqueeze(grad, 0), wide);
      return TensorList{need[0] ? scaled(sum_to(grad, sizes), beta) : Tensor(),
                        need[1] ? scaled(bmm(grads, transpose(b.get(), 1, 2)), alpha) : Tensor(),
                        need[2] ? scaled(bmm(transpose(a.get(), 1, 2), grads), alpha) : Tensor()};
    };
  });
}

namespace {

void check_vector_product(DType self_dtype, const Dims& self_sizes, const Tensor& mat, const Tensor& vec) {
  FLAMBEAU_CHECK(mat.dim() == 2 && vec.dim() == 1 && self_sizes.size() <= 1, "vector + matrix @ vector expected, got ",
                 self_sizes.size(), ", ", mat.dim(), ", ", vec.dim());
  const int64_t self_size = self_sizes.empty() ? 1 : self_sizes[0];
  FLAMBEAU_CHECK(mat.size(1) == vec.size(0) && (self_size == 1 || mat.size(0) == self_size),
                 "size mismatch, got input (", self_size, "), mat (", mat.size(0), "x", mat.size(1), "), vec (",
                 vec.size(0), ")");
  FLAMBEAU_CHECK(mat.dtype() == vec.dtype() && mat.dtype() == self_dtype,
                 "addmv input tensors must have the same dtype, but got ", self_dtype, ", ", mat.dtype(), ", and ",
                 vec.dtype());
}

}  // namespace

Tensor mv(const Tensor& self, const Tensor& vec) {
  check_vector_product(vec.dtype(), self.dim() ? Dims{self.size(0)} : Dims{1}, self, vec);
  const Tensor out = empty({self.size(0)}, self.dtype());
  vector_product(out, self, vec);
  return record("MvBackward0", out, {self, vec}, [&] {
    return [a = Saved(self), x = Saved(vec)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? outer(grad, x.get()) : Tensor(), need[1] ? mv(t(a.get()), grad) : Tensor()};
    };
  });
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha) {
  check_vector_product(self.dtype(), self.sizes(), mat, vec);
  const Tensor out = start_of(self, {mat.size(0)}, beta);
  vector_product(out, mat, vec, !beta.equals(0), alpha.to_double());
  return record("AddmvBackward0", out, {self, mat, vec}, [&] {
    return [a = Saved(mat), x = Saved(vec), sizes = self.sizes(), beta, alpha](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? scaled(sum_to(grad, sizes), beta) : Tensor(),
                        need[1] ? scaled(outer(grad, x.get()), alpha) : Tensor(),
                        need[2] ? scaled(mv(t(a.get()), grad), alpha) : Tensor()};
    };
  });
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  FLAMBEAU_CHECK(self.dim() == 1 && tensor.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ",
                 tensor.dim(), "D tensors");
  FLAMBEAU_CHECK(self.dtype() == tensor.dtype(), "dot : expected both vectors to have same dtype, but found ",
                 self.dtype(), " and ", tensor.dtype());
  FLAMBEAU_CHECK(self.numel() == tensor.numel(), "inconsistent tensor size, expected tensor ", self.sizes(),
                 " and src ", tensor.sizes(), " to have the same number of elements, but got ", self.numel(), " and ",
                 tensor.numel(), " elements respectively");
  return record("DotBackward0", dot_product(self, tensor), {self, tensor}, [&] {
    return [a = Saved(self), b = Saved(tensor)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? mul(grad, b.get()) : Tensor(), need[1] ? mul(grad, a.get()) : Tensor()};
    };
  });
}

Tensor vdot(const Tensor& self, const Tensor& other) { return dot(self, other); }

Tensor inner(const Tensor& self, const Tensor& other) {
  FLAMBEAU_CHECK(self.dtype() == other.dtype(), "both inputs should have same dtype");
  if (self.dim() == 0 || other.dim() == 0) return mul(self, other);
  FLAMBEAU_CHECK(self.size(-1) == other.size(-1),
                 "inner() the last dimension must match on both input tensors but got shapes ", self.sizes(), " and ",
                 other.sizes());
  if (self.dim() == 1 && other.dim() == 1) return dot(self, other);
  return tensordot(self, other, {-1}, {-1});
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  FLAMBEAU_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  FLAMBEAU_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  return mul(reshape(self, {self.size(0), 1}), vec2);
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta, Scalar alpha) {
  FLAMBEAU_CHECK(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
  FLAMBEAU_CHECK(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  const Tensor product = outer(vec1, vec2);
  const Tensor wide = self.sizes() == product.sizes() ? self : expand(self, product.sizes());
  if (beta.equals(0)) return add(scaled(product, alpha), mul(zeros_like(wide), beta));  // NaN in self does not count
  return add(scaled(wide, beta), scaled(product, alpha));
}

}  // namespace flambeau::ops
