#include "kernels/softmax.h"

#include "numerics/lanes.h"
#include "numerics/sleef.h"
#include "parallel/pool.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int64_t kColumns = 64;    // columns walked together
constexpr int64_t kWork = 1 << 14;  // elements that are worth a thread

inline float vector_exp(float x) { return sleef::exp(x); }
inline double vector_exp(double x) { return __builtin_exp(x); }
inline float vector_log(float x) { return sleef::log(x); }
inline double vector_log(double x) { return __builtin_log(x); }
inline float library_exp(float x) { return __builtin_expf(x); }
inline double library_exp(double x) { return __builtin_exp(x); }

// y = exp(x - shift)
template <class T>
__attribute__((noinline)) void shifted_exp(const T* __restrict x, T* __restrict y, int64_t n, T shift) {
  for (int64_t i = 0; i < n; ++i) y[i] = vector_exp(x[i] - shift);
}

// NaN is passed over: it reaches the whole row through the sum.
template <class T, int L>
T row_max(const T* x, int64_t n) {
  T best = x[0];
  int64_t i = 0;
  if (n >= L) {
    Lanes<T, L> most = load<T, L>(x);
    for (i = L; i + L <= n; i += L) most = greater_of(most, load<T, L>(x + i));
    T lanes[L];
    std::memcpy(lanes, &most, sizeof lanes);
    for (const T lane : lanes) best = lane > best || best != best ? lane : best;
  }
  for (; i < n; ++i) best = x[i] > best || best != best ? x[i] : best;
  return best;
}

template <class F>
void for_rows(const SoftmaxShape& s, F&& f) {
  const int64_t grain = kWork / (s.n ? s.n : 1);
  parallel_for(0, s.outer, grain ? grain : 1, [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t r = begin; r < end; ++r) f(r * s.n);
  });
}

// ---- along the last dimension: a row at a time

template <class T, int L>
void softmax_rows(const SoftmaxShape& s, const T* all_x, T* all_y) {
  for_rows(s, [&](int64_t at) {
    const T* __restrict x = all_x + at;
    T* __restrict y = all_y + at;
    const T max = row_max<T, L>(x, s.n);
    shifted_exp(x, y, s.n, max);
    const T scale = T(1) / sum_all<T, L>(y, s.n);
    for (int64_t i = 0; i < s.n; ++i) y[i] = y[i] * scale;
  });
}

template <class T, int L>
void log_softmax_rows(const SoftmaxShape& s, const T* all_x, T* all_y) {
  for_rows(s, [&](int64_t at) {
    const T* __restrict x = all_x + at;
    T* __restrict y = all_y + at;
    const T max = row_max<T, L>(x, s.n);
    shifted_exp(x, y, s.n, max);
    const T log_sum = vector_log(sum_all<T, L>(y, s.n));
    for (int64_t i = 0; i < s.n; ++i) y[i] = (x[i] - max) - log_sum;
  });
}

// The compiler of PyTorch fused the last terms where rows are not shared out, and did not where they are.
template <class T, int L>
void softmax_backward_rows(const SoftmaxShape& s, const T* all_grad, const T* all_y, T* all_out) {
  const bool fused_tail = s.threads == 1 || s.outer == 1;
  for_rows(s, [&](int64_t at) {
    const T* __restrict grad = all_grad + at;
    const T* __restrict y = all_y + at;
    T* __restrict out = all_out + at;
    const T sum = dot_all<T, L>(grad, y, s.n, fused_tail);
    for (int64_t i = 0; i < s.n; ++i) out[i] = (grad[i] - sum) * y[i];
  });
}

template <class T, int L>
void log_softmax_backward_rows(const SoftmaxShape& s, const T* all_grad, const T* all_y, T* all_out) {
  for_rows(s, [&](int64_t at) {
    const T* __restrict grad = all_grad + at;
    const T* __restrict y = all_y + at;
    T* __restrict out = all_out + at;
    const T sum = sum_all<T, L>(grad, s.n);
    for (int64_t i = 0; i < s.n; ++i) out[i] = fused(-vector_exp(y[i]), sum, grad[i]);
  });
}

