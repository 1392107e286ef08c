// From a formula to its loops: FLAMBEAU_FORMULA(1, neg, -x) defines the operator, FLAMBEAU_LOOPS lists it in a table.
// In a formula x, y, z are the inputs, p.a .. p.d the parameters, T the element type, M the elementary functions
// (fn::Vector, or fn::Library for single elements). Only for .cpp files in kernels/.
#pragma once

#include <type_traits>

#include "kernels/elementwise.h"
#include "numerics/functions.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

template <class T>
struct Params {
  T a, b, c, d;
  explicit Params(const Number* n) : a(get(n[0])), b(get(n[1])), c(get(n[2])), d(get(n[3])) {}
  static T get(const Number& n) {
    if constexpr (std::is_floating_point_v<T>) return T(n.real);
    else return T(n.integer);
  }
};

template <class Op, class M, class T, class Out>
void elementwise_loop(char* const* data, int64_t n, const Number* params) {
  Out* out = reinterpret_cast<Out*>(data[0]);
  const T* x = reinterpret_cast<const T*>(data[1]);
  const Params<T> p(params);
  // The output may be an input, but only element by element.
  if constexpr (Op::inputs == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = Out(Op::template value<M, T>(p, x[i], T(), T()));
  } else if constexpr (Op::inputs == 2) {
    const T* y = reinterpret_cast<const T*>(data[2]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = Out(Op::template value<M, T>(p, x[i], y[i], T()));
  } else {
    const T* y = reinterpret_cast<const T*>(data[2]);
    const T* z = reinterpret_cast<const T*>(data[3]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = Out(Op::template value<M, T>(p, x[i], y[i], z[i]));
  }
}

template <class Op, bool kToBool, class T>
constexpr Loop loop_of() {
  return elementwise_loop<Op, fn::Vector, T, std::conditional_t<kToBool, bool, T>>;
}

// Tailed: floating, and float32's last elements go by other elementary functions; ByThread: cut evenly; Narrow:
// Loops::narrow.
enum Dtypes {
  Floating = 1,
  Integers = 2,
  Bools = 4,
  Numbers = 3,
  Bits = 6,
  All = 7,
  Tailed = 9,
  TailedNumbers = 11,
  TailedByThread = 25,
  TailedNarrow = 41
};

// Slots are in the order of DType. Bool loops of predicates read a bool as the byte it is.
template <class Op, int kDtypes, bool kToBool = false>
constexpr Loops loops() {
  Loops out;
  out.to_bool = kToBool;
  if constexpr (kDtypes & Floating) {
    out.by_dtype[6] = loop_of<Op, kToBool, float>();
    out.by_dtype[7] = loop_of<Op, kToBool, double>();
  }
  if constexpr (kDtypes & Integers) {
    out.by_dtype[0] = loop_of<Op, kToBool, uint8_t>();
    out.by_dtype[1] = loop_of<Op, kToBool, int8_t>();
    out.by_dtype[2] = loop_of<Op, kToBool, int16_t>();
    out.by_dtype[3] = loop_of<Op, kToBool, int32_t>();
    out.by_dtype[4] = loop_of<Op, kToBool, int64_t>();
  }
  if constexpr (kDtypes & 8) out.tail = elementwise_loop<Op, fn::Library, float, float>;
  out.narrow = kDtypes == TailedNarrow;
  out.one_chunk_a_thread = kDtypes == TailedByThread;
  if constexpr (kDtypes & Bools)
    out.by_dtype[10] = kToBool ? loop_of<Op, kToBool, uint8_t>() : loop_of<Op, kToBool, bool>();
  return out;
}

}  // namespace
}  // namespace flambeau::FLAMBEAU_ISA

#define FLAMBEAU_FORMULA(kInputs, name, ...)                                                                           \
  struct name##_formula {                                                                                              \
    static constexpr int inputs = kInputs;                                                                             \
    template <class M, class T>                                                                                        \
    __attribute__((always_inline)) static inline auto value([[maybe_unused]] const Params<T>& p, [[maybe_unused]] T x, \
                                                            [[maybe_unused]] T y, [[maybe_unused]] T z) {              \
      return __VA_ARGS__;                                                                                              \
    }                                                                                                                  \
  };
#define FLAMBEAU_LOOPS(name, dtypes) loops<name##_formula, dtypes>(),
#define FLAMBEAU_LOOPS_TO_BOOL(name, dtypes) loops<name##_formula, dtypes, true>(),
#define FLAMBEAU_LOOPS_ALL_TO_BOOL(name) loops<name##_formula, All, true>(),
