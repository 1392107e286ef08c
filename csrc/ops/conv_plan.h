// A convolution with its spatial dimensions brought to three: what both ways of computing it work on.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/conv.h"
#include "ops/conv_raw.h"

namespace flambeau::ops {

struct ConvPlan {
  int64_t n, c, o, groups;        // images, channels in and out, over all groups
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  int64_t in_plane, out_plane, kernel_size;
  int64_t c_group, o_group;
  int64_t dims;                   // as the caller counts them
  bool transposed;
};

// Whether PyTorch leaves this float32 convolution to its own loops instead of oneDNN (use_mkldnn in Convolution.cpp).
bool conv_is_native(const ConvPlan& p);

// The three products as PyTorch's own loops order them: a column matrix and one matrix product an image and group.
void native_forward(const ConvPlan& p, float* y, const float* x, const float* weight, const Tensor& bias);
void native_grad_input(const ConvPlan& p, float* grad_x, const float* grad, const float* weight, const Tensor& bias);
void native_grad_weight(const ConvPlan& p, float* grad_w, const float* grad, const float* x);

}  // namespace flambeau::ops
