// Convolutions of one to three spatial dimensions, plain and transposed, with groups, stride, padding and dilation
// (Convolution.cpp). Inputs may lack the batch dimension.
#pragma once

#include <string>
#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

// stride, padding, dilation: one number or one a dimension. padding may be the word "valid" or "same" (…_word).
Tensor conv1d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
              const Dims& padding = {0}, const Dims& dilation = {1}, int64_t groups = 1);
Tensor conv2d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
              const Dims& padding = {0}, const Dims& dilation = {1}, int64_t groups = 1);
Tensor conv3d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
              const Dims& padding = {0}, const Dims& dilation = {1}, int64_t groups = 1);
Tensor conv1d_word(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,
                   const std::string& padding, const Dims& dilation, int64_t groups);
Tensor conv2d_word(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,
                   const std::string& padding, const Dims& dilation, int64_t groups);
Tensor conv3d_word(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,
                   const std::string& padding, const Dims& dilation, int64_t groups);
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
                        const Dims& padding = {0}, const Dims& output_padding = {0}, int64_t groups = 1,
                        const Dims& dilation = {1});
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
                        const Dims& padding = {0}, const Dims& output_padding = {0}, int64_t groups = 1,
                        const Dims& dilation = {1});
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const OptTensor& bias = {}, const Dims& stride = {1},
                        const Dims& padding = {0}, const Dims& output_padding = {0}, int64_t groups = 1,
                        const Dims& dilation = {1});
// What all of them call.
Tensor convolution(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,
                   const Dims& padding, const Dims& dilation, bool transposed, const Dims& output_padding,
                   int64_t groups);
Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad = 0);  // (T, B, C)

}  // namespace flambeau::ops
