// Elementwise kernels: one dense loop for each operator and dtype, and nothing else; broadcasting, strides, other
// dtypes and threads are ops/elementwise.h's. Lists here name the operators; each .cpp has the formulas.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

// A parameter of a loop (alpha, a bound ...): read as `integer` by loops over integers and bools.
struct Number {
  double real = 0;
  int64_t integer = 0;
};
inline constexpr int kLoopParams = 4;

// data[0] is the output, then the inputs, all dense; the output may be an input. params has kLoopParams entries.
using Loop = void (*)(char* const* data, int64_t n, const Number* params);

// By DType; null where PyTorch has no such kernel. float16 and bfloat16 use float's.
struct Loops {
  Loop by_dtype[12] = {};
  bool to_bool = false;  // the output is bool, not the dtype of the loop
  // float32 only: what PyTorch computes one element at a time, where that differs: the last elements of a chunk that do
  // not fill two vectors, and rows that are not dense (vectorized_loop in aten/src/ATen/native/cpu/Loops.h).
  Loop tail = nullptr;
  bool narrow = false;  // a pair of vectors is 16 elements in every capability: not built for AVX-512
  bool one_chunk_a_thread = false;  // above 16384 elements, as GELU's tanh form is cut
};

// (name, dtypes): Floating, Tailed (the same, with a tail), Numbers (and integers), Integers, All (and bool), Bits
// (integers and bool).
// clang-format off
#define FLAMBEAU_ARITHMETIC(_)                                                                                    \
  _(add, All) _(axpy, Numbers) _(mul, All) _(div, Floating) _(div_trunc, Numbers) _(div_floor, Numbers)            \
  _(remainder, Numbers) _(fmod, Numbers) _(pow, TailedNumbers) _(maximum, All) _(minimum, All) _(fmax, Numbers)           \
  _(fmin, Numbers) _(gcd, Integers) _(lcm, Integers) _(heaviside, All) _(atan2, Tailed) _(hypot, Floating)        \
  _(copysign, Floating) _(nextafter, Floating) _(logaddexp, Tailed) _(logaddexp2, Tailed) _(xlogy, Floating)    \
  _(xlog1py, Floating) _(bitwise_and, Bits) _(bitwise_or, Bits) _(bitwise_xor, Bits)             \
  _(left_shift, Integers) _(right_shift, Integers)
// clang-format on
#define FLAMBEAU_COMPARISONS(_) _(eq) _(ne) _(lt) _(le) _(gt) _(ge) _(logical_and) _(logical_or) _(logical_xor)
// clang-format off
#define FLAMBEAU_PREDICATES(_) \
  _(logical_not, All) _(isnan, Floating) _(isinf, Floating) _(isfinite, Floating) _(isposinf, Floating) \
  _(isneginf, Floating) _(signbit, Numbers)
#define FLAMBEAU_UNARY(_)                                                                                         \
  _(neg, Numbers) _(abs, Numbers) _(sign, All) _(square, Numbers) _(cube, Numbers) _(bitwise_not, Bits)             \
  _(floor, Floating) _(ceil, Floating) _(trunc, Floating) _(frac, Floating) _(round, Floating)                     \
  _(round_decimals, Floating) _(nan_to_num, Floating) _(clamp, Numbers) _(sqrt, Floating) _(rsqrt, Floating) _(pow_number, Tailed)        \
  _(reciprocal, Floating) _(reciprocal_square, Floating) _(exp, Floating) _(log, Floating) _(tanh, Floating)       \
  _(sigmoid, Tailed) _(erf, Floating) _(sin, Floating) _(cos, Floating) _(deg2rad, Floating) _(rad2deg, Floating)
