// Pooling with windows of a given size: shapes and checks of native/Pool.h, MaxPooling.cpp, AveragePool{2,3}d.cpp.
#include "ops/pool.h"

#include "ops/pool_plan.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

constexpr const char* kCounts[] = {"", "one int", "two ints", "three ints"};

struct Window {
  Dims kernel, stride, padding, dilation;
};

Dims spread(const Dims& values, int64_t spatial, std::string_view op, std::string_view what, std::string_view words) {
  FLAMBEAU_CHECK(values.size() == 1 || int64_t(values.size()) == spatial, op, ": ", what, " ", words,
                 " a single int, or a tuple of ", kCounts[spatial]);
  return values.size() == 1 ? Dims(size_t(spatial), values[0]) : values;
}

Window window_of(int64_t spatial, std::string_view op, const Dims& kernel, const OptionalDims& stride,
                 const Dims& padding, const Dims& dilation) {
  Window w;
  w.kernel = spread(kernel, spatial, op, "kernel_size", op == "avg_pool3d" ? "must be" : "must either be");
  w.stride = stride && !stride->empty() ? spread(*stride, spatial, op, "stride", "must either be omitted,") : w.kernel;
  w.padding = spread(padding, spatial, op, "padding", op == "avg_pool3d" ? "must be" : "must either be");
  w.dilation = spread(dilation, spatial, op, "dilation", "must be either");
  return w;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

int64_t output_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode) {
  FLAMBEAU_CHECK(stride != 0, "stride should not be zero");
  FLAMBEAU_CHECK(padding >= 0, "pad must be non-negative, but got pad: ", padding);
  FLAMBEAU_CHECK(padding <= ((kernel - 1) * dilation + 1) / 2,
                 "pad should be at most half of effective kernel size, but got pad=", padding, ", kernel_size=", kernel,
                 " and dilation=", dilation);
  int64_t out = floor_div(in + 2 * padding - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0), stride) + 1;
  // The last window must start inside the input or its left padding.
  if (ceil_mode && (out - 1) * stride >= in + padding) --out;
  return out;
}

std::string sizes_by_x(int64_t channels, IntSpan sizes) {
  std::string text = str("(", channels);
  for (const int64_t size : sizes) text += str("x", size);
  return text + ")";
}

// Two or three spatial dimensions, as the names of PyTorch's messages have them.
void check_input(const Tensor& self, int64_t spatial) {
  const int64_t ndim = self.dim();
  FLAMBEAU_CHECK(ndim == spatial + 1 || ndim == spatial + 2, "non-empty ", spatial + 1, "D or ", spatial + 2,
                 "D (batch mode) tensor expected for input");
  bool valid = true;
  for (int64_t i = ndim == spatial + 2 ? 1 : 0; i < ndim; ++i) valid &= self.size(i) != 0;
  FLAMBEAU_CHECK(valid, "Expected ", spatial + 1, "D or ", spatial + 2,
                 "D (batch mode) tensor with optional 0 dim batch size for input, but got:", self.sizes());
}

Dims output_sizes(const Tensor& self, int64_t spatial, const Window& w, bool ceil_mode) {
  Dims out;
  for (int64_t i = 0; i < spatial; ++i)
    out.push_back(output_size(self.size(self.dim() - spatial + i), w.kernel[size_t(i)], w.stride[size_t(i)],
                              w.padding[size_t(i)], w.dilation[size_t(i)], ceil_mode));
  bool large_enough = true;
  for (const int64_t size : out) large_enough &= size >= 1;
  const Dims in(IntSpan(self.sizes().data() + self.dim() - spatial, size_t(spatial)));
  const int64_t channels = self.size(self.dim() - spatial - 1);
  FLAMBEAU_CHECK(large_enough, "Given input size: ", sizes_by_x(channels, in),
                 ". Calculated output size: ", sizes_by_x(channels, out), ". Output size is too small");
  return out;
}

