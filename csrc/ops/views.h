// Views: the same storage seen through other sizes and strides, in O(1). All are differentiable.
#pragma once

#include "ops/options.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor view(const Tensor& self, const Dims& size);                 // -1 once; error when the strides do not allow it
Tensor view_dtype(const Tensor& self, DType dtype);                // bits read as another dtype
Tensor reshape(const Tensor& self, const Dims& shape);             // a view if possible, else a copy
Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor permute(const Tensor& self, const Dims& dims);
Tensor t(const Tensor& self);
Tensor select(const Tensor& self, int64_t dim, int64_t index);
Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
             int64_t step = 1);
Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length);
Tensor expand(const Tensor& self, const Dims& size);               // -1 keeps a size
Tensor as_strided(const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> storage_offset = {});
Tensor unsqueeze(const Tensor& self, int64_t dim);
Tensor squeeze(const Tensor& self);
Tensor squeeze_dims(const Tensor& self, const Dims& dim);
Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step);
Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1);
TensorList split(const Tensor& self, int64_t split_size, int64_t dim = 0);
TensorList split_sizes(const Tensor& self, const Dims& sizes, int64_t dim = 0);
TensorList chunk(const Tensor& self, int64_t chunks, int64_t dim = 0);
TensorList unbind(const Tensor& self, int64_t dim = 0);
Tensor movedim(const Tensor& self, const Dims& source, const Dims& destination);
Tensor detach(const Tensor& self);

// In place: other sizes and strides for self (views_inplace.cpp).
Tensor transpose_(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor t_(const Tensor& self);
Tensor squeeze_(const Tensor& self);
Tensor squeeze_dims_(const Tensor& self, const Dims& dim);
Tensor unsqueeze_(const Tensor& self, int64_t dim);
Tensor as_strided_(const Tensor& self, const Dims& size, const Dims& stride,
                   std::optional<int64_t> storage_offset = {});
Tensor detach_(const Tensor& self);                                // a leaf without history
Tensor fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap = false);

// A view of `self` with given geometry that records `backward` as its history: for new view operators.
Tensor make_view(const Tensor& self, IntSpan sizes, IntSpan strides, int64_t offset);

}  // namespace flambeau::ops
