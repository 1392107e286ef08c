// Running moments and norms (kernels/moments.h).
#include "kernels/moments.h"

#include <cmath>

namespace flambeau::FLAMBEAU_ISA {
namespace {

template <class T, class F>
void visit(const void* in, const ReduceShape& s, F&& f) {
  const T* x = static_cast<const T*>(in);
  for (int64_t j = 0; j < s.size1; ++j)
    for (int64_t i = 0; i < s.size0; ++i) f(x[i * s.in0 + j * s.in1]);
}

template <class T>
void welford(Welford& given, const void* in, const ReduceShape& shape) {
  Welford acc = given;
  visit<T>(in, shape, [&](T value) {
    const double x = value, count = double(++acc.n);
    const double delta = x - acc.mean;
    acc.mean = acc.mean + delta / count;
    acc.m2 = acc.m2 + delta * (x - acc.mean);
  });
  acc.count = double(acc.n);
  given = acc;
}

template <class T>
void welford_lanes(WelfordLanes& given, const void* in, int64_t lane, const ReduceShape& s) {
  constexpr int L = WelfordLanes::kLanes;
  WelfordLanes acc = given;
  for (int64_t j = 0; j < s.size1; ++j)
    for (int64_t i = 0; i < s.size0; ++i) {
      const T* from = static_cast<const T*>(in) + i * s.in0 + j * s.in1;
      double x[L];
      if (lane == 1)
        for (int l = 0; l < L; ++l) x[l] = from[l];
      else
        for (int l = 0; l < L; ++l) x[l] = from[l * lane];
      const double count = double(++acc.n);
      for (int l = 0; l < L; ++l) {
        const double delta = x[l] - acc.mean[l];
        acc.mean[l] = acc.mean[l] + delta / count;
        acc.m2[l] = acc.m2[l] + delta * (x[l] - acc.mean[l]);
      }
    }
  given = acc;
}

template <class T>
double squares(const void* in, const ReduceShape& shape, double mean) {
  double sum = 0;
  visit<T>(in, shape, [&](T value) {
    const double distance = double(value) - mean;
    sum = sum + distance * distance;
  });
  return sum;
}

template <class T>
void norm(void* acc_bytes, const void* in, const ReduceShape& shape, NormKind kind, double p) {
  T& result = *static_cast<T*>(acc_bytes);
  T acc = result;
  const T power = T(p);
  switch (kind) {
    case NormKind::Zero: visit<T>(in, shape, [&](T x) { acc = acc + (x == 0 ? T(0) : T(1)); }); break;
    case NormKind::One: visit<T>(in, shape, [&](T x) { acc = acc + std::fabs(x); }); break;
    case NormKind::Two: visit<T>(in, shape, [&](T x) { acc = acc + x * x; }); break;
    case NormKind::Largest:  // NaN wins
      visit<T>(in, shape, [&](T x) { acc = (acc > std::fabs(x) || acc != acc) ? acc : std::fabs(x); });
      break;
    case NormKind::Smallest:
      visit<T>(in, shape, [&](T x) { acc = (acc < std::fabs(x) || acc != acc) ? acc : std::fabs(x); });
      break;
    case NormKind::Power: visit<T>(in, shape, [&](T x) { acc = acc + std::pow(std::fabs(x), power); }); break;
  }
  result = acc;
}

template <class T>
void norm_two(void* out, const void* in, int64_t n, bool fused) {
  constexpr int L = 32 / int(sizeof(T));
  const T* x = static_cast<const T*>(in);
  T lane[L] = {};
  int64_t i = 0;
  for (; i + L <= n; i += L)
    for (int l = 0; l < L; ++l) lane[l] = lane[l] + x[i + l] * x[i + l];
  T sum = lane[0];
  for (int l = 1; l < L; ++l) sum = sum + lane[l];
  if (n - i >= 4)
    for (int l = 0; l < 4; ++l, ++i) sum = sum + x[i] * x[i];
  for (; i < n; ++i) sum = fused ? std::fma(x[i], x[i], sum) : sum + x[i] * x[i];
  *static_cast<T*>(out) = std::sqrt(sum);
}

}  // namespace

extern const MomentKernels moments_table = {{welford<float>, welford<double>},
                                            {welford_lanes<float>, welford_lanes<double>},
                                            {squares<float>, squares<double>},
                                            {norm<float>, norm<double>},
                                            {norm_two<float>, norm_two<double>}};

}  // namespace flambeau::FLAMBEAU_ISA
