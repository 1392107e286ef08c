#include "kernels/resample.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class T, int Dim>
inline T interpolated(const ResampleArgs<T>& g, const T* x, const int64_t (&at)[3]) {
  if constexpr (Dim == 3) {
    return *x;
  } else {
    constexpr int next = Dim + 1;
    const int taps = g.taps[Dim];
    const int64_t* index = g.index[Dim] + at[Dim] * taps;
    const T* weight = g.weight[Dim] + at[Dim] * taps;
    const int64_t stride = Dim == 0 ? g.in[1] * g.in[2] : Dim == 1 ? g.in[2] : 1;
    // One tap means nearest or a dimension that does not exist: the value itself.
    if (taps == 1) return interpolated<T, next>(g, x + index[0] * stride, at);
    const T first = interpolated<T, next>(g, x + index[0] * stride, at);
    T sum = fused(first, weight[0], interpolated<T, next>(g, x + index[1] * stride, at) * weight[1]);
    for (int t = 2; t < taps; ++t) sum = fused(interpolated<T, next>(g, x + index[t] * stride, at), weight[t], sum);
    return sum;
  }
}

template <class T>
void forward(const ResampleArgs<T>& g, int64_t planes, const T* x, T* y) {
  const int64_t plane = g.in[0] * g.in[1] * g.in[2];
  for (int64_t p = 0; p < planes; ++p, x += plane)
    for (int64_t d = 0; d < g.out[0]; ++d)
      for (int64_t h = 0; h < g.out[1]; ++h)
        for (int64_t w = 0; w < g.out[2]; ++w) *y++ = interpolated<T, 0>(g, x, {d, h, w});
}

template <class T>
void adjoint(const ResampleArgs<T>& g, int64_t planes, const T* grad, T* grad_x) {
  const int64_t plane = g.in[0] * g.in[1] * g.in[2];
  for (int64_t p = 0; p < planes; ++p, grad_x += plane) {
    for (int64_t i = 0; i < plane; ++i) grad_x[i] = T(0);
    for (int64_t d = 0; d < g.out[0]; ++d)
      for (int64_t h = 0; h < g.out[1]; ++h)
        for (int64_t w = 0; w < g.out[2]; ++w) {
          const T value = *grad++;
          for (int i = 0; i < g.taps[0]; ++i)
            for (int j = 0; j < g.taps[1]; ++j)
              for (int k = 0; k < g.taps[2]; ++k) {
                const int64_t a = d * g.taps[0] + i, b = h * g.taps[1] + j, c = w * g.taps[2] + k;
                T& to = grad_x[(g.index[0][a] * g.in[1] + g.index[1][b]) * g.in[2] + g.index[2][c]];
                to = fused(g.weight[0][a] * g.weight[1][b] * g.weight[2][c], value, to);
              }
        }
  }
}

template <class T>
constexpr ResampleFunctions<T> functions = {forward<T>, adjoint<T>};

}  // namespace

const ResampleKernels resample_table = {functions<float>, functions<double>};

}  // namespace flambeau::FLAMBEAU_ISA
