// Layer, group, RMS and weight norm (ops/norm.h). Follows aten/src/ATen/native/{layer_norm,group_norm,WeightNorm}.cpp.
#include <limits>

#include "kernels/layer_norm.h"
#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/norm.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/prepare.h"
#include "ops/recompose.h"
#include "ops/reduce.h"
#include "ops/vector_norm.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

// Parameters have the input's dtype, or are float beside a half input; the statistics take theirs.
DType statistics_dtype(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  for (const Tensor& parameter : {weight, bias}) {
    if (!parameter.defined() || parameter.dtype() == input.dtype()) continue;
    FLAMBEAU_CHECK(parameter.dtype() == DType::Float32 && is_reduced_float(input.dtype()),
                   "mixed dtype (CPU): expect parameter to have scalar type of Float");
    return DType::Float32;
  }
  return input.dtype();
}

void check_shape(const Tensor& input, const Dims& shape, const char* given) {
  const int64_t axis = input.dim() - int64_t(shape.size());
  const bool fits = axis >= 0 && std::equal(shape.begin(), shape.end(), input.sizes().begin() + axis);
  if (fits) return;
  std::string sizes;
  for (size_t i = 0; i < shape.size(); ++i) sizes += str(i ? ", " : "", shape[i]);
  throw Error(str("Given normalized_shape=", shape, ", expected input with shape [*", given, sizes,
                  "], but got input of size", input.sizes()));
}
void check_not_empty(const Dims& shape) {
  FLAMBEAU_CHECK(!shape.empty(),
                 "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                 "element, but got normalized_shape = ",
                 shape);
}
void check_parameter(const char* name, const Tensor& parameter, const Dims& shape) {
  FLAMBEAU_CHECK(!parameter.defined() || parameter.sizes() == shape, "Expected ", name,
                 " to be of same shape as "
                 "normalized_shape, but got ",
                 name, " of shape ", parameter.defined() ? parameter.sizes() : Dims(),
                 " and normalized_shape = ", shape);
}

// ---- layer norm: input (rows..., shape...), statistics (rows..., 1...)

Dims trailing_dims(const Tensor& t, size_t count) {
  Dims dims;
  for (size_t i = 0; i < count; ++i) dims.push_back(t.dim() - int64_t(count) + int64_t(i));
  return dims;
}
Dims leading_dims(const Tensor& t, size_t trailing) {
  Dims dims;
  for (int64_t i = 0; i < t.dim() - int64_t(trailing); ++i) dims.push_back(i);
  return dims;
}
Tensor sum_leading(const Tensor& t, size_t trailing) {
  return t.dim() == int64_t(trailing) ? t : sum(t, leading_dims(t, trailing));
}

// The backward in differentiable operators.
TensorList compose_layer_norm_backward(const TensorList& inputs, const Dims& shape, double eps) {
  const Tensor &grad = inputs[0], &x = inputs[1], &weight = inputs[2];
  const Dims dims = trailing_dims(x, shape.size());
  const Tensor centred = sub(x, mean(x, dims, true));
  const Tensor rstd = rsqrt(add(mean(mul(centred, centred), dims, true), eps));
  const Tensor normal = mul(centred, rstd), g = weight.defined() ? mul(grad, weight) : grad;
  const Tensor inner = sub(sub(g, mean(g, dims, true)), mul(normal, mean(mul(g, normal), dims, true)));
  return {mul(rstd, inner), sum_leading(mul(grad, normal), shape.size()), sum_leading(grad, shape.size())};
}

