// Checks, shapes and gradients of convolutions. Everything is said in terms of one plain convolution and its two
// gradients; each of the three is differentiable through the other two, so any derivative works. A transposed
// convolution is the input gradient of a plain one.
#include "ops/conv.h"

#include "ops/conv_raw.h"
#include "ops/copy.h"
#include "ops/join.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

struct Shapes {
  ConvGeometry geometry;
  Dims input, weight, output;  // of the plain convolution
};

// Runs f(out, a, b, c) on contiguous operands in a dtype that has kernels.
template <class F>
Tensor computed(IntSpan sizes, DType dtype, const Tensor& a, const Tensor& b, const Tensor& c, F&& f) {
  const DType in = is_reduced_float(dtype) ? DType::Float32 : dtype;
  const auto ready = [&](const Tensor& t) { return t.defined() ? raw_contiguous(raw_cast(t, in)) : t; };
  const Tensor out = empty(sizes, in);
  f(out, ready(a), ready(b), ready(c));
  return raw_cast(out, dtype);
}

Dims output_sizes(const Tensor& x, const Tensor& weight, const ConvGeometry& g) {
  Dims sizes{x.size(0), weight.size(0)};
  for (size_t i = 0; i < g.stride.size(); ++i) {
    const int64_t reach = g.dilation[i] * (weight.size(int64_t(i) + 2) - 1) + 1;
    sizes.push_back((x.size(int64_t(i) + 2) + 2 * g.padding[i] - reach) / g.stride[i] + 1);
  }
  return sizes;
}

Tensor sum_over_positions(const Tensor& grad) {
  Dims dims{0};
  for (int64_t i = 2; i < grad.dim(); ++i) dims.push_back(i);
  return sum(grad, dims);
}

Tensor grad_input(const Tensor& grad, const Tensor& weight, const Tensor& bias, const Shapes& s, std::string_view name);
Tensor grad_weight(const Tensor& grad, const Tensor& x, const Shapes& s);

Tensor plain(const Tensor& x, const Tensor& weight, const Tensor& bias, const Shapes& s, std::string_view name) {
  const Tensor out = computed(s.output, x.dtype(), x, weight, bias,
                              [&](const Tensor& o, const Tensor& a, const Tensor& w, const Tensor& b) {
                                conv_forward(o, a, w, b, s.geometry);
                              });
  return record(name, out, {x, weight, bias}, [&] {
    return [x = Saved(x), w = Saved(weight), s](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? grad_input(grad, w.get(), {}, s, "ConvolutionBackwardBackward0") : Tensor(),
                        need[1] ? grad_weight(grad, x.get(), s) : Tensor(),
                        need[2] ? sum_over_positions(grad) : Tensor()};
    };
  });
}

Tensor grad_input(const Tensor& grad, const Tensor& weight, const Tensor& bias, const Shapes& s,
                  std::string_view name) {
  const Tensor out = computed(s.input, grad.dtype(), grad, weight, bias,
                              [&](const Tensor& o, const Tensor& a, const Tensor& w, const Tensor& b) {
                                conv_grad_input(o, a, w, b, s.geometry);
                              });
  return record(name, out, {grad, weight, bias}, [&] {
    return [y = Saved(grad), w = Saved(weight), s](const Tensor& grad_x, Needs need) {
      return TensorList{need[0] ? plain(grad_x, w.get(), {}, s, "ConvolutionBackwardBackward0") : Tensor(),
                        need[1] ? grad_weight(y.get(), grad_x, s) : Tensor(),
                        need[2] ? sum_over_positions(grad_x) : Tensor()};
    };
  });
}

Tensor grad_weight(const Tensor& grad, const Tensor& x, const Shapes& s) {
  const Tensor out = computed(
      s.weight, grad.dtype(), grad, x, {},
      [&](const Tensor& o, const Tensor& y, const Tensor& a, const Tensor&) { conv_grad_weight(o, y, a, s.geometry); });
  return record("ConvolutionBackwardBackward0", out, {grad, x}, [&] {
    return [y = Saved(grad), x = Saved(x), s](const Tensor& grad_w, Needs need) {
      return TensorList{need[0] ? plain(x.get(), grad_w, {}, s, "ConvolutionBackwardBackward0") : Tensor(),
                        need[1] ? grad_input(y.get(), grad_w, {}, s, "ConvolutionBackwardBackward0") : Tensor()};
    };
  });
}

