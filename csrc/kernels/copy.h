// Moving elements: conversions between dtypes, strided copies by element width, transposes, fills.
// Conversions follow c10::convert as compiled for x86: float to int truncates, out of range gives what the conversion
// instruction gives; to bool is `!= 0`; float16 and bfloat16 round through float.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

inline constexpr int kConvertTypes = 12;  // indexed by DType

struct CopyKernels {
  // n dense elements; null where the dtypes are equal or one has no kernels. dst and src do not overlap.
  void (*convert[kConvertTypes][kConvertTypes])(void* dst, const void* src, int64_t n);  // [from][to]
  // n elements of `width` bytes; strides in elements.
  void (*strided)(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t n, size_t width);
  // dst[i * dst_stride + j] = src[j * src_stride + i] for i < rows, j < columns.
  void (*transpose)(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t rows, int64_t columns,
                    size_t width);
  // n dense copies of the element at `value`.
  void (*fill)(void* dst, const void* value, int64_t n, size_t width);
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(CopyKernels, copy)