Three native_layer_norm_backward(const Tensor& grad_out, const Tensor& input, const Dims& shape, const Tensor& mean,
                                 const Tensor& rstd, const Tensor& weight, const Tensor& bias, double eps, Needs need) {
  const DType computed = computed_dtype(input.dtype());
  const Tensor grad = prepared(grad_out, computed), x = prepared(input, computed), w = prepared(weight, computed);
  const Tensor mu = prepared(mean, computed), scale = prepared(rstd, computed);
  const int64_t n = numel_of(shape), rows = mu.numel();
  const int threads = profile().threads;
  Tensor grad_x = need[0] ? empty(x.sizes(), computed) : Tensor();
  Tensor grad_weight = need[1] ? empty(shape, computed) : Tensor();
  Tensor grad_bias = need[2] ? empty(shape, computed) : Tensor();
  visit_real("LayerNormBackwardKernelImpl", computed, [&]<class T>(Type<T>) {
    const LayerNormFunctions<T>* f;
    if constexpr (std::is_same_v<T, float>) f = &kernels::layer_norm().layer_f32;
    else f = &kernels::layer_norm().layer_f64;
    if (need[0] && x.numel())
      f->backward(grad.data<T>(), x.data<T>(), mu.data<T>(), scale.data<T>(), data_or_null<T>(w), grad_x.data<T>(),
                  rows, n);
    if (need[1] || need[2]) {
      const Tensor scratch = empty({2 * threads * n}, computed);
      f->backward_weights(grad.data<T>(), x.data<T>(), mu.data<T>(), scale.data<T>(), data_or_null<T>(grad_weight),
                          data_or_null<T>(grad_bias), scratch.data<T>(), rows, n, threads);
    }
  });
  if (need[0]) grad_x = raw_cast(grad_x, input.dtype());
  if (need[1]) grad_weight = raw_cast(grad_weight, weight.dtype());
  if (need[2]) grad_bias = raw_cast(grad_bias, bias.dtype());
  record_recomposed("NativeLayerNormBackwardBackward0", {grad_x, grad_weight, grad_bias}, {grad_out, input, weight},
                    [shape, eps](const TensorList& inputs) { return compose_layer_norm_backward(inputs, shape, eps); });
  return {grad_x, grad_weight, grad_bias};
}

}  // namespace

Three native_layer_norm(const Tensor& input, const Dims& normalized_shape, const OptTensor& weight_opt,
                        const OptTensor& bias_opt, double eps) {
  const Tensor weight = deref(weight_opt), bias = deref(bias_opt);
  check_not_empty(normalized_shape);
  check_parameter("weight", weight, normalized_shape);
  check_parameter("bias", bias, normalized_shape);
  check_shape(input, normalized_shape, ", ");
  if (!input.is_floating()) not_implemented_for("LayerNormKernelImpl", input.dtype());
  const DType statistics = statistics_dtype(input, weight, bias), computed = computed_dtype(input.dtype());

  Dims sizes = input.sizes();
  for (size_t i = sizes.size() - normalized_shape.size(); i < sizes.size(); ++i) sizes[i] = 1;
  const Tensor x = prepared(input, computed), w = prepared(weight, computed), b = prepared(bias, computed);
  Tensor out = empty(x.sizes(), computed), mean = empty(sizes, computed), rstd = empty(sizes, computed);
  visit_real("LayerNormKernelImpl", computed, [&]<class T>(Type<T>) {
    const LayerNormFunctions<T>* f;
    if constexpr (std::is_same_v<T, float>) f = &kernels::layer_norm().layer_f32;
    else f = &kernels::layer_norm().layer_f64;
    f->forward(x.data<T>(), data_or_null<T>(w), data_or_null<T>(b), out.data<T>(), mean.data<T>(), rstd.data<T>(),
               mean.numel(), numel_of(normalized_shape), T(eps));
  });
  out = raw_cast(out, input.dtype());
  mean = raw_cast(mean, statistics);
  rstd = raw_cast(rstd, statistics);
  out = record("NativeLayerNormBackward0", out, {input, weight, bias}, [&] {
    return [x = Saved(input), w = weight.defined() ? Saved(weight) : Saved(),
            bias = bias.defined() ? detach(bias) : Tensor(), mean, rstd, shape = normalized_shape,
            eps](const Tensor& grad, Needs need) {
      auto [dx, dw, db] = native_layer_norm_backward(grad, x.get(), shape, mean, rstd, w.defined() ? w.get() : Tensor(),
                                                     bias, eps, need);
      return TensorList{dx, dw, db};
    };
  });
  return {out, mean, rstd};
}

Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const OptTensor& weight, const OptTensor& bias,
                  double eps, bool) {
  return std::get<0>(native_layer_norm(input, normalized_shape, weight, bias, eps));
}

// Composed as in rms_norm_composite.
Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const OptTensor& weight, std::optional<double> eps) {
  check_not_empty(normalized_shape);
  check_parameter("weight", deref(weight), normalized_shape);
  check_shape(input, normalized_shape, "");
  if (!input.is_floating()) not_implemented_for("rms_norm", input.dtype());
  const double epsilon = eps.value_or(input.dtype() == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                                      : double(std::numeric_limits<float>::epsilon()));
  const Tensor x = to_dtype(input, computed_dtype(input.dtype()));
  const Tensor squares = mean(pow(x, 2), trailing_dims(x, normalized_shape.size()), true);
  Tensor out = mul(x, rsqrt(add(squares, epsilon)));
  if (weight) out = mul(out, *weight);
  return to_dtype(out, input.dtype());
}

