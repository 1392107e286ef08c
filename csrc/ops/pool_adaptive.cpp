// Adaptive pooling (AdaptiveAveragePooling*.cpp, AdaptiveMaxPooling*.cpp), and max_unpool (MaxUnpooling.cpp).
#include "ops/copy.h"
#include "ops/linear_map.h"
#include "ops/pool.h"
#include "ops/pool_plan.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

void check_adaptive(const Tensor& self, int64_t spatial, std::string_view op, bool colon) {
  const int64_t ndim = self.dim();
  FLAMBEAU_CHECK(ndim == spatial + 1 || ndim == spatial + 2, op, "(): Expected ", spatial + 1, "D or ", spatial + 2,
                 "D tensor, but got", colon ? ": " : " ", self.sizes());
  for (int64_t i = ndim == spatial + 2 ? 1 : 0; i < ndim; ++i)
    FLAMBEAU_CHECK(self.size(i) > 0, op,
                   "(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
                   self.sizes(), " with dimension ", i, " being empty");
}

void check_one_dimensional(const Tensor& self, std::string_view op) {
  FLAMBEAU_CHECK(self.dim() == 2 || self.dim() == 3, "Expected 2 to 3 dimensions, but got ", self.dim(),
                 "-dimensional tensor for argument #1 'self' (while checking arguments for ", op, ")");
}

Tensor adaptive_avg_pool(const Tensor& self, int64_t spatial, const Dims& output_size, std::string_view op,
                         std::string_view node, std::string_view backward_node) {
  FLAMBEAU_CHECK(int64_t(output_size.size()) == spatial, op, ": output_size must be ", spatial);
  bool positive = true, ones = true;
  std::string listed;
  for (const int64_t size : output_size) {
    positive &= size >= 0;
    ones &= size == 1;
    listed += str(listed.empty() ? "" : ", ", size);
  }
  FLAMBEAU_CHECK(positive, op, ": elements of output_size must be greater than or equal to 0 but received {", listed,
                 "}");
  check_adaptive(self, spatial, op, false);
  if (!ones) return mean_over(self, adaptive_plan(self, spatial, output_size), op, node, backward_node);
  Dims dims;
  for (int64_t i = spatial; i > 0; --i) dims.push_back(-i);
  return mean(self, dims, true);
}

std::tuple<Tensor, Tensor> adaptive_max_pool(const Tensor& self, int64_t spatial, const Dims& output_size,
                                             std::string_view op, std::string_view node) {
  check_adaptive(self, spatial, op, true);
  FLAMBEAU_CHECK(int64_t(output_size.size()) == spatial, op, "(): internal error: output_size.size() must be ",
                 spatial);
  return max_over(self, adaptive_plan(self, spatial, output_size), op, node);
}

Dims repeated(const Dims& values, int64_t count) {
  return values.size() == 1 ? Dims(size_t(count), values[0]) : values;
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& self, const Dims& output_size) {
  check_one_dimensional(self, "adaptive_avg_pool1d");
  return squeeze_dims(adaptive_avg_pool2d(unsqueeze(self, -2), {1, output_size[0]}), {-2});
}
Tensor adaptive_avg_pool2d(const Tensor& self, const Dims& output_size) {
  return adaptive_avg_pool(self, 2, repeated(output_size, 2), "adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0",
                           "AdaptiveAvgPool2DBackwardBackward0");
}
Tensor adaptive_avg_pool3d(const Tensor& self, const Dims& output_size) {
  return adaptive_avg_pool(self, 3, repeated(output_size, 3), "adaptive_avg_pool3d", "AdaptiveAvgPool3DBackward0",
                           "AdaptiveAvgPool3DBackwardBackward0");
}

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, const Dims& output_size) {
  check_one_dimensional(self, "adaptive_max_pool1d");
  return max_over(self, adaptive_plan(self, 1, {output_size[0]}), "adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0");
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, const Dims& output_size) {
  return adaptive_max_pool(self, 2, repeated(output_size, 2), "adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0");
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, const Dims& output_size) {
  return adaptive_max_pool(self, 3, repeated(output_size, 3), "adaptive_max_pool3d", "AdaptiveMaxPool3DBackward0");
}

