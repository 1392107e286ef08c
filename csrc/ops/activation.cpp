// Activations (ops/activation.h): a row each. Follows aten/src/ATen/native/Activation.cpp and derivatives.yaml. The
// slope is one fused loop; where its own gradient is wanted, a formula of differentiable operators takes its place, or
// nothing where the activation is made of straight pieces.
#include "ops/activation.h"

#include <array>

#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/pointwise_rows.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

using Settings = std::array<Scalar, kLoopParams>;  // the operator's own numbers, as its loops take them

struct Row {
  const char* node;
  const char* backward_node;
  const char* kernel;
  const Loops& (*value)();
  const Loops& (*slope)();
  Keeps keeps;
  Tensor (*formula)(const Tensor& grad, const Tensor& x, const Settings& s);  // null: straight pieces
};

#define FLAMBEAU_ACTIVATION(member) +[]() -> const Loops& { return kernels::activation().member; }

Tensor run(const Loops& loops, const char* name, std::initializer_list<const Operand*> inputs, DType dtype,
           const Settings& s) {
  return elementwise(loops, name, dtype, inputs, {s[0], s[1], s[2], s[3]});
}

Tensor slope(const Row& row, const Tensor& grad, const Tensor& x, const Settings& s) {
  if (row.formula && needs_grad(grad, x)) return row.formula(grad, x, s);
  const Operand g(grad), kept(x);
  Tensor out = run(row.slope(), row.kernel, {&g, &kept}, x.dtype(), s);
  return record(row.backward_node, out, {grad, x}, [&] {
    return [&row, x = Saved(x), s](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? slope(row, grad, x, s) : Tensor(), need[1] ? zeros_like(x) : Tensor()};
    };
  });
}

Tensor activate(const Row& row, const Tensor& self, const Settings& s = {}) {
  const Operand x(self);
  Tensor out = run(row.value(), row.kernel, {&x}, self.dtype(), s);
  return record(row.node, out, {self}, [&] {
    return [&row, kept = row.keeps == Keeps::Result ? Saved::output(out) : Saved(self), s](const Tensor& grad, Needs) {
      return TensorList{slope(row, grad, kept, s)};
    };
  });
}

constexpr double kGeluBeta = 1.41421356237309504880 * 1.12837916709551257390 * 0.5, kGeluKappa = 0.044715;

Tensor gelu_formula(const Tensor& grad, const Tensor& x, const Settings&) {
  const Tensor cdf = mul(add(erf(mul(x, 0.70710678118654752440)), 1), 0.5);
  const Tensor pdf = mul(exp(mul(mul(x, x), -0.5)), 0.39894228040143267794);
  return mul(grad, add(cdf, mul(x, pdf)));
}
Tensor gelu_tanh_formula(const Tensor& grad, const Tensor& x, const Settings&) {
  const Tensor square = mul(x, x);
  const Tensor t = tanh(mul(add(x, mul(square, x), kGeluKappa), kGeluBeta));
  const Tensor inner_slope = mul(add(mul(square, 3 * kGeluKappa), 1), kGeluBeta);
  return mul(grad, add(mul(add(t, 1), 0.5), mul(mul(mul(x, 0.5), rsub(mul(t, t), 1)), inner_slope)));
}
Tensor silu_formula(const Tensor& grad, const Tensor& x, const Settings&) {
  const Tensor s = sigmoid(x);
  return mul(mul(grad, s), add(mul(x, rsub(s, 1)), 1));
}
Tensor mish_formula(const Tensor& grad, const Tensor& x, const Settings&) {
  const Tensor t = tanh(softplus(x));
  return mul(grad, add(t, mul(mul(x, sigmoid(x)), rsub(mul(t, t), 1))));
}
Tensor softplus_formula(const Tensor& grad, const Tensor& x, const Settings& s) {
  const Tensor scaled = mul(x, s[0]);
  return where(gt(scaled, s[1]), grad, mul(grad, sigmoid(scaled)));
}
Tensor elu_formula(const Tensor& grad, const Tensor& x, const Settings& s) {
  const double below = s[0].to_double() * s[2].to_double();
  const Tensor slope = s[3].to_bool() ? mul(add(x, s[0]), s[2]) : mul(exp(mul(x, s[2])), below);
  return where(le(x, 0), mul(grad, slope), mul(grad, s[1]));
}
Tensor hardswish_formula(const Tensor& grad, const Tensor& x, const Settings&) {
  const Tensor between = mul(grad, add(div(x, 3), 0.5));
  return where(le(x, -3), 0, where(lt(x, 3), between, grad));
}
Tensor log_sigmoid_formula(const Tensor& grad, const Tensor& x, const Settings&) { return mul(grad, sigmoid(neg(x))); }
Tensor sigmoid_formula(const Tensor& grad, const Tensor& y, const Settings&) { return mul(mul(grad, rsub(y, 1)), y); }
Tensor tanh_formula(const Tensor& grad, const Tensor& y, const Settings&) { return mul(grad, rsub(mul(y, y), 1)); }

