// Products of tensors without history or checks of sizes: every dtype, operands of any strides, laid out for BLAS as
// PyTorch does it (addmm_impl_cpu_ and bmm_out_or_baddbmm_ in LinearAlgebra.cpp). `out` is contiguous and has the
// operands' dtype. Half types are multiplied in float and rounded once.
#pragma once

#include "kernels/gemm.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// out (M, N) = alpha x (M, K) y (K, N), or added to what out holds, times beta if it is float32.
void product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate = false, double alpha = 1,
             float beta = 1);
// out (B, M, N), x (B, M, K), y (B, K, N).
void batched_product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate = false, double alpha = 1);
// out (M) = alpha x (M, K) y (K).
void vector_product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate = false, double alpha = 1);
Tensor dot_product(const Tensor& x, const Tensor& y);  // (K) (K), 0-dim

// BLAS's arguments for one row-major product: swapped, except when out is a single column.
template <class T>
GemmArgs<T> gemm_args(T* out, const T* x, int64_t x_row, int64_t x_column, const T* y, int64_t y_row, int64_t y_column,
                      int64_t rows, int64_t columns, int64_t inner);

}  // namespace flambeau::ops
