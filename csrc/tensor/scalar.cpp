#include "tensor/scalar.h"

#include <limits>

namespace flambeau {
namespace {

std::string_view c_name(DType dtype) {
  switch (dtype) {
    case DType::UInt8: return "uint8_t";
    case DType::Int8: return "int8_t";
    case DType::Int16: return "int16_t";
    case DType::Int32: return "int";
    default: return "int64_t";
  }
}

}  // namespace

void Scalar::check_fits(DType dtype) const {
  if (!flambeau::is_integral(dtype)) return;
  visit_integral("fill", dtype, [&]<class T>(Type<T>) {
    // Unsigned types take the negative numbers of their signed twin, as in PyTorch.
    constexpr double low =
        std::is_signed_v<T> ? double(std::numeric_limits<T>::min()) : -double(std::numeric_limits<T>::max());
    const double value = to_double();
    FLAMBEAU_CHECK(value >= low && value <= double(std::numeric_limits<T>::max()), "value cannot be converted to type ",
                   c_name(dtype), " without overflow");
  });
}

}  // namespace flambeau
