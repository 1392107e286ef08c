// dtype and requires_grad of a tensor to be made; device and layout are checked while parsing (CPU, strided).
#pragma once

#include <optional>

#include "tensor/dtype.h"

namespace flambeau {

struct Options {
  std::optional<DType> dtype;
  bool requires_grad = false;
  Options() = default;
  Options(DType d) : dtype(d) {}
  DType dtype_or(DType fallback) const { return dtype.value_or(fallback); }
  DType dtype_or_default() const { return dtype_or(default_dtype()); }
};

}  // namespace flambeau
