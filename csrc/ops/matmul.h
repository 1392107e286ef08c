// Products of matrices and vectors, and what PyTorch composes of them (LinearAlgebra.cpp, Linear.cpp). The order of
// the additions inside a product is chosen in ops/gemm.h.
#pragma once

#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor mm(const Tensor& self, const Tensor& mat2);                 // (M, K) (K, N)
Tensor bmm(const Tensor& self, const Tensor& mat2);                // (B, M, K) (B, K, N)
Tensor mv(const Tensor& self, const Tensor& vec);                  // (M, K) (K)
Tensor dot(const Tensor& self, const Tensor& tensor);              // (K) (K)
Tensor vdot(const Tensor& self, const Tensor& other);              // dot, for real numbers
Tensor inner(const Tensor& self, const Tensor& other);             // over the last dimension of both
Tensor outer(const Tensor& self, const Tensor& vec2);              // (M) (N) to (M, N)
Tensor matmul(const Tensor& self, const Tensor& other);            // by the numbers of dimensions, batches broadcast

// beta * self + alpha * product.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1);
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1, Scalar alpha = 1);
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta = 1, Scalar alpha = 1);
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1);
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1);

Tensor linear(const Tensor& input, const Tensor& weight, const OptTensor& bias = {});  // input weight^T + bias
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const OptTensor& bias = {});
Tensor einsum(const std::string& equation, const TensorList& tensors, const std::optional<Dims>& path = {});
Tensor tensordot(const Tensor& self, const Tensor& other, const Dims& dims_self, const Dims& dims_other);
Tensor chain_matmul(const TensorList& matrices);
Tensor linalg_multi_dot(const TensorList& tensors);                // in the order that needs the fewest products
Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1);
Tensor matrix_power(const Tensor& self, int64_t n);

}  // namespace flambeau::ops