std::tuple<Tensor, Tensor> max_pool(const Tensor& self, int64_t spatial, std::string_view op, std::string_view node,
                                    const Window& w, bool ceil_mode) {
  const Dims out = output_sizes(self, spatial, w, ceil_mode);
  auto plan = make_pool_plan(self, spatial, out);
  for (int64_t i = 3 - spatial; i < 3; ++i) {
    const size_t j = size_t(i - (3 - spatial));
    plan->step[i] = w.dilation[j];
    for (int64_t o = 0; o < plan->out[i]; ++o) {
      int64_t begin = o * w.stride[j] - w.padding[j];
      plan->end[i].push_back(std::min(begin + (w.kernel[j] - 1) * w.dilation[j] + 1, plan->in[i]));
      while (begin < 0) begin += w.dilation[j];
      plan->begin[i].push_back(begin);
    }
    plan->count[i].assign(size_t(plan->out[i]), 1);
  }
  return max_over(self, plan, op, node);
}

std::tuple<Tensor, Tensor> checked_max_pool(int64_t spatial, std::string_view op, std::string_view node,
                                            const Tensor& self, const Dims& kernel_size, const OptionalDims& stride,
                                            const Dims& padding, const Dims& dilation, bool ceil_mode) {
  const Window w = window_of(spatial, op, kernel_size, stride, padding, dilation);
  for (const int64_t s : w.stride) FLAMBEAU_CHECK(s != 0, "stride should not be zero");
  FLAMBEAU_CHECK(spatial != 2 || (w.dilation[0] > 0 && w.dilation[1] > 0),
                 "dilation should be greater than zero, but got dilationH: ", w.dilation[0],
                 " dilationW: ", w.dilation[1]);
  for (const int64_t d : w.dilation) FLAMBEAU_CHECK(d > 0, "dilation should be greater than zero");
  check_input(self, spatial);
  return max_pool(self, spatial, op, node, w, ceil_mode);
}

Tensor avg_pool(const Tensor& self, int64_t spatial, std::string_view op, const Window& w, bool ceil_mode,
                bool count_include_pad, std::optional<int64_t> divisor_override) {
  FLAMBEAU_CHECK(!divisor_override || *divisor_override != 0, "divisor must be not zero");
  const Dims out = output_sizes(self, spatial, w, ceil_mode);
  auto plan = make_pool_plan(self, spatial, out);
  for (int64_t i = 3 - spatial; i < 3; ++i) {
    const size_t j = size_t(i - (3 - spatial));
    for (int64_t o = 0; o < plan->out[i]; ++o) {
      const int64_t begin = o * w.stride[j] - w.padding[j];
      const int64_t end = std::min(begin + w.kernel[j], plan->in[i] + w.padding[j]);
      plan->begin[i].push_back(std::max<int64_t>(begin, 0));
      plan->end[i].push_back(std::min(end, plan->in[i]));
      const int64_t inside = plan->end[i].back() - plan->begin[i].back();
      plan->count[i].push_back(divisor_override ? 1 : count_include_pad ? end - begin : inside);
    }
  }
  if (divisor_override) plan->count[2].assign(size_t(plan->out[2]), *divisor_override);
  const bool three = spatial == 3;
  return mean_over(self, plan, op, three ? "AvgPool3DBackward0" : "AvgPool2DBackward0",
                   three ? "AvgPool3DBackwardBackward0" : "AvgPool2DBackwardBackward0");
}

}  // namespace

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride_in, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode) {
  FLAMBEAU_CHECK(self.dim() == 2 || self.dim() == 3,
                 "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:",
                 self.sizes());
  const Dims stride = stride_in && !stride_in->empty() ? *stride_in : kernel_size;
  const auto check_one = [](const Dims& values, std::string_view what) {
    FLAMBEAU_CHECK(values.size() == 1, "max_pool1d() ", what,
                   " must be an int, list of ints or tuple of ints of size 1 but got size ", values.size());
  };
  check_one(kernel_size, "kernel_size");
  check_one(stride, "stride");
  check_one(padding, "padding");
  check_one(dilation, "dilation");
  FLAMBEAU_CHECK(kernel_size[0] > 0, "max_pool1d() kernel_size must be greater than zero, but got ", kernel_size[0]);
  FLAMBEAU_CHECK(stride[0] > 0, "max_pool1d() stride must be greater than zero, but got ", stride[0]);
  FLAMBEAU_CHECK(padding[0] >= 0, "max_pool1d() padding must be non-negative, but got ", padding[0]);
  FLAMBEAU_CHECK(padding[0] <= kernel_size[0] / 2,
                 "max_pool1d() padding should be at most half of kernel size, but got padding=", padding[0],
                 " and kernel_size=", kernel_size[0]);
  FLAMBEAU_CHECK(dilation[0] > 0, "max_pool1d() dilation must be greater than zero, but got ", dilation[0]);
  const int64_t out = output_size(self.size(-1), kernel_size[0], stride[0], padding[0], dilation[0], ceil_mode);
  FLAMBEAU_CHECK(out > 0, "max_pool1d() Invalid computed output size: ", out);
  return max_pool(self, 1, "max_pool2d", "MaxPool2DWithIndicesBackward0", {kernel_size, stride, padding, dilation},
                  ceil_mode);
}

