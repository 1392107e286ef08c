// Activations, each with its backward as torch names it (grad_output first).
#pragma once

#include <string>

#include "ops/pointwise.h"
#include "random/generator.h"

namespace flambeau::ops {

Tensor relu(const Tensor& self);
Tensor relu6(const Tensor& self);
Tensor gelu(const Tensor& self, const std::string& approximate = "none");
Tensor silu(const Tensor& self);
Tensor mish(const Tensor& self);
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20);
Tensor leaky_relu(const Tensor& self, Scalar negative_slope = 0.01);
Tensor elu(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1);
Tensor celu(const Tensor& self, Scalar alpha = 1.0);
Tensor selu(const Tensor& self);
Tensor hardtanh(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1);
Tensor hardswish(const Tensor& self);
Tensor hardsigmoid(const Tensor& self);
Tensor hardshrink(const Tensor& self, Scalar lambd = 0.5);
Tensor softshrink(const Tensor& self, Scalar lambd = 0.5);
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value);
Tensor log_sigmoid(const Tensor& self);
Tensor prelu(const Tensor& self, const Tensor& weight);
Tensor prelu_kernel(const Tensor& self, const Tensor& weight);
Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training, const Ref<Generator>& generator);
Tensor glu(const Tensor& self, int64_t dim = -1);

Tensor sigmoid_backward(const Tensor& grad_output, const Tensor& output);
Tensor tanh_backward(const Tensor& grad_output, const Tensor& output);
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold);
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, const std::string& approximate = "none");
Tensor silu_backward(const Tensor& grad_output, const Tensor& self);

}  // namespace flambeau::ops