Dims one_a_dimension(const Dims& values, int64_t dims, std::string_view what) {
  if (values.size() == 1) return Dims(size_t(dims), values[0]);
  FLAMBEAU_CHECK(int64_t(values.size()) == dims, "expected ", what, " to be a single integer value or a list of ", dims,
                 " values to match the convolution dimensions, but got ", what, "=", values);
  return values;
}

bool any_below(const Dims& values, int64_t least) {
  for (const int64_t v : values)
    if (v < least) return true;
  return false;
}

std::string by_x(const Dims& values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) text += str(i ? " x " : "", values[i]);
  return text + ")";
}

void check_shapes(const Tensor& input, const Tensor& weight, const Tensor& bias, const ConvGeometry& g,
                  bool transposed) {
  const int64_t groups = g.groups;
  const Dims& w = weight.sizes();
  FLAMBEAU_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim(), "-dimensional input for ", weight.dim(),
                 "-dimensional weight ", w, ", but got ", input.dim(), "-dimensional input of size ", input.sizes(),
                 " instead");
  FLAMBEAU_CHECK(w[0] >= groups, "Given groups=", groups, ", expected weight to be at least ", groups,
                 " at dimension 0, but got weight of size ", w, " instead");
  FLAMBEAU_CHECK(w[0] % groups == 0, "Given groups=", groups, ", expected weight to be divisible by ", groups,
                 " at dimension 0, but got weight of size [", w, "] instead");
  const int64_t channels = transposed ? w[0] : w[1] * groups, produced = transposed ? w[1] * groups : w[0];
  if (transposed) {
    FLAMBEAU_CHECK(input.size(1) == channels, "Given transposed=1, weight of size ", w, ", expected input",
                   input.sizes(), " to have ", channels, " channels, but got ", input.size(1), " channels instead");
  } else {
    FLAMBEAU_CHECK(input.size(1) == channels, "Given groups=", groups, ", weight of size ", w, ", expected input",
                   input.sizes(), " to have ", channels, " channels, but got ", input.size(1), " channels instead");
  }
  FLAMBEAU_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == produced), "Given ",
                 transposed ? "transposed=1, " : "", "weight of size ", w, ", expected bias to be 1-dimensional with ",
                 produced, " elements, but got bias of size ", bias.defined() ? bias.sizes() : Dims(), " instead");
  if (transposed) return;
  Dims padded, kernel;
  bool fits = true;
  for (size_t i = 0; i < g.stride.size(); ++i) {
    padded.push_back(input.size(int64_t(i) + 2) + 2 * g.padding[i]);
    kernel.push_back(g.dilation[i] * (w[i + 2] - 1) + 1);
    fits &= padded.back() >= kernel.back();
  }
  FLAMBEAU_CHECK(fits, "Calculated padded input size per channel: ", by_x(padded), ". Kernel size: ", by_x(kernel),
                 ". Kernel size can't be greater than actual input size");
}

std::string_view cpp_name(DType dtype) {
  return dtype == DType::Float32    ? "float"
         : dtype == DType::Float64  ? "double"
         : dtype == DType::Float16  ? "c10::Half"
         : dtype == DType::BFloat16 ? "c10::BFloat16"
         : dtype == DType::Int64    ? "long int"
                                    : name(dtype);
}

void check_dtypes(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  FLAMBEAU_CHECK(input.dtype() == weight.dtype(), "Input type (torch.", input.dtype(),
                 "Tensor) and weight type (torch.", weight.dtype(),
                 "Tensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor");
  FLAMBEAU_CHECK(!bias.defined() || input.dtype() == bias.dtype(), "Input type (", cpp_name(input.dtype()),
                 ") and bias type (", cpp_name(bias.defined() ? bias.dtype() : input.dtype()), ") should be the same");
}

