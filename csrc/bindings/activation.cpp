// Activations: in torch._C._nn, and those that torch keeps at its top.
#include "ops/activation.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

Tensor threshold(const Tensor& self, Scalar threshold, Scalar value) { return ops::threshold(self, threshold, value); }
Tensor relu_6(const Tensor& self) { return ops::relu6(self); }

}  // namespace

void bind_activation() {
  constexpr unsigned kNNPass = kNN | kInplace | kOut | kDirect;
  def<&ops::gelu>("gelu(self, *, approximate='none')", kNNPass);
  def<&ops::silu>("silu(self)", kNNPass);
  def<&ops::mish>("mish(self)", kNNPass);
  def<&ops::softplus>("softplus(self, beta=1, threshold=20)", kNN | kOut | kDirect);
  def<&ops::leaky_relu>("leaky_relu(self, negative_slope=0.01)", kNNPass);
  def<&ops::elu>("elu(self, alpha=1, scale=1, input_scale=1)", kNNPass);
  def<&ops::hardtanh>("hardtanh(self, min_val=-1, max_val=1)", kNNPass);
  def<&relu_6>("relu6(self)", kNN | kInplace | kDirect);
  def<&ops::hardswish>("hardswish(self)", kNNPass);
  def<&ops::hardsigmoid>("hardsigmoid(self)", kNNPass);
  def<&ops::softshrink>("softshrink(self, lambd=0.5)", kNN | kOut | kDirect);
  def<&ops::log_sigmoid>("log_sigmoid(self)", kNN | kOut | kDirect);
  def<&ops::glu>("glu(self, dim=-1)", kNN | kOut);

  def<&ops::relu>("relu(self)", kFunction | kMethod | kInplace | kDirect);
  def<&ops::celu>("celu(self, alpha=1.0)", kFunction | kInplace | kDirect);
  def<&ops::selu>("selu(self)", kFunction | kInplace | kDirect);
  def<&ops::hardshrink>("hardshrink(self, lambd=0.5)", kFunction | kMethod | kOut | kDirect);
  def<&threshold>("threshold(self, threshold, value)", kFunction | kInplace | kOut | kDirect);
  def<&ops::rrelu>("rrelu(self, lower=0.125, upper=0.3333333333333333, training=False, generator=None)",
                   kFunction | kInplace);
  def<&ops::prelu>("prelu(self, weight)", kFunction | kMethod);
  def<&ops::prelu_kernel>("_prelu_kernel(self, weight)", kFunction);
}

}  // namespace flambeau::bind
