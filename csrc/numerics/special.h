// Special functions of one double, for float and double alike: a float's result is rounded once. Accurate to a few ULP
// of double in the usual range; domains, poles and signs as PyTorch's (aten/src/ATen/native/Math.h), methods our own.
// Included by kernel files only: everything is local to the file that includes it.
#pragma once

#include <cmath>
#include <limits>

namespace flambeau::fn {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Hurwitz's zeta, sum of (q + k)^-x: a few terms as they stand, the rest by Euler and Maclaurin's formula.
double zeta(double x, double q) {
  if (x == 1) return kInfinity;
  if (!(x > 1)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (x != std::floor(x)) return kNan;
  }
  double sum = std::pow(q, -x);
  double a = q, term = 0;
  for (int i = 0; i < 9 || a <= 9; ++i) {
    a += 1;
    term = std::pow(a, -x);
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) return sum;
  }
  sum += term * a / (x - 1) - 0.5 * term;
  // (2k)! / B_2k
  // clang-format off
  constexpr double kFactors[] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9,
                                 7.47242496e10, -2.950130727918164224e12, 1.1646782814350067249e14,
                                 -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18};
  // clang-format on
  double rising = 1, k = 0;
  for (const double factor : kFactors) {
    rising *= x + k;
    term /= a;
    const double t = rising * term / factor;
    sum += t;
    if (std::fabs(t) < 1e-17 * std::fabs(sum)) break;
    k += 1;
    rising *= x + k;
    term /= a;
    k += 1;
  }
  return sum;
}

double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    if (x == std::trunc(x)) return kNan;
    const double fraction = x - std::trunc(x);
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double shift = 0;
  while (x < 10) {
    shift -= 1 / x;
    x += 1;
  }
  const double z = 1 / (x * x);
  // B_2k / 2k
  const double series =
      z *
      (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return x == kInfinity ? kInfinity : shift + std::log(x) - 0.5 / x - series;
}

// In the type asked for, as PyTorch does it: near the poles the rounding of pi * x is most of the result.
template <class T>
T trigamma(T x) {
  T sign = 1, result = 0;
  if (x < T(0.5)) {
    sign = -1;
    const T sine = std::sin(T(kPi) * x);
    result -= T(kPi) * T(kPi) / (sine * sine);
    x = 1 - x;
  }
  for (int i = 0; i < 6; ++i) {
    result += 1 / (x * x);
    x += 1;
  }
  const T z = 1 / (x * x);
  return sign * (result + (1 + 1 / (2 * x) + z * (T(1) / 6 - z * (T(1) / 30 - z * (T(1) / 42)))) / x);
}

template <class T>
T polygamma(T x, int64_t n) {
  if (n == 0) return T(digamma(x));
  if (n == 1) return trigamma(x);
  return T((n % 2 ? 1.0 : -1.0) * std::exp(std::lgamma(double(n) + 1)) * zeta(double(n) + 1, x));
}

// Newton's method with a second-order term, on erf or, near 1, on erfc of the exact distance to 1.
double erfinv(double x) {
  const double size = std::fabs(x);
  if (!(size <= 1)) return kNan;
  if (size == 1) return std::copysign(kInfinity, x);
  if (size == 0) return x;
  const double l = std::log1p(-size * size), h = 2 / (kPi * 0.147) + l / 2;
  double y = std::sqrt(std::sqrt(h * h - l / 0.147) - h);
  for (int i = 0; i < 3; ++i) {
    const double error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const double step = error / (1.12837916709551257390 * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

// exp(x^2) erfc(x): beyond 5 by its continued fraction.
double erfcx(double x) {
  if (!(x >= 5)) return std::exp(x * x) * std::erfc(x);
  double tail = x;
  for (int k = 50; k > 0; --k) tail = x + 0.5 * k / tail;
  return 0.56418958354775628695 / tail;
}
// In the type of the result, as PyTorch computes it: for a gradient the rounding of t * t cancels.
template <class T>
T log_ndtr(T x) {
  const T t = x * T(kSqrtHalf);
  if (x < T(-1)) return std::log(T(erfcx(double(-t))) / 2) - t * t;
  return std::log1p(-std::erfc(t) / 2);
}

// The inverse of ndtr: Newton's method on its logarithm, which is concave, from the left.
double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  if (p > 0.5) return -ndtri(1 - p);
  const double wanted = std::log(p);
  double x = -std::sqrt(-2 * wanted);
  for (int i = 0; i < 12; ++i) {
    const double value = log_ndtr(x);
    const double step = (value - wanted) * std::exp(value + x * x / 2) * 2.50662827463100050242;
    x -= step;
    if (std::fabs(step) < 1e-15 * std::fabs(x)) break;
  }
  return x;
}

// exp(-|x|) I_n(x) for n = 0, 1: the power series, all of whose terms are positive, or beyond 30 the asymptotic one.
double bessel_i_scaled(double x, int n) {
  const double size = std::fabs(x);
  double sum = 1, term = 1;
  if (size <= 30) {
    const double quarter = size * size / 4;
    for (int k = 1; k < 200 && term > 1e-17 * sum; ++k) {
      term *= quarter / (double(k) * (k + n));
      sum += term;
    }
    sum *= std::exp(-size) * (n ? size / 2 : 1);
  } else {
    for (int k = 1; k < 30 && std::fabs(term) > 1e-17; ++k) {
      const double odd = 2 * k - 1;
      term *= (odd * odd - 4 * n * n) / (8 * k * size);
      sum += term;
    }
    sum /= std::sqrt(2 * kPi * size);
  }
  if (x != x) return x;
  return n && x < 0 ? -sum : sum;
}
double i0e(double x) { return bessel_i_scaled(x, 0); }
double i1e(double x) { return bessel_i_scaled(x, 1); }
double i0(double x) { return std::exp(std::fabs(x)) * i0e(x); }
double i1(double x) { return std::exp(std::fabs(x)) * i1e(x); }

// In the type of x, as PyTorch has it.
template <class T>
T entr(T x) {
  return x != x ? x : x > 0 ? -x * std::log(x) : x == 0 ? T(0) : T(-kInfinity);
}

}  // namespace
}  // namespace flambeau::fn