std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode) {
  return checked_max_pool(2, "max_pool2d", "MaxPool2DWithIndicesBackward0", self, kernel_size, stride, padding,
                          dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, const Dims& kernel_size,
                                                   const OptionalDims& stride, const Dims& padding,
                                                   const Dims& dilation, bool ceil_mode) {
  return checked_max_pool(3, "max_pool3d", "MaxPool3DWithIndicesBackward0", self, kernel_size, stride, padding,
                          dilation, ceil_mode);
}

Tensor max_pool1d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode) {
  return std::get<0>(max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode) {
  return std::get<0>(max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  const Dims& dilation, bool ceil_mode) {
  return std::get<0>(max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

Tensor avg_pool1d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad) {
  FLAMBEAU_CHECK(self.dim() == 2 || self.dim() == 3, "Expected 2 to 3 dimensions, but got ", self.dim(),
                 "-dimensional tensor for argument #1 'self' (while checking arguments for avg_pool1d)");
  const Dims steps = stride && !stride->empty() ? *stride : kernel_size;
  const Tensor wide = unsqueeze(self, -2);
  return squeeze_dims(avg_pool(wide, 2, "avg_pool2d", {{1, kernel_size[0]}, {1, steps[0]}, {0, padding[0]}, {1, 1}},
                               ceil_mode, count_include_pad, {}),
                      {-2});
}

Tensor avg_pool2d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  const Window w = window_of(2, "avg_pool2d", kernel_size, stride, padding, {1});
  FLAMBEAU_CHECK(!divisor_override || *divisor_override != 0, "divisor must be not zero");
  self.size(-3);
  for (const int64_t s : w.stride) FLAMBEAU_CHECK(s != 0, "stride should not be zero");
  check_input(self, 2);
  return avg_pool(self, 2, "avg_pool2d_out_frame", w, ceil_mode, count_include_pad, divisor_override);
}

Tensor avg_pool3d(const Tensor& self, const Dims& kernel_size, const OptionalDims& stride, const Dims& padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  const Window w = window_of(3, "avg_pool3d", kernel_size, stride, padding, {1});
  FLAMBEAU_CHECK(self.dim() == 4 || self.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input");
  FLAMBEAU_CHECK(!divisor_override || *divisor_override != 0, "divisor must be not zero");
  check_input(self, 3);
  const int64_t t = self.size(-3), h = self.size(-2), x = self.size(-1);
  FLAMBEAU_CHECK(
      t >= w.kernel[0] - 2 * w.padding[0] && h >= w.kernel[1] - 2 * w.padding[1] && x >= w.kernel[2] - 2 * w.padding[2],
      "input image (T: ", t, " H: ", h, " W: ", x, ") smaller than kernel size (kT: ", w.kernel[0],
      " kH: ", w.kernel[1], " kW: ", w.kernel[2], ")");
  return avg_pool(self, 3, "avg_pool3d_out_frame", w, ceil_mode, count_include_pad, divisor_override);
}

}  // namespace flambeau::ops
