// exp, log, sin, cos and tan of float32 as MKL's vector math computes them in its high-accuracy mode, for PyTorch's
// whole-tensor operators (kernels/vml.h; sleef.h has what ATen's own kernels use). sqrt is in vml_sqrt.h, tanh in
// vml_tanh.h, erf in vml_erf.h.
//
// Each function is a struct: `value`, whose loops vectorise; `rare`, the inputs for which value is not meant; `exact`,
// for those. Where value needs a row of a table, `row` says which of kRows, so that a loop can collect them first.
// Contract: MKL's bits for every float (NaN payloads aside) on its three paths, except where a function says less.
// Always inlined: kernels for different instruction sets must not share one copy.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/profile.h"

namespace flambeau::vml {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kSmallestNormal = std::numeric_limits<float>::min();

FLAMBEAU_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FLAMBEAU_INLINE uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
FLAMBEAU_INLINE float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// 2^(j / N): the nearest float, and what it lacks, absolutely or relatively.
struct Power {
  float head, rest;
};
template <unsigned N, bool kRelative>
constexpr std::array<Power, N> make_powers() {
  // 2^(1/128), 2^(2/128), 2^(4/128) ... times 2^63.
  constexpr uint64_t kRoots[7] = {0x80b1ed4fd999ab6c, 0x8164d1f3bc030773, 0x82cd8698ac2ba1d7, 0x85aac367cc487b15,
                                  0x8b95c1e3ea8bd6e7, 0x9837f0518db8a96f, 0xb504f333f9de6484};
  std::array<Power, N> powers{};
  for (unsigned j = 0; j < N; ++j) {
    uint64_t power = uint64_t(1) << 63;
    for (unsigned b = 0; b < 7; ++b)
      if ((j * (128 / N)) >> b & 1) power = uint64_t((unsigned __int128)power * kRoots[b] >> 63);
    const float head = float(power);
    const double rest = double(int64_t(power - uint64_t(head)));
    powers[j] = {head * 0x1p-63f, float(rest / (kRelative ? head : 0x1p63f))};
  }
  return powers;
}

// x = k ln 2 / N + r: 2^(k / N) from the table times a polynomial in r.
template <MklPath kPath>
struct Exp {
  static constexpr float kLimit = 0x1.5d589ep+6f;  // 126 ln 2; beyond it results are correctly rounded
  static constexpr unsigned kBits = kPath == MklPath::Amd ? 7 : kPath == MklPath::IntelAvx2 ? 2 : 5;  // of N
  using Row = Power;
  static constexpr std::array<Row, 1u << kBits> kRows = make_powers<1u << kBits, kPath != MklPath::Amd>();

  FLAMBEAU_INLINE bool rare(float x) { return !(__builtin_fabsf(x) <= kLimit); }
  FLAMBEAU_INLINE float exact(float x) {
    return x > 89.0f ? kInfinity : x < -104.0f ? 0.0f : float(std::exp(double(x)));
  }

  FLAMBEAU_INLINE uint32_t row(float x) { return uint32_t(int32_t(steps(inside(x)))) & (kRows.size() - 1); }
  FLAMBEAU_INLINE float value(float given, Row power) {
    const float x = inside(given), k = steps(x), n = k * (1.0f / float(kRows.size()));
    float y;
    if constexpr (kPath == MklPath::Amd) {
      const float r = (x - k * 0x1.63p-8f) - k * -0x1.bd0106p-20f;
      const float p = r + (r * r) * 0.5f;
      y = power.head + (power.head * p + power.rest);
    } else if constexpr (kPath == MklPath::IntelAvx2) {
      const float r = fma(-n, 0x1.0bfbe8p-15f, fma(-n, 0x1.62ep-1f, x));
      const float q = fma(fma(0x1.557624p-5f, r, 0x1.557624p-3f), r, 0x1.fffffep-2f);
      y = fma(power.head, r + fma(r * r, q, power.rest), power.head);
    } else {
      const float r = fma(-n, -0x1.05c61p-29f, fma(-n, 0x1.62e43p-1f, x));
      const float q = fma(0x1.5557e6p-3f, r, 0x1.0001ecp-1f);
      y = fma(power.head, fma(r * r, q, r + power.rest), power.head);
    }
    return y * float_of(uint32_t((int32_t(k) >> kBits) + 127) << 23);
  }