// ---- along another dimension: columns side by side, each summed in order

template <class T>
int64_t lanes_of(const SoftmaxShape& s) {
  return s.lanes * int64_t(sizeof(float)) / int64_t(sizeof(T));
}

// f(offset of the block's first element, columns in it, whether they lie in whole vectors)
template <class T, class F>
void for_columns(const SoftmaxShape& s, F&& f) {
  const int64_t lanes = lanes_of<T>(s);
  const int64_t whole = s.inner / lanes * lanes;
  const int64_t blocks = (whole + kColumns - 1) / kColumns, per_outer = blocks + (whole < s.inner ? 1 : 0);
  const int64_t grain = kWork / (kColumns * s.n);
  parallel_for(0, s.outer * per_outer, grain ? grain : 1, [&](int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t o = k / per_outer, b = k % per_outer;
      const bool in_vectors = b < blocks;
      const int64_t from = in_vectors ? b * kColumns : whole;
      const int64_t to = !in_vectors ? s.inner : from + kColumns < whole ? from + kColumns : whole;
      f(o * s.n * s.inner + from, to - from, in_vectors);
    }
  });
}

template <class T>
void column_max(const T* x, const SoftmaxShape& s, int64_t columns, T* max) {
  for (int64_t c = 0; c < columns; ++c) max[c] = x[c];
  for (int64_t d = 1; d < s.n; ++d)
    for (int64_t c = 0; c < columns; ++c) max[c] = x[d * s.inner + c] > max[c] ? x[d * s.inner + c] : max[c];
}

// The maximum of each column, exp(x - max) into y, and the sums of those.
template <class T, class Exp>
__attribute__((noinline)) void column_exps(const T* __restrict x, T* __restrict y, const SoftmaxShape& s,
                                           int64_t columns, T* __restrict max, T* __restrict sum, Exp exp) {
  column_max(x, s, columns, max);
  for (int64_t c = 0; c < columns; ++c) sum[c] = 0;
  for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
    for (int64_t c = 0; c < columns; ++c) {
      const T e = exp(x[i + c] - max[c]);
      y[i + c] = e;
      sum[c] = sum[c] + e;
    }
}
template <class T>
void column_exps(const T* x, T* y, const SoftmaxShape& s, int64_t columns, T* max, T* sum, bool in_vectors) {
  if (in_vectors) column_exps(x, y, s, columns, max, sum, [](T v) { return vector_exp(v); });
  else column_exps(x, y, s, columns, max, sum, [](T v) { return library_exp(v); });
}

// PyTorch shares out all columns of all images to its threads here, and each thread takes whole vectors while they fit
// into its share of a row: so which columns meet the C library's exp depends on the number of logical threads.
template <class T>
void softmax_columns(const SoftmaxShape& s, const T* x, T* y) {
  const int64_t lanes = lanes_of<T>(s);
  logical_for(s.outer * s.inner, 1, s.threads, [&](int64_t, int64_t begin, int64_t end) __attribute__((noinline)) {
    for (int64_t at = begin; at < end;) {
      const int64_t o = at / s.inner, c = at % s.inner, left = s.inner - c < end - at ? s.inner - c : end - at;
      const bool in_vectors = left >= lanes;
      const int64_t fitting = in_vectors ? left / lanes * lanes : left,
                    columns = fitting < kColumns ? fitting : kColumns;
      const T* __restrict from = x + o * s.n * s.inner + c;
      T* __restrict to = y + o * s.n * s.inner + c;
      T max[kColumns], sum[kColumns];
      column_exps(from, to, s, columns, max, sum, in_vectors);
      for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
        for (int64_t j = 0; j < columns; ++j) to[i + j] = to[i + j] / sum[j];
      at += columns;
    }
  });
}