const Loops& gelu_loops() {
  const auto& kernels = kernels::activation();
  return profile().onednn == OneDnnIsa::Avx512 ? kernels.gelu_avx512 : kernels.gelu_avx2;
}
const Loops& clamp_loops() { return kernels::unary().clamp; }

// node, node of the backward, name of the kernel, value, slope, what is kept, formula of the slope
// clang-format off
constexpr Row kRelu = {"ReluBackward0", "ThresholdBackwardBackward0", "relu", FLAMBEAU_ACTIVATION(relu),
                       FLAMBEAU_ACTIVATION(threshold_slope), Keeps::Result, nullptr};
constexpr Row kThreshold = {"ThresholdBackward0", "ThresholdBackwardBackward0", "threshold_cpu", FLAMBEAU_ACTIVATION(threshold),
                            FLAMBEAU_ACTIVATION(threshold_slope), Keeps::Self, nullptr};
constexpr Row kGelu = {"GeluBackward0", "GeluBackwardBackward0", "GeluKernelImpl", gelu_loops,
                       FLAMBEAU_ACTIVATION(gelu_slope), Keeps::Self, gelu_formula};
// One element, or not contiguous: oneDNN is not called.
constexpr Row kGeluStrided = {"GeluBackward0", "GeluBackwardBackward0", "GeluKernelImpl", FLAMBEAU_ACTIVATION(gelu_strided),
                              FLAMBEAU_ACTIVATION(gelu_strided_slope), Keeps::Self, gelu_formula};
constexpr Row kGeluTanh = {"GeluBackward0", "GeluBackwardBackward0", "GeluKernelImpl", FLAMBEAU_ACTIVATION(gelu_tanh),
                           FLAMBEAU_ACTIVATION(gelu_tanh_slope), Keeps::Self, gelu_tanh_formula};
constexpr Row kSilu = {"SiluBackward0", "SiluBackwardBackward0", "silu_cpu", FLAMBEAU_ACTIVATION(silu),
                       FLAMBEAU_ACTIVATION(silu_slope), Keeps::Self, silu_formula};
constexpr Row kMish = {"MishBackward0", "MishBackwardBackward0", "mish_cpu", FLAMBEAU_ACTIVATION(mish),
                       FLAMBEAU_ACTIVATION(mish_slope), Keeps::Self, mish_formula};
constexpr Row kSoftplus = {"SoftplusBackward0", "SoftplusBackwardBackward0", "softplus_cpu", FLAMBEAU_ACTIVATION(softplus),
                           FLAMBEAU_ACTIVATION(softplus_slope), Keeps::Self, softplus_formula};
constexpr Row kLeakyRelu = {"LeakyReluBackward0", "LeakyReluBackwardBackward0", "leaky_relu_cpu",
                            FLAMBEAU_ACTIVATION(leaky_relu), FLAMBEAU_ACTIVATION(leaky_relu_slope), Keeps::Self, nullptr};
constexpr Row kElu = {"EluBackward0", "EluBackwardBackward0", "elu_cpu", FLAMBEAU_ACTIVATION(elu), FLAMBEAU_ACTIVATION(elu_slope),
                      Keeps::Self, elu_formula};
constexpr Row kCelu = {"CeluBackward0", "EluBackwardBackward0", "elu_cpu", FLAMBEAU_ACTIVATION(elu), FLAMBEAU_ACTIVATION(elu_slope),
                       Keeps::Self, elu_formula};
constexpr Row kHardtanh = {"HardtanhBackward0", "HardtanhBackwardBackward0", "hardtanh", clamp_loops,
                           FLAMBEAU_ACTIVATION(hardtanh_slope), Keeps::Self, nullptr};