  FLAMBEAU_INLINE float inside(float x) {
    x = x > -kLimit ? x : -kLimit;  // NaN too
    return x < kLimit ? x : kLimit;
  }
  // k: x N / ln 2, rounded, or rounded down with AVX-512; Intel's paths do not round the product first.
  FLAMBEAU_INLINE float steps(float x) {
    constexpr float kScale = 0x1.715476p+0f * float(kRows.size()), kRounder = 0x1.8p+23f;
    if constexpr (kPath == MklPath::Amd) return __builtin_rintf(x * kScale);
    if constexpr (kPath == MklPath::IntelAvx2) return fma(x, kScale, kRounder) - kRounder;
    const float nearly = __builtin_floorf(x * kScale);
    return fma(x, kScale, -nearly) < 0 ? nearly - 1 : nearly;
  }
};

// -ln(2 R) for R = 1 - j / 64, in two floats: a multiple of 2^-15 and the rest; 0 for R = 1.
struct NegativeLogs {
  std::array<float, 33> head{}, tail{};
};
constexpr NegativeLogs make_negative_logs() {
  // clang-format off
  constexpr double kLogs[33] = {
      0,                     -0x1.5ad404c359f2dp-1, -0x1.52a2d265bc5abp-1, -0x1.4a4f85db03ebbp-1, -0x1.41d8fe84672aep-1,
      -0x1.393e0d3562a1ap-1, -0x1.307d7334f10bep-1, -0x1.2795e1289b11bp-1, -0x1.1e85f5e7040d0p-1, -0x1.154c3d2f4d5eap-1,
      -0x1.0be72e4252a83p-1, -0x1.02552a5a5d0ffp-1, -0x1.f128f5faf06edp-2, -0x1.dd46a04c1c4a1p-2, -0x1.c8ff7c79a9a22p-2,
      -0x1.b44f77bcc8f63p-2, -0x1.9f323ecbf984cp-2, -0x1.89a3386c1425bp-2, -0x1.739d7f6bbd007p-2, -0x1.5d1bdbf5809cap-2,
      -0x1.4618bc21c5ec2p-2, -0x1.2e8e2bae11d31p-2, -0x1.1675cababa60ep-2, -0x1.fb9186d5e3e2bp-3, -0x1.c8ff7c79a9a22p-3,
      -0x1.9525a9cf456b4p-3, -0x1.5ff3070a793d4p-3, -0x1.29552f81ff523p-3, -0x1.e27076e2af2e6p-4, -0x1.6f0d28ae56b4cp-4,
      -0x1.f0a30c01162a6p-5, -0x1.f829b0e783300p-6, 0};
  // clang-format on
  NegativeLogs logs;
  for (int j = 0; j < 33; ++j) {
    const double nearest = double(int64_t(kLogs[j] * 0x1p15 - 0.5)) * 0x1p-15;
    logs.head[j] = float(nearest);
    logs.tail[j] = float(kLogs[j] - nearest);
  }
  return logs;
}
inline constexpr NegativeLogs kNegativeLogs = make_negative_logs();

// j where 1 / m, by VRCP14PS, rounds to 1 - j / 64: it steps up where the significand of m in [1, 2) reaches these
// times 2^7. A cell a value of the upper seven bits: j below the cell's step in the upper byte, the step (or none)
// below.
constexpr std::array<uint32_t, 128> make_reciprocal_steps() {
  constexpr uint16_t kSteps[32] = {0x0206, 0x0627, 0x0a6a, 0x0ed1, 0x135d, 0x1810, 0x1cf2, 0x21fe,
                                   0x2736, 0x2ca0, 0x3240, 0x3813, 0x3e25, 0x446f, 0x4afe, 0x51d3,
                                   0x58ef, 0x6058, 0x6817, 0x702e, 0x78a5, 0x8184, 0x8acd, 0x948c,
                                   0x9ecb, 0xa991, 0xb4e9, 0xc0e2, 0xcd88, 0xdae8, 0xe915, 0xf825};
  std::array<uint32_t, 128> cells{};
  uint32_t j = 0;
  for (uint32_t cell = 0; cell < 128; ++cell) {
    const bool steps = j < 32 && kSteps[j] >> 9 == cell;
    cells[cell] = (j << 24) | (steps ? uint32_t(kSteps[j]) << 7 : 0xffffff);
    j += steps;
  }
  return cells;
}
inline constexpr std::array<uint32_t, 128> kReciprocalSteps = make_reciprocal_steps();

template <MklPath kPath>
struct Log {
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;

