// Window functions (ops/create.h). Composed as in aten/src/ATen/native/TensorFactories.cpp, operation by operation.
#include <numbers>

#include "ops/copy.h"
#include "ops/create.h"
#include "ops/join.h"
#include "ops/pointwise.h"
#include "ops/views.h"

namespace flambeau::ops::create {
namespace {

// A periodic window is the symmetric one of one point more, without its last point.
template <class F>
Tensor window(const char* name, int64_t length, bool periodic, const Options& options, F&& symmetric) {
  const DType dtype = options.dtype_or_default();
  FLAMBEAU_CHECK(flambeau::is_floating(dtype), name, " expects floating point dtypes, got: ", dtype);
  FLAMBEAU_CHECK(length >= 0, name, " requires non-negative window_length, got window_length=", length);
  Tensor out;
  if (length < 2) {
    out = ops::ones({length}, dtype);
  } else {
    const int64_t points = length + (periodic ? 1 : 0);
    const DType computed = is_reduced_float(dtype) ? DType::Float32 : dtype;
    out = raw_cast(symmetric(arange_end(points, computed), double(points - 1)), dtype);
    if (periodic) out = clone(narrow(out, 0, 0, length));
  }
  if (options.requires_grad) out.set_requires_grad(true);
  return out;
}

}  // namespace

Tensor bartlett_window(int64_t window_length, bool periodic, const Options& options) {
  return window("bartlett_window", window_length, periodic, options, [](const Tensor& index, double last) {
    const Tensor up = mul(index, 2.0 / last);
    const int64_t count = up.numel(), half = ((count - 1) >> 1) + 1;
    const Tensor down = add(mul(narrow(up, 0, half, count - half), -1), 2);
    return cat({narrow(up, 0, 0, half), down}, 0);
  });
}

Tensor hann_window(int64_t window_length, bool periodic, const Options& options) {
  return window("hann_window", window_length, periodic, options, [](const Tensor& index, double last) {
    return add(mul(cos(mul(index, std::numbers::pi * 2.0 / last)), -0.5), 0.5);
  });
}

Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta, const Options& options) {
  return window("hamming_window", window_length, periodic, options, [&](const Tensor& index, double last) {
    return add(mul(cos(mul(index, std::numbers::pi * 2.0 / last)), -beta), alpha);
  });
}

Tensor blackman_window(int64_t window_length, bool periodic, const Options& options) {
  return window("blackman_window", window_length, periodic, options, [](const Tensor& index, double last) {
    const Tensor angle = mul(index, std::numbers::pi / last);
    const Tensor fourth = mul(cos(mul(angle, 4)), 0.08), second = mul(cos(mul(angle, 2)), 0.5);
    return add(sub(fourth, second), 0.42);
  });
}

}  // namespace flambeau::ops::create
