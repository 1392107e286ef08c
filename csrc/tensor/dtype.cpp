#include "tensor/dtype.h"

namespace flambeau {
namespace {

struct Info {
  std::string_view name, legacy;
  size_t size;
};
constexpr Info kInfo[kDTypeCount] = {
    {"uint8", "Byte", 1},
    {"int8", "Char", 1},
    {"int16", "Short", 2},
    {"int32", "Int", 4},
    {"int64", "Long", 8},
    {"float16", "Half", 2},
    {"float32", "Float", 4},
    {"float64", "Double", 8},
    {"complex64", "ComplexFloat", 8},
    {"complex128", "ComplexDouble", 16},
    {"bool", "Bool", 1},
    {"bfloat16", "BFloat16", 2},
};
DType default_dtype_ = DType::Float32;

// Rank among the floating types; float16 and bfloat16 meet in float32.
int width_rank(DType d) { return d == DType::Float64 || d == DType::Complex128 ? 2 : is_reduced_float(d) ? 0 : 1; }

}  // namespace

size_t itemsize(DType dtype) { return kInfo[int(dtype)].size; }
std::string_view name(DType dtype) { return kInfo[int(dtype)].name; }
std::string_view legacy_name(DType dtype) { return kInfo[int(dtype)].legacy; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = a == DType::Complex128 || b == DType::Complex128 || a == DType::Float64 || b == DType::Float64;
    return wide ? DType::Complex128 : DType::Complex64;
  }
  if (is_floating(a) && is_floating(b)) {
    if (width_rank(a) == width_rank(b)) return DType::Float32;
    return width_rank(a) > width_rank(b) ? a : b;
  }
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  // Two integer types: the wider; unsigned meets signed in the next signed type that holds both.
  if (a == DType::UInt8 || b == DType::UInt8) {
    const DType other = a == DType::UInt8 ? b : a;
    return other == DType::Int8 ? DType::Int16 : other;
  }
  return a > b ? a : b;
}

bool can_cast(DType from, DType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to, true)) return false;
  if (is_integral(from) && to == DType::Bool) return false;
  return true;
}

DType default_dtype() { return default_dtype_; }

void set_default_dtype(DType dtype) {
  FLAMBEAU_CHECK_AS(TypeError, is_floating(dtype), "only floating-point types are supported as the default type");
  default_dtype_ = dtype;
}

void not_implemented_for(std::string_view op, DType dtype) {
  throw NotImplementedError(str('"', op, "\" not implemented for '", legacy_name(dtype), "'"));
}

}  // namespace flambeau
