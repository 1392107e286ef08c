// Orders follow oneDNN 3.12 as PyTorch 2.13.0 uses it, for its direct and 1x1 kernels with one thread: forward, unit
// stride input gradient and weight gradient of the usual shapes. Strided input gradients and the cut of weight
// gradients among threads are ours.
#include "ops/conv_raw.h"

#include <vector>

#include "numerics/profile.h"
#include "ops/conv_plan.h"
#include "ops/copy.h"
#include "ops/gemm.h"
#include "ops/scratch.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

using Plan = ConvPlan;

Plan make_plan(const Tensor& x, const Tensor& y, const Tensor& weight, const ConvGeometry& g) {
  Plan p{};
  const int64_t dims = x.dim() - 2, missing = 3 - dims;
  p.n = x.size(0), p.c = x.size(1), p.o = y.size(1), p.groups = g.groups;
  p.dims = dims, p.transposed = g.transposed;
  for (int64_t i = 0; i < 3; ++i) {
    const bool real = i >= missing;
    const size_t j = size_t(i - missing);
    p.in[i] = real ? x.size(int64_t(j) + 2) : 1;
    p.out[i] = real ? y.size(int64_t(j) + 2) : 1;
    p.kernel[i] = real ? weight.size(int64_t(j) + 2) : 1;
    p.stride[i] = real ? g.stride[j] : 1;
    p.padding[i] = real ? g.padding[j] : 0;
    p.dilation[i] = real ? g.dilation[j] : 1;
  }
  p.in_plane = p.in[0] * p.in[1] * p.in[2];
  p.out_plane = p.out[0] * p.out[1] * p.out[2];
  p.kernel_size = p.kernel[0] * p.kernel[1] * p.kernel[2];
  p.c_group = p.c / p.groups, p.o_group = p.o / p.groups;
  return p;
}

// Channels per block of oneDNN's direct kernels.
int64_t channel_block(const Plan& p) {
  if (profile().onednn == OneDnnIsa::Avx2) return 8;
  const auto both = [&](int64_t n) { return p.c_group % n == 0 && p.o_group % n == 0; };
  return p.groups == 1 || both(16) ? 16 : both(8) ? 8 : 4;
}

// AVX-512 sums each block of channels from zero; AVX2 runs one chain through all of them.
KBlocks blocks_of(const Plan& p, int64_t block, int64_t taps, int64_t channels) {
  if (p.kernel_size == 1 && channels <= 64) return {.length = 256, .chained = true};
  if (profile().onednn == OneDnnIsa::Avx2) return {.length = 256, .chained = true};
  return {.length = std::max<int64_t>(1, std::min(block, channels) * taps)};
}
template <class T>
KBlocks blocks_for(const Plan& p, int64_t block, int64_t taps, int64_t channels) {
  if constexpr (sizeof(T) == 8) return {.length = 256, .chained = true};
  else return blocks_of(p, block, taps, channels);
}

// Calls f(channel, kernel position, (kd, kh, kw)) in the order of the sum: blocks of channels, then kernel
// positions, then the channels of a block.
template <class F>
void for_each_tap(const Plan& p, int64_t channels, int64_t block, F&& f) {
  for (int64_t c0 = 0; c0 < channels; c0 += block)
    for (int64_t d = 0; d < p.kernel[0]; ++d)
      for (int64_t h = 0; h < p.kernel[1]; ++h)
        for (int64_t w = 0; w < p.kernel[2]; ++w)
          for (int64_t c = c0; c < std::min(c0 + block, channels); ++c)
            f(c, (d * p.kernel[1] + h) * p.kernel[2] + w, d, h, w);
}

std::vector<ConvTap> forward_taps(const Plan& p, int64_t block) {
  std::vector<ConvTap> taps;
  taps.reserve(size_t(p.c_group * p.kernel_size));
  for_each_tap(p, p.c_group, block, [&](int64_t c, int64_t, int64_t d, int64_t h, int64_t w) {
    taps.push_back(
        {c * p.in_plane,
         {d * p.dilation[0] - p.padding[0], h * p.dilation[1] - p.padding[1], w * p.dilation[2] - p.padding[2]}});
  });
  return taps;
}

