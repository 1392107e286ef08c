#include "kernels/pool.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

// Calls f(output number, od, oh, ow) in order.
template <class F>
inline void for_each_output(const PoolWindows& w, F&& f) {
  int64_t o = 0;
  for (int64_t d = 0; d < w.out[0]; ++d)
    for (int64_t h = 0; h < w.out[1]; ++h)
      for (int64_t x = 0; x < w.out[2]; ++x) f(o++, d, h, x);
}
// Calls f(place in the plane) for a window's elements in order.
template <class F>
inline void for_each_place(const PoolWindows& w, int64_t od, int64_t oh, int64_t ow, F&& f) {
  for (int64_t d = w.begin[0][od]; d < w.end[0][od]; d += w.step[0])
    for (int64_t h = w.begin[1][oh]; h < w.end[1][oh]; h += w.step[1]) {
      const int64_t row = (d * w.in[1] + h) * w.in[2];
      for (int64_t x = w.begin[2][ow]; x < w.end[2][ow]; x += w.step[2]) f(row + x);
    }
}

template <class T>
T divided(const PoolWindows& w, T sum, int64_t d, int64_t h, int64_t x) {
  if (w.once) return sum / T(w.count[0][d] * w.count[1][h] * w.count[2][x]);
  // Dimensions that do not exist count 1, which changes nothing.
  return sum / T(w.count[0][d]) / T(w.count[1][h]) / T(w.count[2][x]);
}

inline int64_t in_plane(const PoolWindows& w) { return w.in[0] * w.in[1] * w.in[2]; }
inline int64_t out_plane(const PoolWindows& w) { return w.out[0] * w.out[1] * w.out[2]; }

template <class T>
void max(const PoolWindows& w, int64_t planes, const T* x, T* y, int64_t* where) {
  for (int64_t p = 0; p < planes; ++p, x += in_plane(w), y += out_plane(w), where += out_plane(w))
    for_each_output(w, [&](int64_t o, int64_t d, int64_t h, int64_t c) {
      int64_t best = (w.begin[0][d] * w.in[1] + w.begin[1][h]) * w.in[2] + w.begin[2][c];
      T value = -__builtin_inf();
      for_each_place(w, d, h, c, [&](int64_t place) {
        if (x[place] > value || x[place] != x[place]) {
          value = x[place];
          best = place;
        }
      });
      y[o] = value;
      where[o] = best;
    });
}

template <class T>
void mean(const PoolWindows& w, int64_t planes, const T* x, T* y) {
  for (int64_t p = 0; p < planes; ++p, x += in_plane(w), y += out_plane(w))
    for_each_output(w, [&](int64_t o, int64_t d, int64_t h, int64_t c) {
      T sum = 0;
      for_each_place(w, d, h, c, [&](int64_t place) { sum = sum + x[place]; });
      y[o] = divided(w, sum, d, h, c);
    });
}

template <class T>
void mean_adjoint(const PoolWindows& w, int64_t planes, const T* grad, T* grad_x) {
  for (int64_t p = 0; p < planes; ++p, grad += out_plane(w), grad_x += in_plane(w)) {
    for (int64_t i = 0; i < in_plane(w); ++i) grad_x[i] = T(0);
    for_each_output(w, [&](int64_t o, int64_t d, int64_t h, int64_t c) {
      const T share = divided(w, grad[o], d, h, c);
      for_each_place(w, d, h, c, [&](int64_t place) { grad_x[place] = grad_x[place] + share; });
    });
  }
}

template <class T>
void scatter(int64_t planes, int64_t in, int64_t out, const T* grad, const int64_t* where, T* grad_x) {
  for (int64_t p = 0; p < planes; ++p, grad += out, where += out, grad_x += in) {
    for (int64_t i = 0; i < in; ++i) grad_x[i] = T(0);
    for (int64_t o = 0; o < out; ++o) grad_x[where[o]] = grad_x[where[o]] + grad[o];
  }
}

template <class T>
void gather(int64_t planes, int64_t in, int64_t out, const T* x, const int64_t* where, T* y) {
  for (int64_t p = 0; p < planes; ++p, x += in, where += out, y += out)
    for (int64_t o = 0; o < out; ++o) y[o] = x[where[o]];
}

template <class T>
constexpr PoolFunctions<T> functions = {max<T>, mean<T>, mean_adjoint<T>, scatter<T>, gather<T>};

}  // namespace

const PoolKernels pool_table = {functions<float>, functions<double>};

}  // namespace flambeau::FLAMBEAU_ISA
