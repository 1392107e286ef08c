// Blocks of queries and keys as PyTorch cuts them; the products are gemm's, the steps between them kernels/flash.h's.
#include "ops/flash_attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/flash.h"
#include "ops/copy.h"
#include "ops/gemm.h"
#include "ops/op.h"
#include "ops/scratch.h"
#include "ops/views.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

// (B, heads, T, D) in memory: strides of the first three dimensions, the last is 1.
struct View {
  float* data;
  int64_t b, h, t;
  explicit View(const Tensor& x) : data(x.data<float>()), b(x.stride(0)), h(x.stride(1)), t(x.stride(2)) {}
  float* at(int64_t batch, int64_t head, int64_t time) const { return data + batch * b + head * h + time * t; }
};

struct Problem {
  int64_t batch, heads, kv_heads, queries, keys, width;  // B, H, Hkv, L, S, D
  float scale;
  bool causal;
  const float* mask = nullptr;
  int64_t mask_b = 0, mask_h = 0, mask_q = 0, mask_k = 0;
  int64_t row_block, key_block, row_blocks;
  int lanes;

  Problem(const Tensor& q, const Tensor& k, const Tensor& m, bool is_causal, std::optional<double> given_scale)
      : batch(q.size(0)),
        heads(q.size(1)),
        kv_heads(k.size(1)),
        queries(q.size(2)),
        keys(k.size(2)),
        width(q.size(3)),
        scale(float(given_scale.value_or(1.0 / std::sqrt(double(width))))),
        causal(is_causal),
        lanes(profile().lanes()) {
    if (m.defined()) {
      mask = m.data<float>();
      auto step = [&](int64_t d) { return m.size(d) == 1 ? 0 : m.stride(d); };
      mask_q = step(-2);
      mask_k = step(-1);
      if (m.dim() == 4) mask_b = step(0), mask_h = step(1);
    }
    row_block = std::min<int64_t>(queries < 192 ? 32 : queries < 768 ? 64 : 256, queries);
    key_block = std::min<int64_t>(512, keys);
    row_blocks = (queries + row_block - 1) / row_block;
  }

  int64_t seen_by(int64_t m, int64_t rows) const { return causal ? std::min(m + rows, keys) : keys; }
  FlashBlock block(float* s, int64_t b, int64_t h, int64_t m, int64_t rows, int64_t n, int64_t count,
                   int64_t seen) const {
    FlashBlock out{s, rows, count};
    if (mask) {
      out.mask = mask + b * mask_b + h * mask_h + m * mask_q + n * mask_k;
      out.mask_row = mask_q;
      out.mask_key = mask_k;
    }
    out.causal = causal && seen - n <= key_block;
    out.diagonal = m - n;
    return out;
  }
};

// C (m, n) = alpha op(A) op(B), column-major; T: the operand's rows are the contiguous ones.
struct Product {
  bool one_thread;

  void operator()(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                  const float* b, int64_t ldb, bool accumulate, float* c, int64_t ldc) const {
    GemmArgs<float> g;
    g.m = m, g.n = n, g.k = k;
    g.a = a, g.a_m = ta ? lda : 1, g.a_k = ta ? 1 : lda;
    g.b = b, g.b_k = tb ? ldb : 1, g.b_n = tb ? 1 : ldb;
    g.c = c, g.ldc = ldc;
    g.accumulate = accumulate;
    g.transposed_a = ta, g.transposed_b = tb;
    g.alpha = alpha;
    gemm(g, one_thread);
  }
};

// Items of equal right on the pool, each with `count` floats of scratch. PyTorch gives each logical thread a piece of
// one buffer; where the pieces are whole 16 bytes, their addresses can't be told apart and any cut will do.
template <class F>
void for_items(int64_t items, int64_t count, F&& f) {
  if (count % 4 == 0) {
    parallel_for(0, items, 1, [&](int64_t begin, int64_t end) {
      Scratch<float> scratch(count);
      for (int64_t i = begin; i < end; ++i) f(i, scratch.get());
    });
    return;
  }
  const int threads = profile().threads;
  Scratch<float> scratch(count * threads);
  logical_for(items, 1, threads, [&](int64_t task, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i, scratch.get() + task * count);
  });
}