// clang-format on
// One call of the C library or of numerics/special.h an element.
// clang-format off
#define FLAMBEAU_SPECIAL(_)                                                                                        \
  _(exp2, Tailed) _(expm1, Floating) _(log2, Floating) _(log10, Floating) _(log1p, Floating) _(tan, Floating)      \
  _(asin, Floating) _(acos, Floating) _(atan, Floating) _(sinh, Tailed) _(cosh, Tailed) _(asinh, Floating)         \
  _(acosh, Floating) _(atanh, Tailed) _(erfc, Floating) _(erfinv, Floating) _(lgamma, Floating)                    \
  _(digamma, Floating) _(sinc, Floating) _(entr, Floating) _(log_ndtr, Floating)                 \
  _(ndtri, Floating) _(erfcx, Floating) _(i0, Floating) _(i0e, Floating) _(i1, Floating) _(i1e, Floating)          \
  _(polygamma, Floating) _(zeta, Floating)
// clang-format on
// Activations: from self. Slopes: from the gradient and self or the result. gelu_avx*: oneDNN's, by its own capability;
// gelu_strided: ATen's own, for single elements and tensors that are not contiguous.
// clang-format off
#define FLAMBEAU_ACTIVATIONS(_)                                                                                   \
  _(relu, Numbers) _(threshold, Numbers) _(gelu_tanh, TailedByThread) _(silu, Tailed) _(mish, Tailed)                \
  _(softplus, Tailed) _(leaky_relu, Floating) _(elu, Tailed) _(hardswish, Floating) _(hardsigmoid, Floating)   \
  _(hardshrink, Floating) _(softshrink, TailedNarrow) _(log_sigmoid, Floating)
#define FLAMBEAU_ACTIVATION_SLOPES(_)                                                                             \
  _(threshold_slope, Numbers) _(sigmoid_slope, Floating) _(tanh_slope, Floating) _(gelu_slope, Floating)           \
  _(gelu_tanh_slope, TailedByThread) _(silu_slope, Tailed) _(mish_slope, Tailed) _(softplus_slope, Tailed)                 \
  _(leaky_relu_slope, Floating) _(elu_slope, Tailed) _(hardtanh_slope, Floating) _(hardswish_slope, Floating)      \
  _(hardsigmoid_slope, Floating) _(shrink_slope, Floating) _(log_sigmoid_slope, Floating) _(prelu, Floating)         \
  _(gelu_avx512, Floating) _(gelu_avx2, Floating) _(gelu_strided, Tailed) _(gelu_strided_slope, Tailed)
#define FLAMBEAU_MIXTURES(_) \
  _(addcmul, Numbers) _(addcdiv, Floating) _(lerp, Floating) _(clamp_between, Numbers)
// clang-format on

#define FLAMBEAU_FIELD(name, ...) Loops name;
struct ArithmeticKernels {
  FLAMBEAU_ARITHMETIC(FLAMBEAU_FIELD)
  Loops axpy_one;  // axpy where y is one number for all elements of a dense row
};
struct ComparisonKernels {
  FLAMBEAU_COMPARISONS(FLAMBEAU_FIELD)
  FLAMBEAU_PREDICATES(FLAMBEAU_FIELD)
};
struct UnaryKernels {
  FLAMBEAU_UNARY(FLAMBEAU_FIELD)
};
struct SpecialKernels {
  FLAMBEAU_SPECIAL(FLAMBEAU_FIELD)
};
struct ActivationKernels {
  FLAMBEAU_ACTIVATIONS(FLAMBEAU_FIELD)
  FLAMBEAU_ACTIVATION_SLOPES(FLAMBEAU_FIELD)
};
struct MixtureKernels {
  FLAMBEAU_MIXTURES(FLAMBEAU_FIELD)
  Loop where[4];  // by log2 of the element's width: out, condition (bool), self, other
};
#undef FLAMBEAU_FIELD

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(ArithmeticKernels, arithmetic)
FLAMBEAU_DECLARE_KERNELS(ComparisonKernels, comparison)
FLAMBEAU_DECLARE_KERNELS(UnaryKernels, unary)
FLAMBEAU_DECLARE_KERNELS(SpecialKernels, special)
FLAMBEAU_DECLARE_KERNELS(ActivationKernels, activation)
FLAMBEAU_DECLARE_KERNELS(MixtureKernels, mixture)
