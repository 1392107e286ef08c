#include "kernels/layer_norm.h"

#include "numerics/moments.h"
#include "parallel/pool.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int64_t kWork = 1 << 14;  // elements that are worth a thread
template <class T>
constexpr int kLanes = 32 / int(sizeof(T));

int64_t grain_of(int64_t row) { return row < kWork ? kWork / (row ? row : 1) : 1; }

// ---- layer norm

template <class T>
void layer_forward(const T* all_x, const T* weight, const T* bias, T* all_y, T* mean, T* rstd, int64_t rows, int64_t n,
                   T eps) {
  parallel_for(0, rows, grain_of(n), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t r = begin; r < end; ++r) {
      const T* __restrict x = all_x + r * n;
      T* __restrict y = all_y + r * n;
      T mu, variance;
      row_moments<T, kLanes<T>>(x, n, mu, variance);
      const T scale = T(1) / square_root(variance + eps);
      // Without a weight PyTorch's compiler fused the product before it.
      if (weight)
        for (int64_t j = 0; j < n; ++j) y[j] = fused((x[j] - mu) * scale, weight[j], bias ? bias[j] : T(0));
      else
        for (int64_t j = 0; j < n; ++j) y[j] = fused(x[j] - mu, scale, bias ? bias[j] : T(0));
      mean[r] = mu;
      rstd[r] = scale;
    }
  });
}

// Sums of grad * x * weight and grad * weight, then dx = B * x + (rstd * grad) * weight + C.
template <class T>
void layer_backward(const T* all_grad, const T* all_x, const T* mean, const T* rstd, const T* weight, T* all_out,
                    int64_t rows, int64_t n) {
  constexpr int L = kLanes<T>;
  const T per_element = T(1) / T(n);
  parallel_for(0, rows, grain_of(n), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t r = begin; r < end; ++r) {
      const T* __restrict grad = all_grad + r * n;
      const T* __restrict x = all_x + r * n;
      T* __restrict out = all_out + r * n;
      T products, sums;
      if (weight) {
        products = reduce_all<T, L>(
            n, [&](int64_t i) { return grad[i] * x[i] * weight[i]; },
            [&](int64_t i) { return load<T, L>(grad + i) * load<T, L>(x + i) * load<T, L>(weight + i); },
            [&](T sum, int64_t i) { return fused(grad[i] * x[i], weight[i], sum); });
        sums = dot_all<T, L>(grad, weight, n, true);
      } else {
        products = dot_all<T, L>(grad, x, n, true);
        sums = sum_all<T, L>(grad, n);
      }
      const T a = rstd[r], mu = mean[r];
      const T b = fused(sums, mu, -products) * a * a * a * per_element;
      const T c = fused(-b, mu, -(sums * a * per_element));
      for (int64_t j = 0; j < n; ++j) {
        const T scaled = weight ? a * grad[j] * weight[j] : a * grad[j];
        out[j] = fused(b, x[j], scaled) + c;
      }
    }
  });
}

template <class T>
void layer_backward_weights(const T* all_grad, const T* all_x, const T* mean, const T* rstd, T* grad_weight,
                            T* grad_bias, T* scratch, int64_t rows, int64_t n, int threads) {
  for (int64_t i = 0; i < 2 * threads * n; ++i) scratch[i] = 0;
  logical_for(rows, 1, threads, [&](int64_t task, int64_t begin, int64_t end) __attribute__((noinline)) {
    T* __restrict weights = scratch + 2 * task * n;
    T* __restrict biases = weights + n;
    for (int64_t r = begin; r < end; ++r) {
      const T* __restrict grad = all_grad + r * n;
      const T* __restrict x = all_x + r * n;
      const T a = rstd[r], b = -a * mean[r];
      for (int64_t j = 0; j < n; ++j) {
        weights[j] = fused(grad[j], fused(a, x[j], b), weights[j]);
        biases[j] = biases[j] + grad[j];
      }
    }
  });
  for (int64_t j = 0; j < n; ++j) {
    T w = 0, b = 0;
    for (int64_t t = 0; t < threads; ++t) {
      w = w + scratch[2 * t * n + j];
      b = b + scratch[(2 * t + 1) * n + j];
    }
    if (grad_weight) grad_weight[j] = w;
    if (grad_bias) grad_bias[j] = b;
  }
}

// ---- group norm