// One product over a grid of positions: out (images, groups * outputs, positions) from source, weights (groups *
// outputs, taps) in the taps' order.
template <class T>
struct Work {
  int64_t images, groups, outputs;
  const T* source;
  int64_t source_group;           // elements from one group's channels to the next
  std::vector<ConvTap> taps;
  const T* weights;
  KBlocks blocks;
  ConvArgs<T> args;               // source sizes, grid, step
  T* out;
  int64_t positions;
  bool accumulate;
};

inline constexpr int64_t kFewOutputs = 3;  // so few are not worth a gathered panel

template <class T>
void run(Work<T>& work) {
  const auto& kernel = kernels::conv().of<T>();
  const int64_t taps = int64_t(work.taps.size());
  const bool direct = work.outputs <= kFewOutputs;
  const int64_t padded = (work.outputs + 14) * taps;
  Scratch<T> packed(direct ? 1 : work.groups * padded);
  if (!direct)
    for (int64_t g = 0; g < work.groups; ++g)
      kernel.pack(work.weights + g * work.outputs * taps, work.outputs, taps, work.blocks, packed.get() + g * padded);
  if (direct && !work.accumulate)
    std::fill_n(work.out, work.images * work.groups * work.outputs * work.positions, T(0));
  ConvArgs<T> common = work.args;
  common.taps = work.taps.data();
  common.tap_count = taps;
  common.outputs = work.outputs;
  common.out_stride = work.positions;
  common.blocks = work.blocks;
  common.accumulate = work.accumulate;

  // Units of work: panels of positions of every image and group.
  const int64_t panels = (work.positions + kConvPanel - 1) / kConvPanel;
  const int64_t cost = std::max<int64_t>(1, kConvPanel * taps * work.outputs);
  parallel_for(
      0, work.images * work.groups * panels, std::max<int64_t>(1, (1 << 18) / cost), [&](int64_t begin, int64_t end) {
        Scratch<T> scratch(kConvPanel * std::min(taps, work.blocks.length));
        ConvArgs<T> args = common;
        args.scratch = scratch.get();
        for (int64_t unit = begin; unit < end;) {
          const int64_t image = unit / panels / work.groups, group = unit / panels % work.groups, panel = unit % panels;
          const int64_t count = std::min(panels - panel, end - unit);
          args.begin = panel * kConvPanel;
          args.end = std::min(work.positions, (panel + count) * kConvPanel);
          args.source = work.source + (image * work.groups + group) * work.source_group;
          T* out = work.out + (image * work.groups + group) * work.outputs * work.positions + args.begin;
          if (direct) {
            for (int64_t o = 0; o < work.outputs; ++o) {
              args.weights = work.weights + (group * work.outputs + o) * taps;
              args.out = out + o * work.positions;
              kernel.direct(args);
            }
          } else {
            args.weights = packed.get() + group * padded;
            args.out = out;
            kernel.run(args);
          }
          unit += count;
        }
      });
}

template <class T>
void fill_bias(T* out, int64_t images, int64_t channels, int64_t plane, const Tensor& bias) {
  const T* b = bias.data<T>();
  for (int64_t i = 0; i < images * channels; ++i) std::fill_n(out + i * plane, plane, b[i % channels]);
}

template <class T>
void forward(const Plan& p, T* y, const T* x, const T* weight, const Tensor& bias) {
  const int64_t block = p.c_group == 1 ? 1 : channel_block(p), terms = p.c_group * p.kernel_size;
  Work<T> work{.images = p.n,
               .groups = p.groups,
               .outputs = p.o_group,
               .source = x,
               .source_group = p.c_group * p.in_plane,
               .taps = forward_taps(p, block),
               .out = y,
               .positions = p.out_plane,
               .accumulate = bias.defined()};
  work.blocks = blocks_for<T>(p, block, p.kernel_size, p.c_group);
  std::copy_n(p.in, 3, work.args.size);
  std::copy_n(p.out, 3, work.args.grid);
  std::copy_n(p.stride, 3, work.args.step);
  std::vector<T> ordered(size_t(p.o * terms));
  for (int64_t o = 0; o < p.o; ++o) {
    int64_t q = o * terms;
    for_each_tap(p, p.c_group, block, [&](int64_t c, int64_t k, int64_t, int64_t, int64_t) {
      ordered[size_t(q++)] = weight[(o * p.c_group + c) * p.kernel_size + k];
    });
  }
  work.weights = ordered.data();
  if (bias.defined()) fill_bias(y, p.n, p.o, p.out_plane, bias);
  run(work);
}

