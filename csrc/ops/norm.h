// Normalisation layers. The native_* operators return the statistics they used, too.
#pragma once

#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const OptTensor& weight, const OptTensor& bias,
                  double eps, bool cudnn_enable);
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, const Dims& normalized_shape,
                                                     const OptTensor& weight, const OptTensor& bias, double eps);
Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const OptTensor& weight, std::optional<double> eps);

Tensor group_norm(const Tensor& input, int64_t num_groups, const OptTensor& weight, const OptTensor& bias, double eps,
                  bool cudnn_enabled);
// input is N x C x HxW in memory; mean and rstd are N x group.
std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const OptTensor& weight,
                                                     const OptTensor& bias, int64_t N, int64_t C, int64_t HxW,
                                                     int64_t group, double eps);

// Running statistics are updated in place when training; momentum is their new part.
Tensor batch_norm(const Tensor& input, const OptTensor& weight, const OptTensor& bias, const OptTensor& running_mean,
                  const OptTensor& running_var, bool training, double momentum, double eps, bool cudnn_enabled);
std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const OptTensor& weight,
                                                     const OptTensor& bias, const OptTensor& running_mean,
                                                     const OptTensor& running_var, bool training, double momentum,
                                                     double eps);
Tensor instance_norm(const Tensor& input, const OptTensor& weight, const OptTensor& bias, const OptTensor& running_mean,
                     const OptTensor& running_var, bool use_input_stats, double momentum, double eps,
                     bool cudnn_enabled);

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim);
Tensor weight_norm(const Tensor& v, const Tensor& g, int64_t dim);

}  // namespace flambeau::ops
