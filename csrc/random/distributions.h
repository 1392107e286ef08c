// One sample of each distribution from the stream, as ATen/core/DistributionsHelper.h and TransformationHelper.h
// compute it: in double, whatever the tensor's dtype, with the C library's log, log1p, sin, cos, tan and exp. The
// builds of PyTorch for AVX2 and AVX-512 fuse the last multiplication and addition; the DEFAULT build is left out.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "random/generator.h"

namespace flambeau {

inline double uniform_double(Generator& g) { return double(g.random64() & ((1ull << 53) - 1)) * 0x1p-53; }
inline float uniform_float(Generator& g) { return float(g.random() & 0xffffffu) * 0x1p-24f; }

struct Uniform {
  double from, to;
  double operator()(Generator& g) const { return std::fma(uniform_double(g), to - from, from); }
};

// Box-Muller in pairs; the second of a pair waits in the generator.
struct Normal {
  double mean, std;
  double operator()(Generator& g) const { return std::fma(standard(g), std, mean); }
  static double standard(Generator& g) {
    if (g.next_double_normal) {
      const double value = *g.next_double_normal;
      g.next_double_normal.reset();
      return value;
    }
    const double u1 = uniform_double(g), u2 = uniform_double(g);
    const double radius = std::sqrt(-2.0 * std::log1p(-u2)), theta = 2.0 * std::numbers::pi * u1;
    g.next_double_normal = radius * std::sin(theta);
    return radius * std::cos(theta);
  }
};

struct LogNormal {
  Normal normal;
  double operator()(Generator& g) const { return std::exp(normal(g)); }
};

struct Bernoulli {
  double p;
  double operator()(Generator& g) const { return uniform_double(g) < p; }
};

struct Exponential {
  double lambda;
  double operator()(Generator& g) const { return -1.0 / lambda * std::log1p(-uniform_double(g)); }
};

struct Geometric {
  double p;
  double operator()(Generator& g) const { return std::ceil(std::log(uniform_double(g)) / std::log1p(-p)); }
};

struct Cauchy {
  double median, sigma;
  double operator()(Generator& g) const {
    // Away from 0 and 1, where the tangent has its poles.
    constexpr double eps = std::numeric_limits<double>::epsilon();
    double u = uniform_double(g);
    u = u > 1.0 - eps ? 1.0 - eps : u < eps ? eps : u;
    return std::fma(sigma, std::tan(std::numbers::pi * (u - 0.5)), median);
  }
};

// base + word % range, of 32 bits where the range is below 2^28. Additions wrap.
struct UniformInt {
  uint64_t base, range;
  int64_t operator()(Generator& g) const {
    if (range >= 1ull << 28) return int64_t(base + g.random64() % range);
    return int64_t(base + g.random() % uint32_t(range));
  }
};
struct FullInt {  // all of int64
  int64_t operator()(Generator& g) const { return int64_t(g.random64()); }
};
struct WideInt {  // 64 bits, reduced
  uint64_t range;
  int64_t operator()(Generator& g) const { return int64_t(g.random64() % range); }
};
struct NarrowInt {  // 32 bits, reduced
  uint32_t range;
  int64_t operator()(Generator& g) const { return int64_t(g.random() % range); }
};

}  // namespace flambeau