template <class T>
void group_forward(const GroupNormShape& s, const T* x, const T* weight, const T* bias, T* y, T* mean, T* rstd,
                   double eps) {
  const int64_t row = s.channels_per_group * s.inner;
  parallel_for(0, s.batch * s.groups, grain_of(row), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t i = begin; i < end; ++i) {
      T mu, variance;
      row_moments<T, kLanes<T>>(x + i * row, row, mu, variance);
      const T scale = T(1.0 / square_root(double(variance < T(0) ? T(0) : variance) + eps));
      mean[i] = mu;
      rstd[i] = scale;
      if (!weight && !bias) {
        for (int64_t k = i * row; k < (i + 1) * row; ++k) y[k] = (x[k] - mu) * scale;
        continue;
      }
      for (int64_t j = 0; j < s.channels_per_group; ++j) {
        const int64_t c = i % s.groups * s.channels_per_group + j, at = i * row + j * s.inner;
        const T a = scale * (weight ? weight[c] : T(1));
        const T b = fused(-a, mu, bias ? bias[c] : T(0));
        for (int64_t k = at; k < at + s.inner; ++k) y[k] = fused(a, x[k], b);
      }
    }
  });
}

// Lanes added left to right.
template <class T>
T ordered_sum(Lanes<T, kLanes<T>> v) {
  T lanes[kLanes<T>], sum = 0;
  std::memcpy(lanes, &v, sizeof lanes);
  for (const T lane : lanes) sum = sum + lane;
  return sum;
}

template <class T>
void group_channel_sums(const GroupNormShape& s, const T* all_grad, const T* all_x, T* products, T* sums) {
  constexpr int L = kLanes<T>;
  const int64_t channels = s.batch * s.groups * s.channels_per_group;
  parallel_for(0, channels, grain_of(s.inner), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t i = begin; i < end; ++i) {
      const T *grad = all_grad + i * s.inner, *x = all_x + i * s.inner;
      products[i] = dot_all<T, L>(grad, x, s.inner, false);
      sums[i] = sum_all<T, L>(grad, s.inner);
    }
  });
}

// Where groups are not shared out to threads, PyTorch's compiler took four of the last terms at once and did not fuse.
template <class T>
T weighted_sum(const T* values, const T* weight, int64_t n, bool serial) {
  constexpr int L = kLanes<T>;
  Lanes<T, L> lanes = spread<T, L>(0);
  int64_t j = 0;
  for (; j + L <= n; j += L)
    lanes =
        weight ? fused_lanes(load<T, L>(values + j), load<T, L>(weight + j), lanes) : lanes + load<T, L>(values + j);
  T sum = ordered_sum<T>(lanes);
  if (serial && n - j >= 4)
    for (const int64_t end = j + 4; j < end; ++j) sum = sum + values[j] * (weight ? weight[j] : T(1));
  for (; j < n; ++j) sum = fused(values[j], weight ? weight[j] : T(1), sum);
  return sum;
}

template <class T>
void group_backward(const GroupNormShape& s, const T* grad, const T* x, const T* mean, const T* rstd, const T* weight,
                    const T* products, const T* sums, T* out) {
  const int64_t row = s.channels_per_group * s.inner;
  const T per_element = T(1) / T(row);
  const bool serial = s.threads == 1 || s.batch * s.groups == 1;
  parallel_for(0, s.batch * s.groups, grain_of(row), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % s.groups * s.channels_per_group;  // channel
      const T* w = weight ? weight + first : nullptr;
      const T product = weighted_sum(products + i * s.channels_per_group, w, s.channels_per_group, serial);
      const T sum = weighted_sum(sums + i * s.channels_per_group, w, s.channels_per_group, serial);
      const T a = rstd[i], mu = mean[i];
      const T b = fused(sum, mu, -product) * a * a * a * per_element;
      const T c = fused(-(sum * a), per_element, -b * mu);
      for (int64_t j = 0; j < s.channels_per_group; ++j) {
        const T scale = a * (w ? w[j] : T(1));
        const int64_t at = i * row + j * s.inner;
        for (int64_t k = at; k < at + s.inner; ++k) out[k] = fused(scale, grad[k], b * x[k]) + c;
      }
    }
  });
}

template <class T>
void group_backward_weights(const GroupNormShape& s, const T* mean, const T* rstd, const T* products, const T* sums,
                            T* grad_weight, T* grad_bias) {
  const int64_t channels = s.groups * s.channels_per_group;
  for (int64_t c = 0; c < channels; ++c) {
    T w = 0, b = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      const int64_t i = n * channels + c, row = n * s.groups + c / s.channels_per_group;
      w = fused(fused(-sums[i], mean[row], products[i]), rstd[row], w);
      b = b + sums[i];
    }
    if (grad_weight) grad_weight[c] = w;
    if (grad_bias) grad_bias[c] = b;
  }
}

template <class T>
constexpr LayerNormFunctions<T> layer = {layer_forward<T>, layer_backward<T>, layer_backward_weights<T>};
template <class T>
constexpr GroupNormFunctions<T> group = {group_forward<T>, group_channel_sums<T>, group_backward<T>,
                                         group_backward_weights<T>};

}  // namespace

const LayerNormKernels layer_norm_table = {layer<float>, layer<double>, group<float>, group<double>};

}  // namespace flambeau::FLAMBEAU_ISA