namespace {

Tensor unpool(const Tensor& self, const Tensor& indices, int64_t spatial, const Dims& output_size,
              std::string_view node) {
  FLAMBEAU_CHECK(indices.dtype() == DType::Int64,
                 "elements in indices should be type int64 but got: ", indices.dtype());
  FLAMBEAU_CHECK(self.sizes() == indices.sizes(), "Expected shape of indices to be same as that of the input tensor (",
                 self.sizes(), ") but got indices tensor with shape: ", indices.sizes());
  Dims sizes(IntSpan(self.sizes().data(), size_t(self.dim() - spatial)));
  const int64_t planes = numel_of(sizes), volume = numel_of(output_size);
  for (const int64_t size : output_size) sizes.push_back(size);
  const int64_t count = planes ? self.numel() / planes : 0;
  const Tensor where = raw_contiguous(indices);
  const int64_t* at = where.data<int64_t>();
  for (int64_t i = 0; i < where.numel(); ++i) {
    if (at[i] >= 0 && at[i] < volume) continue;
    std::string shape;
    for (const int64_t size : output_size) shape += str(shape.empty() ? "" : "x", size);
    throw Error(str("Found an invalid max index: ", at[i], " (output volumes are of size ", shape, ")"));
  }
  auto map = std::make_shared<LinearMap>();
  map->name = map->backward_name = node;
  map->forward = [=](const Tensor& x) {
    const Tensor values = raw_contiguous(x), out = zeros(sizes, x.dtype());
    visit_floating("max_unpooling2d", x.dtype(), [&]<class T>(Type<T>) {
      for (int64_t i = 0; i < values.numel(); ++i)
        out.data<T>()[i / count * volume + where.data<int64_t>()[i]] = values.data<T>()[i];
    });
    return out;
  };
  map->adjoint = [=, small = self.sizes()](const Tensor& grad) {
    const Tensor g = raw_contiguous(grad), out = empty(small, grad.dtype());
    visit_floating("max_unpooling2d_backward", grad.dtype(), [&]<class T>(Type<T>) {
      for (int64_t i = 0; i < out.numel(); ++i)
        out.data<T>()[i] = g.data<T>()[i / count * volume + where.data<int64_t>()[i]];
    });
    return out;
  };
  return apply_linear_map(map, self);
}

}  // namespace

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, const Dims& output_size) {
  FLAMBEAU_CHECK(output_size.size() == 2,
                 "There should be exactly two elements (height, width) in output_size, but got ", output_size.size(),
                 " elements.");
  FLAMBEAU_CHECK(self.dim() == 3 || self.dim() == 4,
                 "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with ", self.dim(),
                 " dimensions.");
  return unpool(self, indices, 2, output_size, "MaxUnpool2DBackward0");
}

Tensor max_unpool3d(const Tensor& self, const Tensor& indices, const Dims& output_size, const Dims& stride,
                    const Dims& padding) {
  FLAMBEAU_CHECK(self.dim() == 4 || self.dim() == 5,
                 "Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with ", self.dim(),
                 " dimensions.");
  FLAMBEAU_CHECK(output_size.size() == 3,
                 "There should be exactly three elements (depth, height, width) in output_size, but got ",
                 output_size.size(), " elements.");
  FLAMBEAU_CHECK(stride.size() == 3,
                 "There should be exactly three elements (depth, height, width) in stride, but got: ", stride.size(),
                 " elements.");
  FLAMBEAU_CHECK(padding.size() == 3,
                 "There should be exactly three elements (depth, height, width) in padding, but got: ", padding.size(),
                 " elements.");
  for (const int64_t step : stride)
    FLAMBEAU_CHECK(step > 0, "strides should be greater than zero, but got stride: ", stride);
  return unpool(self, indices, 3, output_size, "MaxUnpool3DBackward0");
}

}  // namespace flambeau::ops
