// The three products of a convolution on tensors without history: forward, input gradient, weight gradient. Shapes
// are given, checked and batched; two lists of three numbers stand for any number of spatial dimensions (ops/conv.cpp).
#pragma once

#include "tensor/tensor.h"

namespace flambeau::ops {

struct ConvGeometry {
  Dims stride, padding, dilation;  // one number a spatial dimension
  int64_t groups = 1;
  bool transposed = false;  // of a transposed convolution: grad is what the caller calls input
};

// x (N, C, ...), weight (O, C/groups, ...), bias (O) or undefined, to out (N, O, ...). float32 and float64.
void conv_forward(const Tensor& out, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvGeometry& g);
// grad (N, O, ...) and weight to grad_x (N, C, ...); `bias` (C) is where the sums start when this is a transposed
// convolution's forward pass.
void conv_grad_input(const Tensor& grad_x, const Tensor& grad, const Tensor& weight, const Tensor& bias,
                     const ConvGeometry& g);
// grad and x to grad_weight (O, C/groups, ...).
void conv_grad_weight(const Tensor& grad_weight, const Tensor& grad, const Tensor& x, const ConvGeometry& g);

}  // namespace flambeau::ops