constexpr Row kHardswish = {"HardswishBackward0", "HardswishBackwardBackward0", "hardswish_cpu", FLAMBEAU_ACTIVATION(hardswish),
                            FLAMBEAU_ACTIVATION(hardswish_slope), Keeps::Self, hardswish_formula};
constexpr Row kHardsigmoid = {"HardsigmoidBackward0", "HardsigmoidBackwardBackward0", "hardsigmoid_cpu",
                              FLAMBEAU_ACTIVATION(hardsigmoid), FLAMBEAU_ACTIVATION(hardsigmoid_slope), Keeps::Self, nullptr};
constexpr Row kHardshrink = {"HardshrinkBackward0", "HardshrinkBackwardBackward0", "hardshrink_cpu",
                             FLAMBEAU_ACTIVATION(hardshrink), FLAMBEAU_ACTIVATION(shrink_slope), Keeps::Self, nullptr};
constexpr Row kSoftshrink = {"SoftshrinkBackward0", "SoftshrinkBackwardBackward0", "softshrink_cpu",
                             FLAMBEAU_ACTIVATION(softshrink), FLAMBEAU_ACTIVATION(shrink_slope), Keeps::Self, nullptr};
constexpr Row kLogSigmoid = {"LogSigmoidBackward0", "LogSigmoidBackwardBackward0", "log_sigmoid_cpu",
                             FLAMBEAU_ACTIVATION(log_sigmoid), FLAMBEAU_ACTIVATION(log_sigmoid_slope), Keeps::Self,
                             log_sigmoid_formula};
// clang-format on
// Only their slopes: the functions themselves are in pointwise_unary.cpp.
// clang-format off
constexpr Row kSigmoid = {"", "SigmoidBackwardBackward0", "sigmoid_backward_cpu", nullptr, FLAMBEAU_ACTIVATION(sigmoid_slope),
                          Keeps::Result, sigmoid_formula};
constexpr Row kTanh = {"", "TanhBackwardBackward0", "tanh_backward_cpu", nullptr, FLAMBEAU_ACTIVATION(tanh_slope), Keeps::Result,
                       tanh_formula};
// clang-format on

const Row& gelu_row(const Tensor& self, const std::string& approximate) {
  if (approximate == "none")
    return self.dtype() == DType::Float32 && (self.numel() == 1 || !self.is_contiguous()) ? kGeluStrided : kGelu;
  if (approximate == "tanh") return kGeluTanh;
  throw Error("approximate argument must be either none or tanh.");
}

}  // namespace

Tensor relu(const Tensor& self) {
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, "Boolean inputs not supported for relu");
  return activate(kRelu, self, {0});
}
Tensor relu6(const Tensor& self) { return hardtanh(self, 0, 6); }
Tensor gelu(const Tensor& self, const std::string& approximate) { return activate(gelu_row(self, approximate), self); }
Tensor silu(const Tensor& self) { return activate(kSilu, self); }
Tensor mish(const Tensor& self) { return activate(kMish, self); }
Tensor softplus(const Tensor& self, Scalar beta, Scalar threshold) {
  return activate(kSoftplus, self, {beta, threshold});
}
Tensor leaky_relu(const Tensor& self, Scalar negative_slope) { return activate(kLeakyRelu, self, {negative_slope}); }
Tensor elu(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale) {
  return activate(kElu, self, {alpha.to_double() * scale.to_double(), scale, input_scale, false});
}
Tensor celu(const Tensor& self, Scalar alpha) {
  FLAMBEAU_CHECK(!alpha.equals(0), "ZeroDivisionError: alpha cannot be 0 for CELU");
  return activate(kCelu, self, {alpha, 1.0, 1.0 / alpha.to_double(), false});
}
Tensor selu(const Tensor& self) {
  return elu(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946);
}
Tensor hardtanh(const Tensor& self, Scalar min_val, Scalar max_val) {
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, "Bool inputs not supported for hardtanh");
  FLAMBEAU_CHECK(min_val.to_double() <= max_val.to_double(), "cannot do hardtanh with min_val greater than max_val");
  return activate(kHardtanh, self, {min_val, max_val});
}
Tensor hardswish(const Tensor& self) { return activate(kHardswish, self); }
Tensor hardsigmoid(const Tensor& self) { return activate(kHardsigmoid, self); }
Tensor hardshrink(const Tensor& self, Scalar lambd) { return activate(kHardshrink, self, {lambd}); }
Tensor softshrink(const Tensor& self, Scalar lambd) {
  FLAMBEAU_CHECK(lambd.to_double() >= 0, "lambda must be greater or equal to 0, but found to be ", lambd.to_double(),
                 ".");
  return activate(kSoftshrink, self, {lambd});
}
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value) {
  return activate(kThreshold, self, {threshold, value});
}
Tensor log_sigmoid(const Tensor& self) { return activate(kLogSigmoid, self); }

