// Pooling: maxima and averages of windows, with windows of a given size or as many as the output has elements
// (adaptive). Inputs may lack the batch dimension. Max pooling with indices returns places in the flattened plane.
#pragma once

#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

using OptionalDims = std::optional<Dims>;

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode);
Tensor max_pool1d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode);
Tensor max_pool2d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode);
Tensor max_pool3d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode);

Tensor avg_pool1d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad);
Tensor avg_pool2d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override);
Tensor avg_pool3d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override);

Tensor adaptive_avg_pool1d(const Tensor& self, const Dims& output_size);
Tensor adaptive_avg_pool2d(const Tensor& self, const Dims& output_size);
Tensor adaptive_avg_pool3d(const Tensor& self, const Dims& output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, const Dims& output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, const Dims& output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, const Dims& output_size);

// Writes each element at its place in a plane of zeros.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, const Dims& output_size);
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, const Dims& output_size, const Dims& stride,
                    const Dims& padding);

}  // namespace flambeau::ops
