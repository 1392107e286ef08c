#include "ops/conv.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

// The same with the switches that only other devices read.
Tensor convolution_with_switches(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,
                                 const Dims& padding, const Dims& dilation, bool transposed, const Dims& output_padding,
                                 int64_t groups, bool, bool, bool, bool) {
  return ops::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

}  // namespace

void bind_conv() {
  def<&ops::conv1d>("conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", kFunction);
  def<&ops::conv1d_word>("conv1d(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
                         kFunction);
  def<&ops::conv2d>("conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", kFunction);
  def<&ops::conv2d_word>("conv2d(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
                         kFunction);
  def<&ops::conv3d>("conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", kFunction);
  def<&ops::conv3d_word>("conv3d(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
                         kFunction);
  def<&ops::conv_transpose1d>(
      "conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
      kFunction);
  def<&ops::conv_transpose2d>(
      "conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
      kFunction);
  def<&ops::conv_transpose3d>(
      "conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
      kFunction);
  def<&ops::convolution>(
      "convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)", kFunction);
  def<&convolution_with_switches>(
      "_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, "
      "deterministic, cudnn_enabled, allow_tf32)",
      kFunction);
  def<&ops::conv_tbc>("conv_tbc(self, weight, bias, pad=0)", kPlain);
}

}  // namespace flambeau::bind
