#include "kernels/batch_norm.h"

#include "numerics/lanes.h"
#include "parallel/pool.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int64_t kWork = 1 << 14;  // elements that are worth a thread
template <class T>
constexpr int kLanes = 32 / int(sizeof(T));

int64_t grain_of(int64_t row) { return row < kWork ? kWork / (row ? row : 1) : 1; }

// f(partial sums of this part, row) for the rows of a logical thread; then the parts are added in double.
template <class T, class F, class Done>
void sum_rows(const BatchNormShape& s, T* parts, F&& add_row, Done&& done) {
  const int64_t c = s.channels;
  for (int64_t i = 0; i < s.threads * c; ++i) parts[i] = 0;
  logical_for(s.batch, 1, s.threads, [&](int64_t task, int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) add_row(parts + task * c, r * c);
  });
  for (int64_t j = 0; j < c; ++j) {
    double sum = 0;
    for (int64_t t = 0; t < s.threads; ++t) sum += double(parts[t * c + j]);
    done(j, sum);
  }
}

template <class T>
void statistics(const BatchNormShape& s, const T* x, T* mean, T* squares, T* scratch) {
  const double count = double(s.count());
  if (s.by_rows()) {
    sum_rows(
        s, scratch,
        [&](T* __restrict part, int64_t at) {
          for (int64_t j = 0; j < s.channels; ++j) part[j] = x[at + j] + part[j];
        },
        [&](int64_t j, double sum) { mean[j] = T(sum / count); });
    sum_rows(
        s, scratch,
        [&](T* __restrict part, int64_t at) {
          for (int64_t j = 0; j < s.channels; ++j) {
            const T distance = x[at + j] - mean[j];
            part[j] = fused(distance, distance, part[j]);
          }
        },
        [&](int64_t j, double sum) { squares[j] = T(sum); });
    return;
  }
  parallel_for(0, s.channels, grain_of(s.count()), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t c = begin; c < end; ++c) {
      double sum = 0, square = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const T* row = x + (n * s.channels + c) * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) sum += double(row[i]);
      }
      const T mu = T(sum / count);
      for (int64_t n = 0; n < s.batch; ++n) {
        const T* row = x + (n * s.channels + c) * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) square += double((row[i] - mu) * (row[i] - mu));
      }
      mean[c] = mu;
      squares[c] = T(square);
    }
  });
}

template <class T>
void transform(const BatchNormShape& s, const T* x, const T* mean, const T* invstd, const T* weight, const T* bias,
               T* y) {
  auto scale = [&](int64_t c) { return invstd[c] * (weight ? weight[c] : T(1)); };
  auto shift = [&](int64_t c, T a) { return fused(-mean[c], a, bias ? bias[c] : T(0)); };
  parallel_for(0, s.batch, grain_of(s.channels * s.inner), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t n = begin; n < end; ++n)
      for (int64_t c = 0; c < s.channels; ++c) {
        const T a = scale(c), b = shift(c, a);
        const T* __restrict from = x + (n * s.channels + c) * s.inner;
        T* __restrict to = y + (n * s.channels + c) * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) to[i] = fused(from[i], a, b);
      }
  });
}

template <class T>
void backward_sums(const BatchNormShape& s, const T* grad, const T* x, const T* mean, double* sums, double* dots,
                   T* scratch) {
  if (s.by_rows()) {
    sum_rows(
        s, scratch,
        [&](T* __restrict part, int64_t at) {
          for (int64_t j = 0; j < s.channels; ++j) part[j] = part[j] + grad[at + j];
        },
        [&](int64_t j, double sum) { sums[j] = sum; });
    sum_rows(
        s, scratch,
        [&](T* __restrict part, int64_t at) {
          for (int64_t j = 0; j < s.channels; ++j) part[j] = fused(x[at + j] - mean[j], grad[at + j], part[j]);
        },
        [&](int64_t j, double sum) { dots[j] = sum; });
    return;
  }
  constexpr int L = kLanes<T>;
  parallel_for(0, s.channels, grain_of(s.count()), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t c = begin; c < end; ++c) {
      const T mu = mean[c];
      double sum = 0, dot = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const T *g = grad + (n * s.channels + c) * s.inner, *from = x + (n * s.channels + c) * s.inner;
        sum += double(sum_all<T, L>(g, s.inner));
        dot += double(reduce_all<T, L>(
            s.inner, [&](int64_t i) { return (from[i] - mu) * g[i]; },
            [&](int64_t i) { return (load<T, L>(from + i) - spread<T, L>(mu)) * load<T, L>(g + i); },
            [&](T partial, int64_t i) { return fused(from[i] - mu, g[i], partial); }));
      }
      sums[c] = sum;
      dots[c] = dot;
    }
  });
}

template <class T>
void backward(const BatchNormShape& s, const T* grad, const T* x, const T* mean, const T* invstd, const T* weight,
              const T* k, const T* grad_mean, T* out) {
  // By rows, PyTorch's compiler did not fuse in the channels after the last whole vector.
  const int64_t fused_channels = s.by_rows() ? s.channels / kLanes<T> * kLanes<T> : s.channels;
  parallel_for(0, s.batch, grain_of(s.channels * s.inner), [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t n = begin; n < end; ++n)
      for (int64_t c = 0; c < s.channels; ++c) {
        const T w = weight ? weight[c] : T(1), scale = invstd[c], mu = mean[c];
        const int64_t at = (n * s.channels + c) * s.inner;
        const T* __restrict g = grad + at;
        const T* __restrict from = x + at;
        T* __restrict to = out + at;
        if (!k) {
          for (int64_t i = 0; i < s.inner; ++i) to[i] = g[i] * scale * w;
        } else if (c < fused_channels) {
          for (int64_t i = 0; i < s.inner; ++i) to[i] = fused(-(from[i] - mu), k[c], g[i] - grad_mean[c]) * scale * w;
        } else {
          for (int64_t i = 0; i < s.inner; ++i) to[i] = ((g[i] - grad_mean[c]) - (from[i] - mu) * k[c]) * scale * w;
        }
      }
  });
}

template <class T>
constexpr BatchNormFunctions<T> functions = {statistics<T>, transform<T>, backward_sums<T>, backward<T>};

}  // namespace

const BatchNormKernels batch_norm_table = {functions<float>, functions<double>};

}  // namespace flambeau::FLAMBEAU_ISA