// ---- group norm: input (N, C, *) as (N, group, C / group * HxW)

namespace {

TensorList compose_group_norm_backward(const TensorList& inputs, const GroupNormShape& s, double eps) {
  const Dims grouped{s.batch, s.groups, s.channels_per_group, s.inner}, dims{2, 3}, channel{0, 3};
  const Tensor grad = reshape(inputs[0], grouped), x = reshape(inputs[1], grouped);
  const int64_t channels = s.groups * s.channels_per_group;
  const Tensor weight = inputs[2].defined() ? reshape(inputs[2], {1, s.groups, s.channels_per_group, 1}) : Tensor();
  const Tensor centred = sub(x, mean(x, dims, true));
  const Tensor rstd = rsqrt(add(mean(mul(centred, centred), dims, true), eps));
  const Tensor normal = mul(centred, rstd), g = weight.defined() ? mul(grad, weight) : grad;
  const Tensor inner = sub(sub(g, mean(g, dims, true)), mul(normal, mean(mul(g, normal), dims, true)));
  return {reshape(mul(rstd, inner), inputs[1].sizes()), reshape(sum(mul(grad, normal), channel), {channels}),
          reshape(sum(grad, channel), {channels})};
}

// From the gradients of mean and rstd (either may be undefined).
Tensor group_statistics_backward(const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& input,
                                 const GroupNormShape& s, double eps) {
  const int64_t row = s.channels_per_group * s.inner;
  const Dims rows{s.batch * s.groups, row}, one{s.batch * s.groups, 1};
  const Tensor x = reshape(input, rows);
  Tensor out;
  if (grad_mean.defined()) out = expand(div(reshape(grad_mean, one), row), rows);
  if (grad_rstd.defined()) {
    const Tensor centred = sub(x, mean(x, Dims{1}, true));
    const Tensor rstd = rsqrt(add(mean(mul(centred, centred), Dims{1}, true), eps));
    const Tensor slope = mul(div(mul(centred, pow(rstd, 3)), -row), reshape(grad_rstd, one));
    out = out.defined() ? add(out, slope) : slope;
  }
  return reshape(out, input.sizes());
}

Three native_group_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
                                 const Tensor& weight, const Tensor& bias, const GroupNormShape& s, double eps,
                                 Needs need) {
  const DType computed = computed_dtype(input.dtype());
  const Tensor grad = prepared(grad_out, computed), x = prepared(input, computed), w = prepared(weight, computed);
  const Tensor mu = prepared(mean, computed), scale = prepared(rstd, computed);
  const int64_t channels = s.groups * s.channels_per_group;
  Tensor grad_x = need[0] ? empty(x.sizes(), computed) : Tensor();
  Tensor grad_weight = need[1] ? empty({channels}, computed) : Tensor();
  Tensor grad_bias = need[2] ? empty({channels}, computed) : Tensor();
  const Tensor products = empty({s.batch, channels}, computed), sums = empty({s.batch, channels}, computed);
  visit_real("GroupNormBackwardKernelImpl", computed, [&]<class T>(Type<T>) {
    const GroupNormFunctions<T>* f;
    if constexpr (std::is_same_v<T, float>) f = &kernels::layer_norm().group_f32;
    else f = &kernels::layer_norm().group_f64;
    f->channel_sums(s, grad.data<T>(), x.data<T>(), products.data<T>(), sums.data<T>());
    if (need[0])
      f->backward(s, grad.data<T>(), x.data<T>(), mu.data<T>(), scale.data<T>(), data_or_null<T>(w), products.data<T>(),
                  sums.data<T>(), grad_x.data<T>());
    if (need[1] || need[2])
      f->backward_weights(s, mu.data<T>(), scale.data<T>(), products.data<T>(), sums.data<T>(),
                          data_or_null<T>(grad_weight), data_or_null<T>(grad_bias));
  });
  if (need[0]) grad_x = raw_cast(grad_x, input.dtype());
  if (need[1]) grad_weight = raw_cast(grad_weight, weight.dtype());
  if (need[2]) grad_bias = raw_cast(grad_bias, bias.dtype());
  record_recomposed("NativeGroupNormBackwardBackward0", {grad_x, grad_weight, grad_bias}, {grad_out, input, weight},
                    [s, eps](const TensorList& inputs) { return compose_group_norm_backward(inputs, s, eps); });
  return {grad_x, grad_weight, grad_bias};
}

}  // namespace

