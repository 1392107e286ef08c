// Binary arithmetic (kernels/elementwise.h). Integers wrap. Follows aten/src/ATen/native/cpu/BinaryOpsKernel.cpp.
#include <cstring>

#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

#define FLAMBEAU_INLINE __attribute__((always_inline)) inline

// Unsigned, and wide enough not to be promoted: overflow is defined.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
FLAMBEAU_INLINE T plus(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) return x || y;
  else if constexpr (std::is_floating_point_v<T>) return x + y;
  else return T(Unsigned<T>(x) + Unsigned<T>(y));
}
template <class T>
FLAMBEAU_INLINE T times(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) return x && y;
  else if constexpr (std::is_floating_point_v<T>) return x * y;
  else return T(Unsigned<T>(x) * Unsigned<T>(y));
}
template <class T>
FLAMBEAU_INLINE T axpy(T x, T y, T alpha) {
  if constexpr (std::is_floating_point_v<T>) return fn::fma(y, alpha, x);
  else return plus(x, times(alpha, y));
}

// Integer division; zero divisors were refused before, and the smallest number by -1 wraps instead of trapping.
template <class T>
FLAMBEAU_INLINE T quotient(T x, T y) {
  if (y == 0) return 0;
  if (std::is_signed_v<T> && y == T(-1)) return T(Unsigned<T>(0) - Unsigned<T>(x));
  return T(x / y);
}
template <class T>
FLAMBEAU_INLINE T rest(T x, T y) {
  return y == 0 || (std::is_signed_v<T> && y == T(-1)) ? T(0) : T(x % y);
}
// The remainder of two floats is exact. Where the quotient has less than 29 bits it is a whole double times the divisor
// away, which vectorises; fits() says where.
FLAMBEAU_INLINE bool fits(float x, float y) {
  return fn::abs(x) < 0x1p28f * fn::abs(y) && fn::abs(y) <= 0x1.fffffep127f;
}
FLAMBEAU_INLINE float short_fmod(float x, float y) {
  const double divisor = y, left = double(x) - fn::trunc(double(x) / divisor) * divisor;
  // The quotient may have been rounded up to a whole number.
  const double size = x < 0.0f ? -left : left, mod = size < 0 ? size + fn::abs(divisor) : size;
  return fn::copysign(float(mod), x);
}
struct Library {
  template <class T>
  FLAMBEAU_INLINE static T fmod(T x, T y) {
    return std::fmod(x, y);
  }
};
struct Short {
  template <class T>
  FLAMBEAU_INLINE static T fmod(T x, T y) {
    return short_fmod(x, y);
  }
};

template <class R, class T>
FLAMBEAU_INLINE T fmod(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) return R::fmod(x, y);
  else return rest(x, y);
}
// As Python's % : the sign of the divisor.
template <class R, class T>
FLAMBEAU_INLINE T remainder(T x, T y) {
  const T mod = fmod<R>(x, y);
  return mod != 0 && (mod < 0) != (y < 0) ? T(mod + y) : mod;
}
template <class T>
FLAMBEAU_INLINE T div_trunc(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) return fn::trunc(x / y);
  else return quotient(x, y);
}
// As Python's // : by way of fmod, so that the result is exact.
template <class R, class T>
FLAMBEAU_INLINE T div_floor(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    const T mod = fmod<R>(x, y), exact = (x - mod) / y;
    const T div = mod != 0 && (y < 0) != (mod < 0) ? exact - T(1) : exact;
    const T low = fn::floor(div), floored = div - low > T(0.5) ? low + T(1) : low;
    return y == 0 ? x / y : div == 0 ? fn::copysign(T(0), x / y) : floored;
  } else {
    const T q = quotient(x, y);
    return rest(x, y) != 0 && (x < 0) != (y < 0) ? T(q - 1) : q;
  }
}
template <class M, class T>
FLAMBEAU_INLINE T power(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return M::pow(x, y);
  } else {
    if (y < 0) return x == 1 ? T(1) : std::is_signed_v<T> && x == T(-1) ? T(y % 2 ? -1 : 1) : T(0);
    T result = 1;
    for (uint64_t e = uint64_t(y); e; e >>= 1) {
      if (e & 1) result = times(result, x);
      x = times(x, x);
    }
    return result;
  }
}
template <class T>
FLAMBEAU_INLINE T greatest_divisor(T x, T y) {
  uint64_t a = x < 0 ? 0 - uint64_t(x) : uint64_t(x), b = y < 0 ? 0 - uint64_t(y) : uint64_t(y);
  while (a != 0) {
    const uint64_t c = a;
    a = b % a;
    b = c;
  }
  return T(b);
}
template <class T>
FLAMBEAU_INLINE T least_multiple(T x, T y) {
  const T divisor = greatest_divisor(x, y);
  if (divisor == 0) return 0;
  const T multiple = times(T(x / divisor), y);
  return multiple < 0 ? T(Unsigned<T>(0) - Unsigned<T>(multiple)) : multiple;
}
// Equal infinities are their own sum.
template <class M, class T>
FLAMBEAU_INLINE T logaddexp(T x, T y) {
  const T larger = x != x || x > y ? x : y;
  return std::isinf(x) && x == y ? x : larger + M::log1p(M::exp(-fn::abs(x - y)));
}
template <class M, class T>
FLAMBEAU_INLINE T logaddexp2(T x, T y) {
  constexpr T kInverseLn2 = T(1.442695040888963407359924681001892137);
  const T larger = x != x || x > y ? x : y;
  return std::isinf(x) && x == y ? x : fn::fma(M::log1p(M::exp2(-fn::abs(x - y))), kInverseLn2, larger);
}
// Counts outside the width shift everything out (right shifts of negative numbers to -1).
template <class T>
FLAMBEAU_INLINE T left_shift(T x, T y) {
  constexpr int kBits = int(sizeof(T) * 8);
  return y < 0 || y >= kBits ? T(0) : T(Unsigned<T>(x) << y);
}
template <class T>
FLAMBEAU_INLINE T right_shift(T x, T y) {
  constexpr int kBits = int(sizeof(T) * 8);
  if (y < 0 || y >= kBits) return std::is_signed_v<T> ? T(x >> (kBits - 1)) : T(0);
  return T(x >> y);
}

