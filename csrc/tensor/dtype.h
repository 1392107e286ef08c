// Element types: sizes, names, categories, promotion (c10/core/ScalarType.h), and the dispatch from a runtime
// dtype to a C++ type. Complex numbers have their place in the order but no kernels yet.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

#include "numerics/half.h"
#include "tensor/error.h"

namespace flambeau {

// The order is the one promotion tables use.
enum class DType : uint8_t {
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Bool,
  BFloat16,
};
inline constexpr int kDTypeCount = 12;

size_t itemsize(DType dtype);
std::string_view name(DType dtype);            // "float32"
std::string_view legacy_name(DType dtype);     // "Float", as PyTorch's messages say

inline bool is_floating(DType d) {
  return d == DType::Float16 || d == DType::Float32 || d == DType::Float64 || d == DType::BFloat16;
}
inline bool is_complex(DType d) { return d == DType::Complex64 || d == DType::Complex128; }
inline bool is_integral(DType d, bool include_bool = false) {
  return d <= DType::Int64 || (include_bool && d == DType::Bool);
}
inline bool is_reduced_float(DType d) { return d == DType::Float16 || d == DType::BFloat16; }

DType promote(DType a, DType b);               // of two tensors of the same category rank
bool can_cast(DType from, DType to);           // torch.can_cast
DType default_dtype();                         // float32 unless changed
void set_default_dtype(DType dtype);           // floating only

inline void append(std::string& out, DType dtype) { out += legacy_name(dtype); }

template <class T>
struct DTypeOf;
// clang-format off
#define FLAMBEAU_FOR_EACH_DTYPE(_)                                                                     \
  _(uint8_t, UInt8) _(int8_t, Int8) _(int16_t, Int16) _(int32_t, Int32) _(int64_t, Int64)               \
  _(Half, Float16) _(float, Float32) _(double, Float64) _(bool, Bool) _(BFloat16, BFloat16)
// clang-format on
#define FLAMBEAU_DTYPE_OF(T, D)              \
  template <>                                \
  struct DTypeOf<T> {                        \
    static constexpr DType value = DType::D; \
  };
FLAMBEAU_FOR_EACH_DTYPE(FLAMBEAU_DTYPE_OF)
#undef FLAMBEAU_DTYPE_OF
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// A type as a value, for generic lambdas: visit(dtype, [&]<class T>(Type<T>) { ... }).
template <class T>
struct Type {
  using type = T;
};

[[noreturn]] void not_implemented_for(std::string_view op, DType dtype);

// Calls f(Type<T>{}) with the C++ type of a dtype; the name is PyTorch's kernel name for the error message:
// "op" not implemented for 'Half'.
template <class F>
decltype(auto) visit_all(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
#define FLAMBEAU_CASE(T, D) \
  case DType::D: return f(Type<T>{});
    FLAMBEAU_FOR_EACH_DTYPE(FLAMBEAU_CASE)
#undef FLAMBEAU_CASE
    default: not_implemented_for(op, dtype);
  }
}
template <class F>
decltype(auto) visit_floating(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float32: return f(Type<float>{});
    case DType::Float64: return f(Type<double>{});
    case DType::Float16: return f(Type<Half>{});
    case DType::BFloat16: return f(Type<BFloat16>{});
    default: not_implemented_for(op, dtype);
  }
}
// float and double only: what accumulates in its own type.
template <class F>
decltype(auto) visit_real(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float32: return f(Type<float>{});
    case DType::Float64: return f(Type<double>{});
    default: not_implemented_for(op, dtype);
  }
}
template <class F>
decltype(auto) visit_integral(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
    case DType::UInt8: return f(Type<uint8_t>{});
    case DType::Int8: return f(Type<int8_t>{});
    case DType::Int16: return f(Type<int16_t>{});
    case DType::Int32: return f(Type<int32_t>{});
    case DType::Int64: return f(Type<int64_t>{});
    default: not_implemented_for(op, dtype);
  }
}
// By width alone, for kernels that only move elements: f(Type<uint8_t|uint16_t|uint32_t|uint64_t>).
template <class F>
decltype(auto) visit_width(size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(Type<uint8_t>{});
    case 2: return f(Type<uint16_t>{});
    case 4: return f(Type<uint32_t>{});
    case 8: return f(Type<uint64_t>{});
    default: return f(Type<std::complex<double>>{});
  }
}

}  // namespace flambeau