  // 0, negative, infinite and NaN; subnormal where that is correctly rounded.
  FLAMBEAU_INLINE bool rare(float x) {
    return kPath == MklPath::IntelAvx512 ? !(x > 0 && x < kInfinity) : !(x >= kSmallestNormal && x < kInfinity);
  }
  FLAMBEAU_INLINE float exact(float x) { return float(std::log(double(x))); }
  FLAMBEAU_INLINE float value(float x) { return kPath == MklPath::IntelAvx512 ? intel_avx512(x) : by_polynomial(x); }

  // x = 2^k (1 + r) with 1 + r in [2/3, 4/3), and a polynomial of degree 10 in r.
  FLAMBEAU_INLINE float by_polynomial(float x) {
    constexpr float kCoefficients[9] = {-0x1.08059p-3f, 0x1.1e66bap-3f,  -0x1.f3113cp-4f,
                                        0x1.1ed718p-3f, -0x1.559dccp-3f, 0x1.99d028p-3f,
                                        -0x1.fffefp-3f, 0x1.555506p-2f,  -0x1p-1f};
    const uint32_t bits = bits_of(x), significand = (bits & 0x7fffff) | 0x3f800000;
    const bool high = significand >= 0x3faaaaab;
    const float r = float_of(significand) * (high ? 0.5f : 1.0f) - 1.0f;
    const float k = float(int32_t(bits >> 23) - (high ? 126 : 127));
    float p = kCoefficients[0];
    if constexpr (kPath == MklPath::Amd) {
      for (int j = 1; j < 9; ++j) p = p * r + kCoefficients[j];
      return k * kLn2High + ((r + r * (r * p)) + k * kLn2Low);
    } else {
      for (int j = 1; j < 9; ++j) p = fma(p, r, kCoefficients[j]);
      return fma(k, kLn2High, fma(k, kLn2Low, fma(r * p, r, r)));
    }
  }