Tensor sigmoid_backward(const Tensor& grad_output, const Tensor& output) {
  return slope(kSigmoid, grad_output, output, {});
}
Tensor tanh_backward(const Tensor& grad_output, const Tensor& output) { return slope(kTanh, grad_output, output, {}); }
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold) {
  return slope(kThreshold, grad_output, self, {threshold});
}
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, const std::string& approximate) {
  return slope(gelu_row(self, approximate), grad_output, self, {});
}
Tensor silu_backward(const Tensor& grad_output, const Tensor& self) { return slope(kSilu, grad_output, self, {}); }

// weight has one entry, or one a channel (dimension 1).
Tensor prelu(const Tensor& self, const Tensor& weight) {
  FLAMBEAU_CHECK(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got ", self.dtype(), " and ",
                 weight.dtype());
  Tensor by_channel = weight;
  if (weight.numel() != 1) {
    FLAMBEAU_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() > 1 ? self.size(1) : 1;
    FLAMBEAU_CHECK(channels == weight.numel(),
                   "Mismatch of parameter numbers and input channel size. Found parameter numbers = ", weight.numel(),
                   " and channel size = ", channels, ".");
  }
  FLAMBEAU_CHECK(weight.dim() <= 1,
                 "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  if (weight.dim() != self.dim()) {
    Dims shape(size_t(self.dim()), 1);
    if (self.dim() > 1) shape[1] = weight.numel();
    by_channel = reshape(weight, shape);
  }
  return prelu_kernel(self, by_channel);
}

// weight has the dimensions of self.
Tensor prelu_kernel(const Tensor& self, const Tensor& weight) {
  const Operand x(self), w(weight);
  Tensor out = elementwise(kernels::activation().prelu, "prelu_cpu", self.dtype(), {&x, &w});
  return record("PreluKernelBackward0", out, {self, weight}, [&] {
    return [self = Saved(self), weight = Saved(weight)](const Tensor& grad, Needs need) {
      const Tensor x = self, w = weight;
      const Tensor positive = gt(x, 0);
      return TensorList{need[0] ? where(positive, grad, mul(grad, w)) : Tensor(),
                        need[1] ? where(positive, 0, mul(grad, x)) : Tensor()};
    };
  });
}

// In training each element that is not positive draws its own slope, in order, as a double (RReLU in Activation.cpp).
Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training, const Ref<Generator>& generator) {
  if (!training) return leaky_relu(self, (lower.to_double() + upper.to_double()) / 2);
  const Tensor negative = le(self, 0);
  const int64_t count = *sum(negative).data<int64_t>();
  const Tensor slopes = uniform_(empty({count}, DType::Float64), lower.to_double(), upper.to_double(), generator);
  const Tensor noise = masked_scatter(ones(self.sizes(), self.dtype()), negative, to_dtype(slopes, self.dtype()));
  return mul(self, noise);
}

Tensor glu(const Tensor& self, int64_t dim) {
  FLAMBEAU_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t d = wrap_dim(dim, self.dim()), size = self.sizes()[d];
  FLAMBEAU_CHECK(size % 2 == 0, "Halving dimension must be even, but dimension ", d, " is size ", size);
  const int64_t half = size / 2;
  Tensor out;
  {
    GradMode off(false);
    out = mul(narrow(self, d, 0, half), sigmoid(narrow(self, d, half, half)));
  }
  return record("GluBackward0", out, {self}, [&] {
    return [self = Saved(self), d, half](const Tensor& grad, Needs) {
      const Tensor first = narrow(self, d, 0, half), s = sigmoid(narrow(self, d, half, half));
      return TensorList{cat({mul(s, grad), mul(mul(mul(rsub(s, 1), s), first), grad)}, d)};
    };
  });
}

}  // namespace flambeau::ops
