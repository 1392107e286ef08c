// Batch and instance norm (ops/norm.h). Follows aten/src/ATen/native/Normalization.cpp.
#include <cmath>

#include "kernels/batch_norm.h"
#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/join.h"
#include "ops/norm.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/prepare.h"
#include "ops/recompose.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

template <class T>
const BatchNormFunctions<T>& functions() {
  if constexpr (std::is_same_v<T, float>) return kernels::batch_norm().f32;
  else return kernels::batch_norm().f64;
}

BatchNormShape shape_of(const Tensor& input) {
  BatchNormShape s{input.size(0), input.size(1), 1, profile().threads};
  for (int64_t d = 2; d < input.dim(); ++d) s.inner *= input.size(d);
  return s;
}

Tensor scratch_of(const BatchNormShape& s, DType dtype) {
  return empty({s.by_rows() ? s.threads * s.channels : 0}, dtype);
}

void check_features(const char* name, const Tensor& t, int64_t channels) {
  FLAMBEAU_CHECK(!t.defined() || t.numel() == channels, name, " should contain ", channels, " elements not ",
                 t.numel());
}

DType statistics_dtype(const Tensor& input, const TensorList& parameters) {
  for (const Tensor& parameter : parameters) {
    if (!parameter.defined() || parameter.dtype() == input.dtype()) continue;
    FLAMBEAU_CHECK(parameter.dtype() == DType::Float32 && is_reduced_float(input.dtype()),
                   "mixed dtype (CPU): expect parameter to have scalar type of Float");
    return DType::Float32;
  }
  return input.dtype();
}

// running = momentum * new + (1 - momentum) * running; the variance over count - 1.
template <class T>
void update_running(const Tensor& running_mean, const Tensor& running_var, const T* mean, const T* squares,
                    int64_t count, double momentum) {
  const int64_t channels = running_mean.defined() ? running_mean.numel() : 0;
  const Tensor old_mean = prepared(running_mean, dtype_of<T>), old_var = prepared(running_var, dtype_of<T>);
  const Tensor new_mean = empty({channels}, dtype_of<T>), new_var = empty({channels}, dtype_of<T>);
  const T share = T(momentum), rest = T(1) - share;
  for (int64_t c = 0; c < channels; ++c) {
    new_mean.data<T>()[c] = share * mean[c] + rest * old_mean.data<T>()[c];
    const T unbiased = squares[c] / T(count - 1);
    new_var.data<T>()[c] = T(double(share) * double(unbiased) + double(rest * old_var.data<T>()[c]));
  }
  for (const auto& [running, fresh] : {std::pair{running_mean, new_mean}, std::pair{running_var, new_var}})
    if (running.defined()) {
      raw_copy(running, reshape(fresh, running.sizes()));
      running.bump_version();
    }
}

// What the backward needs besides tensors.
struct Mode {
  bool training;
  double eps;
};