void check_output_padding(const Dims& output_padding, const ConvGeometry& g) {
  bool fits = true;
  for (size_t i = 0; i < g.stride.size(); ++i)
    fits &= output_padding[i] < g.stride[i] || output_padding[i] < g.dilation[i];
  if (fits) return;
  std::string text;
  const size_t dims = std::max<size_t>(2, g.stride.size()), missing = dims - g.stride.size();
  constexpr const char* kNames[] = {"depth", "height", "width"};
  const auto list = [&](std::string_view what, const Dims& values, int64_t lacking) {
    for (size_t i = 0; i < dims; ++i)
      text += str(" ", what, "_", kNames[3 - dims + i], ": ", i < missing ? lacking : values[i - missing]);
  };
  list("output_padding", output_padding, 0);
  list("stride", g.stride, 1);
  list("dilation", g.dilation, 1);
  throw Error("output padding must be smaller than either stride or dilation, but got" + text);
}

// Adds the batch dimension where it is missing, and takes it off again.
template <class F>
Tensor with_batch(const Tensor& input, int64_t dims, std::string_view name, F&& f) {
  FLAMBEAU_CHECK(input.dim() == dims + 1 || input.dim() == dims + 2, "Expected ", dims + 1, "D (unbatched) or ",
                 dims + 2, "D (batched) input to ", name, ", but got input of size: ", input.sizes());
  if (input.dim() == dims + 2) return f(input);
  return squeeze_dims(f(unsqueeze(input, 0)), {0});
}

// The Python parser turns one number into as many as the operator's name says.
Dims repeated(const Dims& values, int64_t dims) { return values.size() == 1 ? Dims(size_t(dims), values[0]) : values; }

Tensor conv_nd(int64_t dims, std::string_view name, const Tensor& input, const Tensor& weight, const OptTensor& bias,
               const Dims& stride, const Dims& padding, const Dims& dilation, int64_t groups) {
  return with_batch(input, dims, name, [&](const Tensor& x) {
    return convolution(x, weight, bias, repeated(stride, dims), repeated(padding, dims), repeated(dilation, dims),
                       false, Dims(size_t(dims), 0), groups);
  });
}

Tensor conv_nd_word(int64_t dims, std::string_view name, const Tensor& input, const Tensor& weight,
                    const OptTensor& bias, const Dims& stride, const std::string& padding, const Dims& dilation,
                    int64_t groups) {
  return with_batch(input, dims, name, [&](const Tensor& x) {
    FLAMBEAU_CHECK(padding == "same" || padding == "valid", "Invalid padding string: '", padding, "'");
    const Dims steps = repeated(stride, dims), holes = repeated(dilation, dims), none(size_t(dims), 0);
    if (padding == "valid") return convolution(x, weight, bias, steps, none, holes, false, none, groups);
    FLAMBEAU_CHECK(weight.dim() == dims + 2, "same_padding_valid: Expected ", dims + 2, "-dimensional weight, got ",
                   weight.dim());
    for (const int64_t step : steps)
      FLAMBEAU_CHECK(step == 1, "padding='same' is not supported for strided convolutions");
    // An odd total is padded once more on the right, before the convolution.
    Dims sides = none, extra(size_t(2 * dims), 0);
    bool symmetric = true;
    for (int64_t i = 0; i < dims; ++i) {
      const int64_t total = holes[size_t(i)] * (weight.size(i + 2) - 1);
      sides[size_t(i)] = total / 2;
      extra[size_t(2 * (dims - 1 - i) + 1)] = total % 2;
      symmetric &= total % 2 == 0;
    }
    return convolution(symmetric ? x : constant_pad_nd(x, extra), weight, bias, steps, sides, holes, false, none,
                       groups);
  });
}

Tensor conv_transpose_nd(int64_t dims, std::string_view name, const Tensor& input, const Tensor& weight,
                         const OptTensor& bias, const Dims& stride, const Dims& padding, const Dims& output_padding,
                         int64_t groups, const Dims& dilation) {
  return with_batch(input, dims, name, [&](const Tensor& x) {
    return convolution(x, weight, bias, repeated(stride, dims), repeated(padding, dims), repeated(dilation, dims), true,
                       repeated(output_padding, dims), groups);
  });
}

}  // namespace