// What one spatial dimension of the input gradient at residue r modulo the stride reads: kernel positions whose
// output exists, and where in the output, relative to the position's number within its residue.
struct Residue {
  int64_t count;                       // positions r, r + stride ... in the input
  std::vector<int64_t> kernel, at;
};
Residue residue_of(const Plan& p, int i, int64_t r) {
  Residue out;
  out.count = r < p.in[i] ? (p.in[i] - r + p.stride[i] - 1) / p.stride[i] : 0;
  for (int64_t k = 0; k < p.kernel[i]; ++k) {
    const int64_t offset = r + p.padding[i] - k * p.dilation[i];
    if (offset % p.stride[i] != 0) continue;
    out.kernel.push_back(k);
    out.at.push_back(offset / p.stride[i]);
  }
  return out;
}

template <class T>
void grad_input(const Plan& p, T* grad_x, const T* grad, const T* weight, const Tensor& bias) {
  const int64_t block = p.o_group == 1 ? 1 : channel_block(p);
  const bool whole = p.stride[0] * p.stride[1] * p.stride[2] == 1;
  for (int64_t rd = 0; rd < p.stride[0]; ++rd)
    for (int64_t rh = 0; rh < p.stride[1]; ++rh)
      for (int64_t rw = 0; rw < p.stride[2]; ++rw) {
        const Residue residue[3] = {residue_of(p, 0, rd), residue_of(p, 1, rh), residue_of(p, 2, rw)};
        const int64_t positions = residue[0].count * residue[1].count * residue[2].count;
        if (positions == 0) continue;
        Work<T> work{.images = p.n,
                     .groups = p.groups,
                     .outputs = p.c_group,
                     .source = grad,
                     .source_group = p.o_group * p.out_plane,
                     .positions = positions,
                     .accumulate = bias.defined()};
        std::vector<int64_t> from;  // the weight's elements for channel 0, in the taps' order
        const auto& [d, h, w] = residue;
        for (int64_t o0 = 0; o0 < p.o_group; o0 += block)
          for (size_t i = 0; i < d.kernel.size(); ++i)
            for (size_t j = 0; j < h.kernel.size(); ++j)
              for (size_t k = 0; k < w.kernel.size(); ++k)
                for (int64_t o = o0; o < std::min(o0 + block, p.o_group); ++o) {
                  work.taps.push_back({o * p.out_plane, {d.at[i], h.at[j], w.at[k]}});
                  from.push_back(o * p.c_group * p.kernel_size +
                                 (d.kernel[i] * p.kernel[1] + h.kernel[j]) * p.kernel[2] + w.kernel[k]);
                }
        const int64_t terms = int64_t(work.taps.size());
        work.blocks = blocks_for<T>(p, block, int64_t(d.kernel.size() * h.kernel.size() * w.kernel.size()), p.o_group);
        std::copy_n(p.out, 3, work.args.size);
        for (int i = 0; i < 3; ++i) work.args.grid[i] = residue[i].count;
        std::vector<T> ordered(size_t(p.c * terms));
        for (int64_t g = 0; g < p.groups; ++g)
          for (int64_t c = 0; c < p.c_group; ++c)
            for (int64_t q = 0; q < terms; ++q)
              ordered[size_t((g * p.c_group + c) * terms + q)] =
                  weight[g * p.o_group * p.c_group * p.kernel_size + c * p.kernel_size + from[size_t(q)]];
        work.weights = ordered.data();
        const int64_t planes = p.n * p.c;
        Scratch<T> buffer(whole ? 1 : planes * positions);
        work.out = whole ? grad_x : buffer.get();
        if (bias.defined()) fill_bias(work.out, p.n, p.c, positions, bias);
        if (terms > 0) run(work);
        else if (!bias.defined()) std::fill_n(work.out, planes * positions, T(0));
        if (whole) continue;
        const T* source = work.out;
        for (int64_t plane = 0; plane < planes; ++plane)
          for (int64_t i = 0; i < d.count; ++i)
            for (int64_t j = 0; j < h.count; ++j) {
              T* to = grad_x + plane * p.in_plane +
                      ((rd + i * p.stride[0]) * p.in[1] + rh + j * p.stride[1]) * p.in[2] + rw;
              for (int64_t k = 0; k < w.count; ++k) to[k * p.stride[2]] = *source++;
            }
      }
}