// The backward in differentiable operators.
TensorList compose_backward(const TensorList& inputs, const Tensor& running_mean, const Tensor& running_var,
                            Mode mode) {
  const Tensor& x = inputs[1];
  Dims per_channel(size_t(x.dim()), 1), dims { 0 };
  per_channel[1] = x.size(1);
  for (int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  const auto spread = [&](const Tensor& t) { return reshape(t, per_channel); };
  const Tensor grad = inputs[0], weight = inputs[2].defined() ? spread(inputs[2]) : Tensor();
  const Tensor centred = sub(x, mode.training ? mean(x, dims, true) : spread(running_mean));
  const Tensor variance = mode.training ? mean(mul(centred, centred), dims, true) : spread(running_var);
  const Tensor invstd = rsqrt(add(variance, mode.eps));
  const Tensor normal = mul(centred, invstd), g = weight.defined() ? mul(grad, weight) : grad;
  Tensor dx = g;
  if (mode.training) dx = sub(sub(g, mean(g, dims, true)), mul(normal, mean(mul(g, normal), dims, true)));
  return {mul(dx, invstd), sum(mul(grad, normal), dims), sum(grad, dims)};
}

Three native_batch_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                 const Tensor& running_mean, const Tensor& running_var, const Tensor& save_mean,
                                 const Tensor& save_invstd, Mode mode, Needs need) {
  const DType computed = computed_dtype(input.dtype());
  const BatchNormShape s = shape_of(input);
  const Tensor grad = prepared(grad_out, computed), x = prepared(input, computed), w = prepared(weight, computed);
  const Tensor mean = prepared(mode.training ? save_mean : running_mean, computed);
  Tensor invstd = prepared(mode.training ? save_invstd : running_var, computed);
  Tensor grad_x = empty(x.sizes(), computed), grad_weight = empty({s.channels}, computed),
         grad_bias = empty({s.channels}, computed);
  const Tensor sums = empty({s.channels}, DType::Float64), dots = empty({s.channels}, DType::Float64);
  const Tensor k = empty({s.channels}, computed), grad_mean = empty({s.channels}, computed),
               scratch = scratch_of(s, computed);
  visit_real("batch_norm_backward", computed, [&]<class T>(Type<T>) {
    const auto& f = functions<T>();
    if (!mode.training) {
      // In double, unlike the forward.
      Tensor scales = empty({s.channels}, computed);
      for (int64_t c = 0; c < s.channels; ++c)
        scales.data<T>()[c] = T(1.0 / std::sqrt(double(invstd.data<T>()[c]) + mode.eps));
      invstd = scales;
    }
    const T* scale = invstd.data<T>();
    f.backward_sums(s, grad.data<T>(), x.data<T>(), mean.data<T>(), sums.data<double>(), dots.data<double>(),
                    scratch.data<T>());
    const double count = double(s.count());
    for (int64_t c = 0; c < s.channels; ++c) {
      const double sum = sums.data<double>()[c], dot = dots.data<double>()[c];
      k.data<T>()[c] = T(dot) * scale[c] * scale[c] / T(count);
      grad_mean.data<T>()[c] = s.by_rows() ? T(sum) / T(count) : T(sum / count);
      grad_weight.data<T>()[c] = s.by_rows() ? T(dot) * scale[c] : T(dot * double(scale[c]));
      grad_bias.data<T>()[c] = T(sum);
    }
    if (need[0])
      f.backward(s, grad.data<T>(), x.data<T>(), mean.data<T>(), scale, data_or_null<T>(w),
                 mode.training ? k.data<T>() : nullptr, grad_mean.data<T>(), grad_x.data<T>());
  });
  grad_x = need[0] ? raw_cast(grad_x, input.dtype()) : Tensor();
  grad_weight = need[1] ? raw_cast(grad_weight, weight.dtype()) : Tensor();
  grad_bias = need[2] ? raw_cast(grad_bias, bias.dtype()) : Tensor();
  record_recomposed("NativeBatchNormBackwardBackward0", {grad_x, grad_weight, grad_bias}, {grad_out, input, weight},
                    [running_mean, running_var, mode](const TensorList& inputs) {
                      return compose_backward(inputs, running_mean, running_var, mode);
                    });
  return {grad_x, grad_weight, grad_bias};
}

}  // namespace

