// Views taken in place: the tensor itself gets the view's sizes and strides. No element moves.
#pragma once

#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor unsqueeze_(const Tensor& self, int64_t dim);
Tensor squeeze_(const Tensor& self);
Tensor squeeze_dims_(const Tensor& self, const Dims& dim);
Tensor t_(const Tensor& self);
Tensor transpose_(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor as_strided_(const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> storage_offset = {});

// The diagonal of a matrix, or of a cube of any rank; with wrap it starts anew below the last row of a tall matrix.
Tensor fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap = false);

}  // namespace flambeau::ops