template <class T>
void log_softmax_columns(const SoftmaxShape& s, const T* all_x, T* all_y) {
  for_columns<T>(s, [&](int64_t at, int64_t columns, bool in_vectors) {
    const T* __restrict x = all_x + at;
    T* __restrict y = all_y + at;
    T max[kColumns], sum[kColumns];
    column_exps(x, y, s, columns, max, sum, in_vectors);
    for (int64_t c = 0; c < columns; ++c) sum[c] = vector_log(sum[c]);  // in the last columns, too
    for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
      for (int64_t c = 0; c < columns; ++c) y[i + c] = (x[i + c] - max[c]) - sum[c];
  });
}

template <class T>
void softmax_backward_columns(const SoftmaxShape& s, const T* all_grad, const T* all_y, T* all_out) {
  for_columns<T>(s, [&](int64_t at, int64_t columns, bool) {
    const T* __restrict grad = all_grad + at;
    const T* __restrict y = all_y + at;
    T* __restrict out = all_out + at;
    T sum[kColumns];
    for (int64_t c = 0; c < columns; ++c) sum[c] = 0;
    for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
      for (int64_t c = 0; c < columns; ++c) sum[c] = fused(grad[i + c], y[i + c], sum[c]);
    for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
      for (int64_t c = 0; c < columns; ++c) out[i + c] = (grad[i + c] - sum[c]) * y[i + c];
  });
}

template <class T>
void log_softmax_backward_columns(const SoftmaxShape& s, const T* all_grad, const T* all_y, T* all_out) {
  for_columns<T>(s, [&](int64_t at, int64_t columns, bool in_vectors) {
    const T* __restrict grad = all_grad + at;
    const T* __restrict y = all_y + at;
    T* __restrict out = all_out + at;
    T sum[kColumns];
    for (int64_t c = 0; c < columns; ++c) sum[c] = 0;
    for (int64_t i = 0; i < s.n * s.inner; i += s.inner)
      for (int64_t c = 0; c < columns; ++c) sum[c] = sum[c] + grad[i + c];
    for (int64_t i = 0; i < s.n * s.inner; i += s.inner) {
      if (in_vectors)
        for (int64_t c = 0; c < columns; ++c) out[i + c] = fused(-vector_exp(y[i + c]), sum[c], grad[i + c]);
      else
        for (int64_t c = 0; c < columns; ++c) out[i + c] = fused(-library_exp(y[i + c]), sum[c], grad[i + c]);
    }
  });
}

// Picks the lane count, and rows or columns.
#define FLAMBEAU_PICK(name, params, args)                     \
  template <class T>                                          \
  void name params {                                          \
    constexpr int kScale = int(sizeof(T) / sizeof(float));    \
    if (!s.last) name##_columns<T> args;                      \
    else if (s.lanes == 16) name##_rows<T, 16 / kScale> args; \
    else name##_rows<T, 8 / kScale> args;                     \
  }
FLAMBEAU_PICK(softmax, (const SoftmaxShape& s, const T* x, T* y), (s, x, y))
FLAMBEAU_PICK(log_softmax, (const SoftmaxShape& s, const T* x, T* y), (s, x, y))
FLAMBEAU_PICK(softmax_backward, (const SoftmaxShape& s, const T* grad, const T* y, T* out), (s, grad, y, out))
FLAMBEAU_PICK(log_softmax_backward, (const SoftmaxShape& s, const T* grad, const T* y, T* out), (s, grad, y, out))
#undef FLAMBEAU_PICK

template <class T>
constexpr SoftmaxFunctions<T> functions = {softmax<T>, log_softmax<T>, softmax_backward<T>, log_softmax_backward<T>};

}  // namespace

const SoftmaxKernels softmax_table = {functions<float>, functions<double>};

}  // namespace flambeau::FLAMBEAU_ISA