// out and lse (B, L, H) are written.
void forward(const Problem& p, View q, View k, View v, View out, float* lse) {
  const int64_t items = p.batch * p.heads * p.row_blocks;
  const Product product{items > 1};
  const auto& kernels = kernels::flash();
  const int64_t per = p.row_block * p.key_block + 2 * p.row_block + p.row_block * p.width;
  for_items(items, per, [&](int64_t item, float* s) {
    const int64_t b = item / (p.heads * p.row_blocks), h = item / p.row_blocks % p.heads;
    const int64_t m = item % p.row_blocks * p.row_block, rows = std::min(p.row_block, p.queries - m);
    const int64_t kv = h / (p.heads / p.kv_heads), seen = p.seen_by(m, rows);
    float* max = s + p.row_block * p.key_block;
    float* sum = max + p.row_block;
    float* acc = sum + p.row_block;
    std::fill_n(max, rows, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, rows, 0.0f);
    for (int64_t n = 0; n < seen; n += p.key_block) {
      const int64_t count = std::min(p.key_block, p.keys - n);
      product(true, false, count, rows, p.width, 1, k.at(b, kv, n), k.t, q.at(b, h, m), q.t, false, s, count);
      kernels.accumulate(p.block(s, b, h, m, rows, n, count, seen), p.scale, max, sum, acc, n ? p.width : 0, p.lanes);
      product(false, false, p.width, rows, count, 1, v.at(b, kv, n), v.t, s, count, n > 0, acc, p.width);
    }
    for (int64_t r = 0; r < rows; ++r) {
      if (max[r] == -std::numeric_limits<float>::infinity()) max[r] = 0;
      if (sum[r] == 0) sum[r] = 1;
      const float inverse = 1 / sum[r];
      float* to = out.at(b, h, m + r);
      for (int64_t d = 0; d < p.width; ++d) to[d] = acc[r * p.width + d] * inverse;
      lse[(b * p.queries + m + r) * p.heads + h] = max[r] + std::log(sum[r]);
    }
  });
}

// Adds to dq, dk and dv, which start as zeros.
void backward(const Problem& p, View q, View k, View v, View out, const float* lse, View g, View dq, View dk, View dv) {
  const int64_t items = p.batch * p.kv_heads, group = p.heads / p.kv_heads;
  const Product product{items > 1};
  const auto& kernels = kernels::flash();
  const int64_t size = p.row_block * p.key_block;
  for_items(items, 2 * size, [&](int64_t item, float* s) {
    const int64_t b = item / p.kv_heads, kv = item % p.kv_heads;
    float* gs = s + size;
    float dots[256], row_lse[256];
    for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
      for (int64_t m = 0; m < p.queries; m += p.row_block) {
        const int64_t rows = std::min(p.row_block, p.queries - m), seen = p.seen_by(m, rows);
        for (int64_t r = 0; r < rows; ++r) {
          dots[r] = kernels.dot(g.at(b, h, m + r), out.at(b, h, m + r), p.width, p.lanes);
          row_lse[r] = lse[(b * p.queries + m + r) * p.heads + h];
        }
        for (int64_t n = 0; n < seen; n += p.key_block) {
          const int64_t count = std::min(p.key_block, p.keys - n);
          const FlashBlock block = p.block(s, b, h, m, rows, n, count, seen);
          product(true, false, count, rows, p.width, p.scale, k.at(b, kv, n), k.t, q.at(b, h, m), q.t, false, s, count);
          kernels.probabilities(block, row_lse);
          product(false, true, p.width, count, rows, 1, g.at(b, h, m), g.t, s, count, true, dv.at(b, kv, n), dv.t);
          product(true, false, count, rows, p.width, 1, v.at(b, kv, n), v.t, g.at(b, h, m), g.t, false, gs, count);
          kernels.score_gradients(block, gs, dots);
          product(false, false, p.width, rows, count, p.scale, k.at(b, kv, n), k.t, gs, count, true, dq.at(b, h, m),
                  dq.t);
          product(false, true, p.width, count, rows, p.scale, q.at(b, h, m), q.t, gs, count, true, dk.at(b, kv, n),
                  dk.t);
        }
      }
  });
}

