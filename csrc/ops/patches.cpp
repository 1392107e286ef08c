// im2col and col2im: sliding blocks of (N, C, H, W) as columns (N, C * kH * kW, L), and their sum back
// (native/Im2Col.cpp, Col2Im.cpp). Padding is done first, so that every block lies within the tensor; where blocks
// overlap, col2im adds in the order of channel and place in the kernel, then of the blocks.
#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

struct Window {
  int64_t kernel[2], dilation[2], padding[2], stride[2];
  int64_t blocks(int d, int64_t size) const {
    const int64_t room = size + 2 * padding[d] - (dilation[d] * (kernel[d] - 1) + 1);
    return room < 0 ? 0 : room / stride[d] + 1;
  }
  int64_t kernel_numel() const { return kernel[0] * kernel[1]; }
};

std::string pair(const int64_t (&values)[2]) { return str("(", values[0], ", ", values[1], ")"); }

Window window_of(const Dims& kernel_size, const Dims& dilation, const Dims& padding, const Dims& stride) {
  Window w;
  const auto take = [](const char* name, const Dims& given, int64_t (&out)[2]) {
    FLAMBEAU_CHECK(given.size() == 2, "It is expected ", name, " equals to 2, but got size ", given.size());
    out[0] = given[0];
    out[1] = given[1];
  };
  take("kernel_size", kernel_size, w.kernel);
  take("dilation", dilation, w.dilation);
  take("padding", padding, w.padding);
  take("stride", stride, w.stride);
  const auto positive = [](const char* name, const char* what, const int64_t (&v)[2]) {
    FLAMBEAU_CHECK(v[0] > 0 && v[1] > 0, name, " should be greater than zero, but got ", what, "_height: ", v[0], " ",
                   what, "_width: ", v[1]);
  };
  positive("kernel size", "kernel", w.kernel);
  positive("dilation", "dilation", w.dilation);
  FLAMBEAU_CHECK(w.padding[0] >= 0 && w.padding[1] >= 0,
                 "padding should be non-negative, but got pad_height: ", w.padding[0], " pad_width: ", w.padding[1]);
  positive("stride", "stride", w.stride);
  return w;
}

// Columns against a padded, contiguous (N, C, H, W).
BlockPlan plan_columns(const Tensor& padded, const Window& w) {
  const int64_t h = padded.size(2), width = padded.size(3);
  const int64_t rows = (h - w.dilation[0] * (w.kernel[0] - 1) - 1) / w.stride[0] + 1;
  const int64_t columns = (width - w.dilation[1] * (w.kernel[1] - 1) - 1) / w.stride[1] + 1;
  BlockPlan plan;
  plan.set_outer({padded.size(0)}, {padded.stride(0)});
  plan.rows = offsets_of({padded.size(1), w.kernel[0], w.kernel[1]}, {h * width, w.dilation[0] * width, w.dilation[1]});
  plan.set_inner({rows, columns}, {w.stride[0] * width, w.stride[1]});
  return plan;
}

void check_floating(const char* name, const Tensor& t) {
  if (!t.is_floating() && t.dtype() != DType::Bool) not_implemented_for(name, t.dtype());
}

}  // namespace

Tensor im2col(const Tensor& self, const Dims& kernel_size, const Dims& dilation, const Dims& padding,
              const Dims& stride) {
  const Window w = window_of(kernel_size, dilation, padding, stride);
  const bool batched = self.dim() == 4;
  bool valid = self.dim() == 3 || batched;
  for (int64_t d = batched ? 1 : 0; valid && d < self.dim(); ++d) valid = self.size(d) != 0;
  FLAMBEAU_CHECK(valid,
                 "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
                 "input, but got: ",
                 self.sizes());
  const int64_t h = self.size(-2), width = self.size(-1), rows = w.blocks(0, h), columns = w.blocks(1, width);
  FLAMBEAU_CHECK(rows >= 1 && columns >= 1, "Given input with spatial size (", h, ", ", width,
                 "), kernel_size=", pair(w.kernel), ", dilation=", pair(w.dilation), ", padding=", pair(w.padding),
                 ", calculated shape of the array of sliding blocks as (", rows, ", ", columns,
                 "), but its components must be at least one.");
  check_floating("im2col_out_cpu", self);
  Tensor out;
  {
    GradMode off(false);
    const Tensor batch = batched ? self : unsqueeze(self, 0);
    const Tensor padded = constant_pad_nd(batch, {w.padding[1], w.padding[1], w.padding[0], w.padding[0]}, 0);
    out = empty({batch.size(0), batch.size(1) * w.kernel_numel(), rows * columns}, self.dtype());
    read_blocks(plan_columns(padded, w), padded, out);
    if (!batched) out = alias(select(out, 0, 0));
  }
  return record("Im2ColBackward0", out, {self}, [&] {
    return [=](const Tensor& grad, Needs) {
      return TensorList{col2im(grad, {h, width}, kernel_size, dilation, padding, stride)};
    };
  });
}

Tensor col2im(const Tensor& self, const Dims& output_size, const Dims& kernel_size, const Dims& dilation,
              const Dims& padding, const Dims& stride) {
  FLAMBEAU_CHECK(output_size.size() == 2, "It is expected output_size equals to 2, but got size ", output_size.size());
  const Window w = window_of(kernel_size, dilation, padding, stride);
  const bool batched = self.dim() == 3;
  FLAMBEAU_CHECK(
      (self.dim() == 2 && self.size(0) && self.size(1)) || (batched && self.size(1) && self.size(2)),
      "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
      "input, but got: ",
      self.sizes());
  const int64_t planes = self.size(-2), length = self.size(-1);
  FLAMBEAU_CHECK(planes % w.kernel_numel() == 0,
                 "Expected size of input's dimension 1 to be divisible by the product of "
                 "kernel_size, but got input.size(1)=",
                 planes, " and kernel_size=", pair(w.kernel), ".");
  const int64_t h = output_size[0], width = output_size[1], rows = w.blocks(0, h), columns = w.blocks(1, width);
  const std::string given =
      str("Given output_size=(", h, ", ", width, "), kernel_size=", pair(w.kernel), ", dilation=", pair(w.dilation),
          ", padding=", pair(w.padding), ", stride=", pair(w.stride), ", expected ");
  FLAMBEAU_CHECK(length == rows * columns, given,
                 "size of input's dimension 2 to match the calculated number of sliding blocks ", rows, " * ", columns,
                 " = ", rows * columns, ", but got input.size(2)=", length, ".");
  FLAMBEAU_CHECK(h >= 1 && width >= 1, "Expected output spatial size to be positive, but got: output_size=(", h, ", ",
                 width, ").");
  check_floating("col2im_out_cpu", self);
  Tensor out;
  {
    GradMode off(false);
    const int64_t batch = batched ? self.size(0) : 1, channels = planes / w.kernel_numel();
    const Tensor padded = zeros({batch, channels, h + 2 * w.padding[0], width + 2 * w.padding[1]}, self.dtype());
    add_blocks(plan_columns(padded, w), padded, raw_contiguous(self));
    out = constant_pad_nd(padded, {-w.padding[1], -w.padding[1], -w.padding[0], -w.padding[0]}, 0);
    if (!batched) out = alias(select(out, 0, 0));
  }
  return record("Col2ImBackward0", out, {self}, [&] {
    return [=](const Tensor& grad, Needs) { return TensorList{im2col(grad, kernel_size, dilation, padding, stride)}; };
  });
}

}  // namespace flambeau::ops