FLAMBEAU_FORMULA(2, add, plus(x, y))
FLAMBEAU_FORMULA(2, axpy, axpy(x, y, p.a))
FLAMBEAU_FORMULA(2, mul, times(x, y))
FLAMBEAU_FORMULA(2, div, x / y)
FLAMBEAU_FORMULA(2, div_trunc, div_trunc(x, y))
FLAMBEAU_FORMULA(2, div_floor, div_floor<Library>(x, y))
FLAMBEAU_FORMULA(2, remainder, remainder<Library>(x, y))
FLAMBEAU_FORMULA(2, fmod, fmod<Library>(x, y))
FLAMBEAU_FORMULA(2, pow, power<M>(x, y))
FLAMBEAU_FORMULA(2, maximum, x != x ? x : y != y ? y : x > y ? x : y)
FLAMBEAU_FORMULA(2, minimum, x != x ? x : y != y ? y : x < y ? x : y)
FLAMBEAU_FORMULA(2, fmax, y != y ? x : x > y ? x : y)
FLAMBEAU_FORMULA(2, fmin, y != y ? x : x < y ? x : y)
FLAMBEAU_FORMULA(2, gcd, greatest_divisor(x, y))
FLAMBEAU_FORMULA(2, lcm, least_multiple(x, y))
FLAMBEAU_FORMULA(2, heaviside, x == T(0) ? y : T(x > T(0)))
FLAMBEAU_FORMULA(2, atan2, M::atan2(x, y))
FLAMBEAU_FORMULA(2, hypot, std::hypot(x, y))
FLAMBEAU_FORMULA(2, copysign, fn::copysign(x, y))
FLAMBEAU_FORMULA(2, nextafter, std::nextafter(x, y))
FLAMBEAU_FORMULA(2, logaddexp, logaddexp<M>(x, y))
FLAMBEAU_FORMULA(2, logaddexp2, logaddexp2<M>(x, y))
FLAMBEAU_FORMULA(2, xlogy, y != y ? y : x == T(0) ? T(0) : x * std::log(y))
FLAMBEAU_FORMULA(2, xlog1py, y != y ? y : x == T(0) ? T(0) : x * std::log1p(y))
FLAMBEAU_FORMULA(2, bitwise_and, T(x& y))
FLAMBEAU_FORMULA(2, bitwise_or, T(x | y))
FLAMBEAU_FORMULA(2, bitwise_xor, T(x ^ y))
FLAMBEAU_FORMULA(2, left_shift, left_shift(x, y))
FLAMBEAU_FORMULA(2, right_shift, right_shift(x, y))

// What is left after blocks of 16 is a scalar loop in PyTorch, which the compiler turned into one element, groups of
// four with alpha * y taken out of the loop and rounded, and the rest.
void axpy_one_tail(char* const* data, int64_t n, const Number* params) {
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  const float* y = reinterpret_cast<const float*>(data[2]);
  const float alpha = float(params[0].real);
  const int64_t left = n % 16, first = n - left + 1, last = left ? first + (left - 1) / 4 * 4 : first;
  for (int64_t i = 0; i < n; ++i) out[i] = i >= first && i < last ? x[i] + y[i] * alpha : fn::fma(y[i], alpha, x[i]);
}

// The float32 loops by way of the remainder: blocks by the short one, then, where it does not fit, by the library's.
template <float (*kShort)(float, float), float (*kLibrary)(float, float)>
void remainder_loop(char* const* data, int64_t n, const Number*) {
  constexpr int64_t kBlock = 256;
  float* out = reinterpret_cast<float*>(data[0]);
  const float* x = reinterpret_cast<const float*>(data[1]);
  const float* y = reinterpret_cast<const float*>(data[2]);
  float block[kBlock];
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    int all = 1;
    for (int64_t i = 0; i < count; ++i) {
      block[i] = kShort(x[begin + i], y[begin + i]);
      all &= fits(x[begin + i], y[begin + i]);
    }
    if (!all)
      for (int64_t i = 0; i < count; ++i)
        if (!fits(x[begin + i], y[begin + i])) block[i] = kLibrary(x[begin + i], y[begin + i]);
    std::memcpy(out + begin, block, size_t(count) * sizeof(float));
  }
}

constexpr ArithmeticKernels make_table() {
  ArithmeticKernels table = {FLAMBEAU_ARITHMETIC(FLAMBEAU_LOOPS)};
  table.fmod.by_dtype[6] = remainder_loop<fmod<Short, float>, fmod<Library, float>>;
  table.remainder.by_dtype[6] = remainder_loop<remainder<Short, float>, remainder<Library, float>>;
  table.div_floor.by_dtype[6] = remainder_loop<div_floor<Short, float>, div_floor<Library, float>>;
  table.axpy_one = loops<axpy_formula, Numbers>();
  table.axpy_one.tail = axpy_one_tail;
  return table;
}

}  // namespace

const ArithmeticKernels arithmetic_table = make_table();

}  // namespace flambeau::FLAMBEAU_ISA