  // x = 2^k m, R near 1 / m: k ln 2 - ln R + ln(1 + r) with r = m R - 1, by a polynomial of degree 4.
  FLAMBEAU_INLINE float intel_avx512(float x) {
    const bool subnormal = x < kSmallestNormal;
    const uint32_t bits = bits_of(subnormal ? x * 0x1p24f : x), significand = bits & 0x7fffff;
    const uint32_t cell = kReciprocalSteps[significand >> 16];
    const uint32_t j = (cell >> 24) + (significand >= (cell & 0xffffff) ? 1 : 0);
    const float r = fma(float_of(significand | 0x3f800000), 1.0f - float(int32_t(j)) * 0x1p-6f, -1.0f);
    const float k = float(int32_t(bits >> 23) - (subnormal ? 151 : 127) + (j ? 1 : 0));
    const float high = fma(k, kLn2High, kNegativeLogs.head[j]);
    const float sum = high + r, lost = (high - sum) + r;
    const float p = fma(fma(-0x1.00102p-2f, r, 0x1.55623cp-2f), r, -0.5f);
    return sum + (fma(r * r, p, fma(k, kLn2Low, kNegativeLogs.tail[j])) + lost);
  }
};

// sin and cos up to 10000: x less the nearest multiple of pi, or odd multiple of pi / 2, and one polynomial in double.
// Beyond, MKL has another algorithm, from which 1% of the correctly rounded results here differ in the last place.
template <MklPath kPath, bool kCosine>
struct Sine {
  FLAMBEAU_INLINE bool rare(float x) { return !(__builtin_fabsf(x) <= 10000.0f); }
  FLAMBEAU_INLINE float exact(float x) { return float(kCosine ? std::cos(double(x)) : std::sin(double(x))); }
  FLAMBEAU_INLINE float value(float x) {
    constexpr float kInversePi = 0x1.45f306p-2f;
    const float given = kCosine ? __builtin_fabsf(x) : x;
    const float from = kCosine ? given + 0x1.921fb6p+0f : given;
    // Only the AMD path rounds the product.
    const double k =
        kPath == MklPath::Amd ? double(__builtin_rintf(from * kInversePi)) : __builtin_rint(double(from) * kInversePi);
    const double h = kCosine ? k - 0.5 : k;
    const double r = ((given - h * 0x1.921fb544p+1) - h * 0x1.0b4611ap-33) - h * 0x1.898cc51701b84p-63, s = r * r;
    const double v = r + r * s *
                             (-0x1.55554bc8365f8p-3 +
                              s * (0x1.110ed3804e159p-7 + s * (-0x1.9f6ffeeab4b9dp-13 + s * 0x1.5dbdf0e82728cp-19)));
    const float y = float(int32_t(k) & 1 ? -v : v);
    return !kCosine && x == 0 ? x : y;
  }
};
template <MklPath kPath>
using Sin = Sine<kPath, false>;
template <MklPath kPath>
using Cos = Sine<kPath, true>;

// tan up to 10000 on the AMD path: a polynomial of degree 21 in x less the nearest multiple of pi / 2, fitted: of MKL's
// results 4 in 10 million differ. Elsewhere correctly rounded: of MKL's 0.07% (AVX-512), 0.002% (AVX2), 0.1% (beyond
// 10000).
template <MklPath kPath>
struct Tan {
  FLAMBEAU_INLINE bool rare(float x) { return kPath != MklPath::Amd || !(__builtin_fabsf(x) <= 10000.0f); }
  FLAMBEAU_INLINE float exact(float x) { return float(std::tan(double(x))); }
  FLAMBEAU_INLINE float value(float x) {
    // Of Chebyshev polynomials.
    // clang-format off
    constexpr double kCoefficients[11] = {0x1.207d3b1c8b615p+0,  0x1.165ef8ee2668ap-3,  0x1.3c80f0dbf1814p-7,
                                          0x1.6b421532754b0p-11, 0x1.a11fb4fb36182p-15, 0x1.defd3e70d37b3p-19,
                                          0x1.1303e262f8ab3p-22, 0x1.3bcc595378c54p-26, 0x1.6a8380c1fe9dbp-30,
                                          0x1.9daaa2543dc72p-34, 0x1.a678314ebaaaep-38};
    // clang-format on
    const float k = __builtin_rintf(x * 0x1.45f306p-1f);
    const double h = double(k) * 0.5;
    const double r = ((x - h * 0x1.921fb544p+1) - h * 0x1.0b4611ap-33) - h * 0x1.898cc51701b84p-63;
    const double s = 2 * (r * r) / 0.6168503 - 1;
    double before = 0, sum = 0;
    for (int j = 10; j > 0; --j) {
      const double next = 2 * s * sum - before + kCoefficients[j];
      before = sum;
      sum = next;
    }
    const double v = r * (s * sum - before + kCoefficients[0]);
    const float y = float(int32_t(k) & 1 ? -1 / v : v);
    return x == 0 ? x : y;
  }
};

#undef FLAMBEAU_INLINE

}  // namespace flambeau::vml
