#include "ops/product.h"

#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/gemm.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

// A matrix as BLAS can take it: one stride 1, the other long enough; otherwise a contiguous copy.
bool is_blas_layout(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  return (column == 1 && row >= std::max<int64_t>(columns, 1)) || (row == 1 && column >= std::max<int64_t>(rows, 1));
}
Tensor as_blas_matrix(const Tensor& t) {
  const int64_t d = t.dim() - 2;
  return is_blas_layout(t.size(d), t.size(d + 1), t.stride(d), t.stride(d + 1)) ? t : raw_contiguous(t);
}

template <class T>
GemmArgs<T> swapped_args(T* out, const T* x, int64_t x_row, int64_t x_column, const T* y, int64_t y_row,
                         int64_t y_column, int64_t rows, int64_t columns, int64_t inner) {
  GemmArgs<T> g;
  g.m = columns, g.n = rows, g.k = inner;
  g.a = y, g.a_m = y_column, g.a_k = y_row;
  g.b = x, g.b_k = x_column, g.b_n = x_row;
  g.c = out, g.ldc = std::max<int64_t>(columns, 1);
  return g;
}

// The first of the two layouts that fits is the one BLAS is told.
template <class T>
void tell_layout(GemmArgs<T>& g) {
  g.transposed_a = !(g.a_m == 1 && g.a_k >= std::max<int64_t>(g.m, 1));
  g.transposed_b = !(g.b_k == 1 && g.b_n >= std::max<int64_t>(g.k, 1));
}

// PyTorch's own loop for small matrices of a batch, and all there is for integers: sums from zero over rising k.
template <class T>
void multiply_plainly(const GemmArgs<T>& g) {
  for (int64_t j = 0; j < g.n; ++j)
    for (int64_t i = 0; i < g.m; ++i) {
      T sum = 0;
      for (int64_t q = 0; q < g.k; ++q) sum = T(sum + T(g.a[i * g.a_m + q * g.a_k] * g.b[q * g.b_k + j * g.b_n]));
      T& c = g.c[i + j * g.ldc];
      sum = T(sum * g.alpha);
      c = g.accumulate ? T(c + sum) : sum;
    }
}

// Runs f on float tensors in place of half ones.
template <class F>
void in_float(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate, F&& f) {
  const Tensor wide = accumulate ? raw_cast(out, DType::Float32) : empty(out.sizes(), DType::Float32);
  f(wide, raw_cast(x, DType::Float32), raw_cast(y, DType::Float32));
  raw_copy(out, wide);
}

template <class F>
void visit_product(std::string_view op, DType dtype, F&& f) {
  if (is_integral(dtype)) visit_integral(op, dtype, f);
  else visit_real(op, dtype, f);
}

template <class T>
void run(GemmArgs<T> g, bool one_thread = false) {
  if constexpr (std::is_floating_point_v<T>) {
    tell_layout(g);
    gemm(g, one_thread);
  } else {
    multiply_plainly(g);
  }
}

}  // namespace

template <class T>
GemmArgs<T> gemm_args(T* out, const T* x, int64_t x_row, int64_t x_column, const T* y, int64_t y_row, int64_t y_column,
                      int64_t rows, int64_t columns, int64_t inner) {
  GemmArgs<T> g = swapped_args(out, x, x_row, x_column, y, y_row, y_column, rows, columns, inner);
  if (columns == 1) {
    std::swap(g.a, g.b);
    std::swap(g.m, g.n);
    g.a_m = x_row, g.a_k = x_column;
    g.b_k = y_row, g.b_n = y_column;
    g.ldc = std::max<int64_t>(rows, 1);
  }
  tell_layout(g);
  return g;
}
template GemmArgs<float> gemm_args(float*, const float*, int64_t, int64_t, const float*, int64_t, int64_t, int64_t,
                                   int64_t, int64_t);
template GemmArgs<double> gemm_args(double*, const double*, int64_t, int64_t, const double*, int64_t, int64_t, int64_t,
                                    int64_t, int64_t);