template <class T>
void grad_weight(const Plan& p, T* grad_w, const T* grad, const T* x) {
  const auto& kernel = kernels::conv().of<T>();
  const int64_t terms = p.c_group * p.kernel_size;
  const std::vector<ConvTap> taps = forward_taps(p, 1);  // one channel a block: the weight's own order
  std::fill_n(grad_w, p.o * terms, T(0));
  // Every thread has some terms of a group; each element is one chain over all images and positions.
  const int64_t cut = std::max<int64_t>(32, (terms + num_threads() - 1) / num_threads());
  const int64_t parts = (terms + cut - 1) / cut;
  const int64_t cost = std::max<int64_t>(1, p.n * p.out_plane * p.o_group * std::min(cut, terms));
  parallel_for(0, p.groups * parts, std::max<int64_t>(1, (1 << 18) / cost), [&](int64_t begin, int64_t end) {
    const KBlocks blocks{.length = 256, .chained = true};
    const int64_t piece = std::min(p.out_plane, std::max<int64_t>(256, (1 << 16) / std::min(cut, terms) / 256 * 256));
    Scratch<T> columns(std::min(cut, terms) * piece);
    Scratch<T> scratch(gemm_scratch(std::min(cut, terms), p.o_group, piece, blocks));
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t g = unit / parts, q = unit % parts * cut, count = std::min(cut, terms - q);
      ConvArgs<T> args;
      std::copy_n(p.in, 3, args.size);
      std::copy_n(p.out, 3, args.grid);
      std::copy_n(p.stride, 3, args.step);
      args.taps = taps.data() + q;
      args.tap_count = count;
      args.out = columns.get();
      for (int64_t image = 0; image < p.n; ++image) {
        args.source = x + (image * p.groups + g) * p.c_group * p.in_plane;
        for (int64_t at = 0; at < p.out_plane; at += piece) {
          args.begin = at;
          args.end = std::min(p.out_plane, at + piece);
          args.out_stride = args.end - at;
          kernel.columns(args);
          GemmArgs<T> product;
          product.m = count, product.n = p.o_group, product.k = args.end - at;
          product.a = columns.get(), product.a_m = args.out_stride, product.a_k = 1;
          product.b = grad + (image * p.o + g * p.o_group) * p.out_plane + at;
          product.b_k = 1, product.b_n = p.out_plane;
          product.c = grad_w + g * p.o_group * terms + q, product.ldc = terms;
          product.accumulate = true;
          gemm_serial(product, blocks, scratch.get());
        }
      }
    }
  });
}

}  // namespace

void conv_forward(const Tensor& out, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvGeometry& g) {
  const Plan plan = make_plan(x, out, weight, g);
  if (out.numel() == 0) return;
  if (out.dtype() == DType::Float32 && conv_is_native(plan))
    return native_forward(plan, out.data<float>(), x.data<float>(), weight.data<float>(), bias);
  visit_real("slow_conv2d_cpu", out.dtype(),
             [&]<class T>(Type<T>) { forward(plan, out.data<T>(), x.data<T>(), weight.data<T>(), bias); });
}

void conv_grad_input(const Tensor& grad_x, const Tensor& grad, const Tensor& weight, const Tensor& bias,
                     const ConvGeometry& g) {
  const Plan plan = make_plan(grad_x, grad, weight, g);
  if (grad_x.numel() == 0) return;
  if (grad.dtype() == DType::Float32 && conv_is_native(plan))
    return native_grad_input(plan, grad_x.data<float>(), grad.data<float>(), weight.data<float>(), bias);
  visit_real("slow_conv2d_cpu_grad_input", grad.dtype(),
             [&]<class T>(Type<T>) { grad_input(plan, grad_x.data<T>(), grad.data<T>(), weight.data<T>(), bias); });
}

void conv_grad_weight(const Tensor& grad_weight_out, const Tensor& grad, const Tensor& x, const ConvGeometry& g) {
  const Plan plan = make_plan(x, grad, grad_weight_out, g);
  if (grad_weight_out.numel() == 0) return;
  if (grad.dtype() == DType::Float32 && conv_is_native(plan))
    return native_grad_weight(plan, grad_weight_out.data<float>(), grad.data<float>(), x.data<float>());
  visit_real("slow_conv2d_cpu_grad_weight", grad.dtype(),
             [&]<class T>(Type<T>) { grad_weight(plan, grad_weight_out.data<T>(), grad.data<T>(), x.data<T>()); });
}

}  // namespace flambeau::ops