// (B, heads, T, D) lying as (B, T, heads, D).
Tensor by_time(const Tensor& like, bool zero) {
  const Dims sizes{like.size(0), like.size(2), like.size(1), like.size(3)};
  return transpose(zero ? zeros(sizes, DType::Float32) : empty(sizes, DType::Float32), 1, 2);
}

}  // namespace

namespace { bool enabled = true; }
bool flash_enabled() { return enabled; }
void set_flash_enabled(bool value) { enabled = value; }

bool takes_flash(const Tensor& query, const Tensor& key, const Tensor& value, const OptTensor& mask, double dropout_p,
                 bool enable_gqa) {
  if (!enabled) return false;
  if (dropout_p != 0 || query.dtype() != DType::Float32 || key.dtype() != DType::Float32 ||
      value.dtype() != DType::Float32)
    return false;
  const Tensor* inputs[] = {&query, &key, &value};
  for (const Tensor* t : inputs)
    if (t->dim() != 4 || t->numel() == 0 || t->size(3) != query.size(3) || t->stride(3) != 1 ||
        t->size(0) != query.size(0))
      return false;
  if (key.size(1) != value.size(1) || key.size(2) != value.size(2)) return false;
  if (enable_gqa ? query.size(1) % key.size(1) != 0 : query.size(1) != key.size(1)) return false;
  if (!mask) return true;
  if (mask->requires_grad() || (mask->dim() != 2 && mask->dim() != 4)) return false;
  auto fits = [&](int64_t d, int64_t size) { return mask->size(d) == 1 || mask->size(d) == size; };
  return fits(-2, query.size(2)) && fits(-1, key.size(2)) &&
         (mask->dim() == 2 || (fits(0, query.size(0)) && fits(1, query.size(1))));
}

Tensor flash_attention(const Tensor& query, const Tensor& key, const Tensor& value, const OptTensor& mask,
                       bool is_causal, std::optional<double> scale) {
  const Tensor m = deref(mask);
  const Tensor out = by_time(query, false);
  const Tensor lse = empty({query.size(0), query.size(2), query.size(1)}, DType::Float32);
  {
    GradMode off(false);
    forward(Problem(query, key, m, is_causal, scale), View(query), View(key), View(value), View(out),
            lse.data<float>());
  }
  return record("ScaledDotProductFlashAttentionForCpuBackward0", alias(out), {query, key, value}, [&] {
    return
        [q = Saved(query), k = Saved(key), v = Saved(value), m, out, lse, is_causal, scale](const Tensor& grad, Needs) {
          const Tensor query = q.get(), key = k.get(), value = v.get();
          TensorList grads;
          {
            GradMode off(false);
            // The gradient in the order (B, T, H, D), as the kernel reads it.
            Tensor g = by_time(grad, false);
            raw_copy(g, grad);
            grads = {by_time(query, true), by_time(key, true), by_time(value, true)};
            backward(Problem(query, key, m, is_causal, scale), View(query), View(key), View(value), View(out),
                     lse.data<float>(), View(g), View(grads[0]), View(grads[1]), View(grads[2]));
          }
          if (needs_grad(grad, query, key, value))
            record_all(
                "ScaledDotProductFlashAttentionForCpuBackwardBackward0", grads, Inputs{grad, query, key, value},
                [](const TensorList&, Needs) -> TensorList {
                  throw Error(
                      "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented");
                });
          return grads;
        };
  });
}

}  // namespace flambeau::ops