Three native_batch_norm(const Tensor& input, const OptTensor& weight_opt, const OptTensor& bias_opt,
                        const OptTensor& running_mean_opt, const OptTensor& running_var_opt, bool training,
                        double momentum, double eps) {
  const Tensor weight = deref(weight_opt), bias = deref(bias_opt), running_mean = deref(running_mean_opt),
               running_var = deref(running_var_opt);
  const int64_t channels = input.size(1);
  FLAMBEAU_CHECK_AS(ValueError, running_mean.defined() == running_var.defined(),
                    "running_mean and running_var must either both be None or neither be None");
  FLAMBEAU_CHECK(training || running_mean.defined(), "running_mean must be defined in evaluation mode");
  check_features("running_mean", running_mean, channels);
  check_features("running_var", running_var, channels);
  check_features("weight", weight, channels);
  check_features("bias", bias, channels);
  if (!input.is_floating()) not_implemented_for("batch_norm", input.dtype());
  const DType statistics = statistics_dtype(input, {weight, bias, running_mean, running_var});
  const DType computed = computed_dtype(input.dtype());

  const BatchNormShape s = shape_of(input);
  const Tensor x = prepared(input, computed), w = prepared(weight, computed), b = prepared(bias, computed);
  Tensor out = empty(x.sizes(), computed), save_mean = empty({training ? channels : 0}, computed);
  Tensor save_invstd = empty(save_mean.sizes(), computed);
  if (x.numel())
    visit_real("batch_norm", computed, [&]<class T>(Type<T>) {
      const auto& f = functions<T>();
      Tensor mean = save_mean, invstd = save_invstd;
      if (training) {
        const Tensor squares = empty({channels}, computed), scratch = scratch_of(s, computed);
        f.statistics(s, x.data<T>(), mean.data<T>(), squares.data<T>(), scratch.data<T>());
        for (int64_t c = 0; c < channels; ++c) {
          const T variance = squares.data<T>()[c] / T(s.count());
          invstd.data<T>()[c] = T(1.0 / std::sqrt(double(variance) + eps));
        }
        update_running(running_mean, running_var, mean.data<T>(), squares.data<T>(), s.count(), momentum);
      } else {
        mean = prepared(running_mean, computed);
        const Tensor variance = prepared(running_var, computed);
        invstd = empty({channels}, computed);
        for (int64_t c = 0; c < channels; ++c) invstd.data<T>()[c] = T(1) / std::sqrt(variance.data<T>()[c] + T(eps));
      }
      f.transform(s, x.data<T>(), mean.data<T>(), invstd.data<T>(), data_or_null<T>(w), data_or_null<T>(b),
                  out.data<T>());
    });
  out = raw_cast(out, input.dtype());
  save_mean = raw_cast(save_mean, statistics);
  save_invstd = raw_cast(save_invstd, statistics);
  out = record("NativeBatchNormBackward0", out, {input, weight, bias}, [&] {
    const auto plain = [](const Tensor& t) { return t.defined() ? detach(t) : Tensor(); };
    return
        [x = Saved(input), w = weight.defined() ? Saved(weight) : Saved(), bias = plain(bias), rm = plain(running_mean),
         rv = plain(running_var), save_mean, save_invstd, mode = Mode{training, eps}](const Tensor& grad, Needs need) {
          auto [dx, dw, db] = native_batch_norm_backward(grad, x.get(), w.defined() ? w.get() : Tensor(), bias, rm, rv,
                                                         save_mean, save_invstd, mode, need);
          return TensorList{dx, dw, db};
        };
  });
  return {out, save_mean, save_invstd};
}

Tensor batch_norm(const Tensor& input, const OptTensor& weight, const OptTensor& bias, const OptTensor& running_mean,
                  const OptTensor& running_var, bool training, double momentum, double eps, bool) {
  if (input.numel() == 0) {
    Tensor out = clone(input);
    if (weight) out = mul(out, select(*weight, 0, 0));
    if (bias) out = add(out, select(*bias, 0, 0));
    return out;
  }
  return std::get<0>(native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
}

// Each image's channels as channels of one image.
Tensor instance_norm(const Tensor& input, const OptTensor& weight, const OptTensor& bias, const OptTensor& running_mean,
                     const OptTensor& running_var, bool use_input_stats, double momentum, double eps,
                     bool cudnn_enabled) {
  FLAMBEAU_CHECK(use_input_stats || (running_mean && running_var),
                 "Expected running_mean and running_var to be defined when use_input_stats is false");
  const int64_t batch = input.size(0), channels = input.size(1);
  const auto repeated = [&](const OptTensor& t) { return t ? OptTensor(repeat(*t, {batch})) : OptTensor(); };
  Dims sizes = input.sizes();
  sizes[0] = 1;
  sizes[1] = batch * channels;
  const OptTensor mean_each = repeated(running_mean), var_each = repeated(running_var);
  const Tensor out = batch_norm(view(contiguous(input), sizes), repeated(weight), repeated(bias), mean_each, var_each,
                                use_input_stats, momentum, eps, cudnn_enabled);
  if (use_input_stats) {
    GradMode off(false);
    for (const auto& [running, each] : {std::pair{running_mean, mean_each}, std::pair{running_var, var_each}})
      if (running) copy_(detach(*running), mean(view(*each, {batch, channels}), Dims{0}));
  }
  return view(out, input.sizes());
}

}  // namespace flambeau::ops
