// p-norms of vectors, the matrix norms that reduce to them, and what is built on norms.
#pragma once

#include <string>

#include "ops/reduce.h"

namespace flambeau::ops {

Tensor linalg_vector_norm(const Tensor& self, Scalar ord = 2, const OptDims& dim = {}, bool keepdim = false,
                          OptDType dtype = {});
// 'fro', 1, -1, inf, -inf; the norms that need singular values are refused.
Tensor linalg_matrix_norm(const Tensor& self, Scalar ord, const Dims& dim = {-2, -1}, bool keepdim = false,
                          OptDType dtype = {});
Tensor linalg_matrix_norm(const Tensor& self, const std::string& ord = "fro", const Dims& dim = {-2, -1},
                          bool keepdim = false, OptDType dtype = {});
Tensor linalg_norm(const Tensor& self, std::optional<Scalar> ord = {}, const OptDims& dim = {}, bool keepdim = false,
                   OptDType dtype = {});
Tensor linalg_norm(const Tensor& self, const std::string& ord, const OptDims& dim = {}, bool keepdim = false,
                   OptDType dtype = {});
// torch.norm's native forms; its Python front is flambeau.functional.norm.
Tensor norm(const Tensor& self, Scalar p = 2);
Tensor norm(const Tensor& self, std::optional<Scalar> p, const Dims& dim, bool keepdim = false, OptDType dtype = {});
Tensor dist(const Tensor& self, const Tensor& other, Scalar p = 2);  // norm of the difference
// Scales slices along `dim` down to p-norm `maxnorm` where they exceed it.
Tensor renorm(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm);

}  // namespace flambeau::ops