void product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate, double alpha, float beta) {
  if (is_reduced_float(out.dtype())) {
    return in_float(out, x, y, accumulate,
                    [&](const Tensor& o, const Tensor& a, const Tensor& b) { product(o, a, b, accumulate, alpha); });
  }
  visit_product("addmm_impl_cpu_", out.dtype(), [&]<class T>(Type<T>) {
    const Tensor a = as_blas_matrix(x), b = as_blas_matrix(y);
    GemmArgs<T> g;
    if constexpr (std::is_floating_point_v<T>)
      g = gemm_args(out.data<T>(), a.data<T>(), a.stride(0), a.stride(1), b.data<T>(), b.stride(0), b.stride(1),
                    a.size(0), b.size(1), a.size(1));
    else
      g = swapped_args(out.data<T>(), a.data<T>(), a.stride(0), a.stride(1), b.data<T>(), b.stride(0), b.stride(1),
                       a.size(0), b.size(1), a.size(1));
    g.alpha = T(alpha);
    g.accumulate = accumulate;
    if constexpr (std::is_same_v<T, float>) g.beta = beta;
    if constexpr (std::is_floating_point_v<T>) gemm(g);
    else multiply_plainly(g);
  });
}

void batched_product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate, double alpha) {
  if (is_reduced_float(out.dtype())) {
    return in_float(out, x, y, accumulate, [&](const Tensor& o, const Tensor& a, const Tensor& b) {
      batched_product(o, a, b, accumulate, alpha);
    });
  }
  visit_product("bmm", out.dtype(), [&]<class T>(Type<T>) {
    const int64_t batch = out.size(0), rows = out.size(1), columns = out.size(2), inner = x.size(2);
    // Below this size PyTorch does not call BLAS.
    const bool plain = double(rows) * double(columns) * double(inner) < 400 && !profile().invariant;
    const Tensor a = plain ? x : as_blas_matrix(x), b = plain ? y : as_blas_matrix(y);
    const auto one = [&](int64_t i) {
      GemmArgs<T> g =
          swapped_args(out.data<T>() + i * rows * columns, a.data<T>() + i * a.stride(0), a.stride(1), a.stride(2),
                       b.data<T>() + i * b.stride(0), b.stride(1), b.stride(2), rows, columns, inner);
      g.alpha = T(alpha);
      g.accumulate = accumulate;
      if (plain) return multiply_plainly(g);
      if (batch == 1 && columns == 1 && rows > 1) {
        // A batch of one is an ordinary call, which takes a single row of C for a vector.
        std::swap(g.a, g.b);
        std::swap(g.m, g.n);
        g.a_m = a.stride(1), g.a_k = a.stride(2);
        g.b_k = b.stride(1), g.b_n = inner;
        g.ldc = rows;
      }
      run(g, batch > 1);
    };
    if (batch < num_threads() && !plain) {
      for (int64_t i = 0; i < batch; ++i) one(i);  // each on all threads
    } else {
      const int64_t grain = std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, rows * columns * inner));
      parallel_for(0, batch, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) one(i);
      });
    }
  });
}

void vector_product(const Tensor& out, const Tensor& x, const Tensor& y, bool accumulate, double alpha) {
  if (is_reduced_float(out.dtype())) {
    return in_float(out, x, y, accumulate, [&](const Tensor& o, const Tensor& a, const Tensor& b) {
      vector_product(o, a, b, accumulate, alpha);
    });
  }
  visit_product("addmv_impl_cpu", out.dtype(), [&]<class T>(Type<T>) {
    const Tensor a = as_blas_matrix(x);
    GemmArgs<T> g;
    g.m = a.size(0), g.n = 1, g.k = a.size(1);
    g.a = a.data<T>(), g.a_m = a.stride(0), g.a_k = a.stride(1);
    g.b = y.data<T>(), g.b_k = y.stride(0), g.b_n = g.k;
    g.c = out.data<T>(), g.ldc = g.m;
    g.alpha = T(alpha);
    g.accumulate = accumulate;
    run(g);
  });
}

Tensor dot_product(const Tensor& x, const Tensor& y) {
  const Tensor a = raw_contiguous(x), b = raw_contiguous(y);
  if (is_reduced_float(a.dtype()))
    return raw_cast(dot_product(raw_cast(a, DType::Float32), raw_cast(b, DType::Float32)), a.dtype());
  const Tensor out = empty({}, a.dtype());
  visit_product("dot", a.dtype(), [&]<class T>(Type<T>) {
    T sum = 0;
    if constexpr (std::is_floating_point_v<T>) sum = dot(a.data<T>(), b.data<T>(), a.numel());
    else
      for (int64_t i = 0; i < a.numel(); ++i) sum = T(sum + T(a.data<T>()[i] * b.data<T>()[i]));
    *out.data<T>() = sum;
  });
  return out;
}

}  // namespace flambeau::ops
