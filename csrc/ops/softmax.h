// softmax and log_softmax along one dimension, with PyTorch's own backward operators.
#pragma once

#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = {});
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = {});
Tensor softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype);
Tensor log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype);

}  // namespace flambeau::ops