Three native_group_norm(const Tensor& input, const OptTensor& weight_opt, const OptTensor& bias_opt, int64_t N,
                        int64_t C, int64_t HxW, int64_t group, double eps) {
  const Tensor weight = deref(weight_opt), bias = deref(bias_opt);
  FLAMBEAU_CHECK(group > 0, "Expected num groups to be greater than 0, got ", group);
  FLAMBEAU_CHECK(C % group == 0,
                 "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
                 input.sizes(), " and num_groups=", group);
  for (const auto& [name, parameter] : {std::pair{"weight", weight}, std::pair{"bias", bias}})
    FLAMBEAU_CHECK(!parameter.defined() || (parameter.dim() == 1 && parameter.numel() == C), "Expected ", name,
                   " to be a vector of "
                   "size equal to the number of channels in input, but got ",
                   name, " of shape ", weight.defined() ? weight.sizes() : Dims{0}, " and input of shape ",
                   input.sizes());
  if (!input.is_floating()) not_implemented_for("GroupNormKernelImpl", input.dtype());
  const DType statistics = statistics_dtype(input, weight, bias), computed = computed_dtype(input.dtype());
  FLAMBEAU_CHECK(N * C * HxW == input.numel(), "native_group_norm: input has ", input.numel(),
                 " elements, not N * C * HxW");

  const GroupNormShape s{N, group, C / group, HxW, profile().threads};
  const Tensor x = prepared(input, computed), w = prepared(weight, computed), b = prepared(bias, computed);
  Tensor out = empty(x.sizes(), computed), mean = empty({N, group}, computed), rstd = empty({N, group}, computed);
  visit_real("GroupNormKernelImpl", computed, [&]<class T>(Type<T>) {
    const GroupNormFunctions<T>* f;
    if constexpr (std::is_same_v<T, float>) f = &kernels::layer_norm().group_f32;
    else f = &kernels::layer_norm().group_f64;
    f->forward(s, x.data<T>(), data_or_null<T>(w), data_or_null<T>(b), out.data<T>(), mean.data<T>(), rstd.data<T>(),
               eps);
  });
  out = raw_cast(out, input.dtype());
  mean = raw_cast(mean, statistics);
  rstd = raw_cast(rstd, statistics);
  // PyTorch takes gradients of the statistics, too.
  if (needs_grad(input, weight, bias)) {
    const Tensor outs[] = {out, mean, rstd};
    record_all("NativeGroupNormBackward0", outs, Inputs{input, weight, bias},
               [x = Saved(input), w = weight.defined() ? Saved(weight) : Saved(),
                bias = bias.defined() ? detach(bias) : Tensor(), mean = detach(mean), rstd = detach(rstd), s,
                eps](const TensorList& grads, Needs need) {
                 TensorList out(3);
                 if (grads[0].defined())
                   std::tie(out[0], out[1], out[2]) = native_group_norm_backward(
                       grads[0], x.get(), mean, rstd, w.defined() ? w.get() : Tensor(), bias, s, eps, need);
                 if (need[0] && (grads[1].defined() || grads[2].defined())) {
                   const Tensor more = group_statistics_backward(grads[1], grads[2], x.get(), s, eps);
                   out[0] = out[0].defined() ? add(out[0], more) : more;
                 }
                 return out;
               });
  }
  return {out, mean, rstd};
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const OptTensor& weight, const OptTensor& bias, double eps,
                  bool) {
  const int64_t N = input.size(0), C = input.size(1);
  int64_t inner = 1;
  for (int64_t d = 2; d < input.dim(); ++d) inner *= input.size(d);
  return std::get<0>(native_group_norm(input, weight, bias, N, C, inner, num_groups, eps));
}

// ---- weight norm

// The p-norm over all dimensions but one, which stay with size 1; dim -1: over all.
Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return norm(v, pow);
  const int64_t last = v.dim() - 1;
  Dims sizes(size_t(v.dim()), 1);
  sizes[size_t(dim)] = v.size(dim);
  if (dim == 0) return view(norm(view(contiguous(v), {v.size(0), -1}), Scalar(pow), Dims{1}), sizes);
  if (dim == last) return view(norm(view(contiguous(v), {-1, v.size(last)}), Scalar(pow), Dims{0}), sizes);
  return transpose(norm_except_dim(transpose(v, 0, dim), pow, 0), 0, dim);
}

Tensor weight_norm(const Tensor& v, const Tensor& g, int64_t dim) { return mul(v, div(g, norm_except_dim(v, 2, dim))); }

}  // namespace flambeau::ops