Tensor convolution(const Tensor& input, const Tensor& weight, const OptTensor& bias_in, const Dims& stride,
                   const Dims& padding, const Dims& dilation, bool transposed, const Dims& output_padding,
                   int64_t groups) {
  const Tensor bias = deref(bias_in);
  const int64_t dims = weight.dim() - 2;
  FLAMBEAU_CHECK(dims > 0, "weight should have at least three dimensions");
  FLAMBEAU_CHECK(dims <= 3, "only convolutions of one to three spatial dimensions are supported, got ", dims);
  Shapes s;
  s.geometry = {one_a_dimension(stride, dims, "stride"), one_a_dimension(padding, dims, "padding"),
                one_a_dimension(dilation, dims, "dilation"), groups, transposed};
  const Dims extra = one_a_dimension(output_padding, dims, "output_padding");
  FLAMBEAU_CHECK(!any_below(s.geometry.padding, 0), "negative padding is not supported");
  FLAMBEAU_CHECK(!any_below(extra, 0), "negative output_padding is not supported");
  FLAMBEAU_CHECK(!any_below(s.geometry.stride, 1), "non-positive stride is not supported");
  FLAMBEAU_CHECK(!any_below(s.geometry.dilation, 1), "non-positive dilation is not supported");
  FLAMBEAU_CHECK(groups > 0, "non-positive groups is not supported");
  check_shapes(input, weight, bias, s.geometry, transposed);
  check_dtypes(input, weight, bias);
  s.weight = weight.sizes();
  if (!transposed) {
    s.input = input.sizes();
    s.output = output_sizes(input, weight, s.geometry);
    return plain(input, weight, bias, s, "ConvolutionBackward0");
  }
  check_output_padding(extra, s.geometry);
  s.output = input.sizes();
  s.input = {input.size(0), weight.size(1) * groups};
  for (size_t i = 0; i < size_t(dims); ++i) {
    const auto& g = s.geometry;
    s.input.push_back((input.size(int64_t(i) + 2) - 1) * g.stride[i] - 2 * g.padding[i] +
                      g.dilation[i] * (weight.size(int64_t(i) + 2) - 1) + extra[i] + 1);
  }
  return grad_input(input, weight, bias, s, "ConvolutionBackward0");
}

#define FLAMBEAU_CONV(N)                                                                                               \
  Tensor conv##N##d(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,              \
                    const Dims& padding, const Dims& dilation, int64_t groups) {                                       \
    return conv_nd(N, "conv" #N "d", input, weight, bias, stride, padding, dilation, groups);                          \
  }                                                                                                                    \
  Tensor conv##N##d_word(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,         \
                         const std::string& padding, const Dims& dilation, int64_t groups) {                           \
    return conv_nd_word(N, "conv" #N "d", input, weight, bias, stride, padding, dilation, groups);                     \
  }                                                                                                                    \
  Tensor conv_transpose##N##d(const Tensor& input, const Tensor& weight, const OptTensor& bias, const Dims& stride,    \
                              const Dims& padding, const Dims& output_padding, int64_t groups, const Dims& dilation) { \
    return conv_transpose_nd(N, "conv_transpose" #N "d", input, weight, bias, stride, padding, output_padding, groups, \
                             dilation);                                                                                \
  }
FLAMBEAU_CONV(1)
FLAMBEAU_CONV(2)
FLAMBEAU_CONV(3)
#undef FLAMBEAU_CONV

Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  FLAMBEAU_CHECK(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  FLAMBEAU_CHECK(weight.dim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  FLAMBEAU_CHECK(bias.dim() == 1, "Bias must be 1-D");
  FLAMBEAU_CHECK(self.size(2) == weight.size(1), "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  FLAMBEAU_CHECK(weight.size(2) == bias.size(0), "Bias size must equal dim 2 in the weight tensor (output channels).");
  // self (T, B, C) as (B, C, T), weight (kT, C, O) as (O, C, kT)
  const Tensor out = conv1d(permute(self, {1, 2, 0}), permute(weight, {2, 1, 0}), bias, {1}, {pad});
  return permute(out, {2, 0, 1});
}

}  // namespace flambeau::ops
