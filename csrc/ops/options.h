// What a tensor to be made is like; device and layout are checked while parsing (CPU, strided).
#pragma once

#include <optional>

#include "tensor/dtype.h"

namespace flambeau {

enum class MemoryFormat : uint8_t { Preserve, Contiguous, ChannelsLast, ChannelsLast3d };

struct Options {
  std::optional<DType> dtype;
  std::optional<MemoryFormat> memory_format;
  bool requires_grad = false;
  Options() = default;
  Options(DType d) : dtype(d) {}
  DType dtype_or(DType fallback) const { return dtype.value_or(fallback); }
  DType dtype_or_default() const { return dtype_or(default_dtype()); }
};

}  // namespace flambeau
