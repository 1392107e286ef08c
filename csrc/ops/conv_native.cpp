// Convolutions that PyTorch does not hand to oneDNN: small ones of a single image, by vol2col, one BLAS product and
// col2vol (ConvolutionMM2d.cpp, ConvolutionMM3d.cpp, NaiveDilatedConvolution.cpp, NaiveConvolutionTranspose2d.cpp and
// NaiveConvolutionTranspose3d.cpp, which all order their sums alike). float32 only.
#include "numerics/profile.h"
#include "ops/conv_plan.h"
#include "ops/gemm.h"
#include "ops/scratch.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

// Rows (channel, kernel position), columns the output's positions; zero where a position falls outside the image.
void vol2col(const ConvPlan& p, const float* image, float* columns) {
  std::vector<ConvTap> taps;
  for (int64_t c = 0; c < p.c_group; ++c)
    for (int64_t d = 0; d < p.kernel[0]; ++d)
      for (int64_t h = 0; h < p.kernel[1]; ++h)
        for (int64_t w = 0; w < p.kernel[2]; ++w)
          taps.push_back(
              {c * p.in_plane,
               {d * p.dilation[0] - p.padding[0], h * p.dilation[1] - p.padding[1], w * p.dilation[2] - p.padding[2]}});
  ConvArgs<float> args;
  args.source = image;
  std::copy_n(p.in, 3, args.size);
  std::copy_n(p.out, 3, args.grid);
  std::copy_n(p.stride, 3, args.step);
  args.taps = taps.data(), args.tap_count = int64_t(taps.size());
  args.end = p.out_plane;
  args.out = columns, args.out_stride = p.out_plane;
  kernels::conv().of<float>().columns(args);
}

// The sum of every row's elements where vol2col read them: from zero, kernel positions in rising order.
void col2vol(const ConvPlan& p, const float* columns, float* image) {
  std::fill_n(image, p.c_group * p.in_plane, 0.0f);
  const auto place = [&](int i, int64_t k, int64_t at) { return at * p.stride[i] + k * p.dilation[i] - p.padding[i]; };
  for (int64_t c = 0; c < p.c_group; ++c, image += p.in_plane)
    for (int64_t kd = 0; kd < p.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < p.kernel[1]; ++kh)
        for (int64_t kw = 0; kw < p.kernel[2]; ++kw)
          for (int64_t d = 0; d < p.out[0]; ++d)
            for (int64_t h = 0; h < p.out[1]; ++h, columns += p.out[2]) {
              const int64_t at_d = place(0, kd, d), at_h = place(1, kh, h);
              if (at_d < 0 || at_d >= p.in[0] || at_h < 0 || at_h >= p.in[1]) continue;
              float* row = image + (at_d * p.in[1] + at_h) * p.in[2];
              for (int64_t w = 0; w < p.out[2]; ++w)
                if (const int64_t at = place(2, kw, w); at >= 0 && at < p.in[2]) row[at] += columns[w];
            }
}

// Calls f(image's and group's number in x and y, group).
template <class F>
void for_each_part(const ConvPlan& p, F&& f) {
  for (int64_t part = 0; part < p.n * p.groups; ++part) f(part, part % p.groups);
}

}  // namespace

bool conv_is_native(const ConvPlan& p) {
  const int64_t* input = p.transposed ? p.out : p.in;
  bool strided = false, dilated = false;
  for (int i = 0; i < 3; ++i) {
    strided |= p.stride[i] != 1;
    dilated |= p.dilation[i] != 1;
    const int64_t least = (p.out[i] - 1) * p.stride[i] - 2 * p.padding[i] + p.dilation[i] * (p.kernel[i] - 1) + 1;
    if (p.transposed && p.in[i] - least >= p.stride[i]) return true;
  }
  const bool threads = profile().threads > 1;
  if (!(strided || dilated || p.n >= 16 || p.kernel[2] != 1 || p.kernel[1] != 1 || threads)) return true;
  // PyTorch counts the first two spatial dimensions only.
  const int64_t counted = p.dims == 3 ? input[0] * input[1] : input[1] * input[2];
  return !(p.groups > 1 || (p.kernel[2] > 3 && p.kernel[1] > 3) || p.n > 1 ||
           p.n * (p.transposed ? p.o : p.c) * counted > 20480);
}

void native_forward(const ConvPlan& p, float* y, const float* x, const float* weight, const Tensor& bias) {
  const int64_t terms = p.c_group * p.kernel_size;
  Scratch<float> columns(terms * p.out_plane);
  for_each_part(p, [&](int64_t part, int64_t group) {
    vol2col(p, x + part * p.c_group * p.in_plane, columns.get());
    GemmArgs<float> g;
    g.m = p.out_plane, g.n = p.o_group, g.k = terms;
    g.a = columns.get(), g.a_m = 1, g.a_k = p.out_plane;
    g.b = weight + group * p.o_group * terms, g.b_k = 1, g.b_n = terms;
    g.c = y + part * p.o_group * p.out_plane, g.ldc = p.out_plane;
    g.accumulate = bias.defined();
    if (bias.defined())
      for (int64_t o = 0; o < p.o_group; ++o)
        std::fill_n(g.c + o * p.out_plane, p.out_plane, bias.data<float>()[group * p.o_group + o]);
    gemm(g, p.n > 1);
  });
}

void native_grad_input(const ConvPlan& p, float* grad_x, const float* grad, const float* weight, const Tensor& bias) {
  const int64_t terms = p.c_group * p.kernel_size;
  Scratch<float> columns(terms * p.out_plane);
  for_each_part(p, [&](int64_t part, int64_t group) {
    GemmArgs<float> g;
    g.m = p.out_plane, g.n = terms, g.k = p.o_group;
    g.a = grad + part * p.o_group * p.out_plane, g.a_m = 1, g.a_k = p.out_plane;
    g.b = weight + group * p.o_group * terms, g.b_k = terms, g.b_n = 1, g.transposed_b = true;
    g.c = columns.get(), g.ldc = p.out_plane;
    gemm(g, p.n > 1 && !p.transposed);
    float* image = grad_x + part * p.c_group * p.in_plane;
    col2vol(p, columns.get(), image);
    if (!bias.defined()) return;  // a transposed convolution adds its bias last
    for (int64_t i = 0; i < p.c_group * p.in_plane; ++i)
      image[i] += bias.data<float>()[group * p.c_group + i / p.in_plane];
  });
}

void native_grad_weight(const ConvPlan& p, float* grad_w, const float* grad, const float* x) {
  const int64_t terms = p.c_group * p.kernel_size;
  std::fill_n(grad_w, p.o * terms, 0.0f);
  Scratch<float> columns(terms * p.out_plane);
  for_each_part(p, [&](int64_t part, int64_t group) {
    vol2col(p, x + part * p.c_group * p.in_plane, columns.get());
    GemmArgs<float> g;
    g.m = terms, g.n = p.o_group, g.k = p.out_plane;
    g.a = columns.get(), g.a_m = p.out_plane, g.a_k = 1, g.transposed_a = true;
    g.b = grad + part * p.o_group * p.out_plane, g.b_k = 1, g.b_n = p.out_plane;
    g.c = grad_w + group * p.o_group * terms, g.ldc = terms;
    g.accumulate = true;
    gemm(g);
  });
}

}  // namespace flambeau::ops
