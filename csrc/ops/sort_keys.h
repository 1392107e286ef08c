// Unsigned keys that order as PyTorch orders elements: NaN above everything and equal to NaN, -0 equal to 0. Types of
// up to four bytes have 32-bit keys, int64 and float64 have 64-bit ones; descending keys are complements.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/dtype.h"

namespace flambeau::ops {

inline uint32_t sort_key(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x + 0.0f);  // -0 becomes 0
  const uint32_t key = bits ^ ((0u - (bits >> 31)) | 0x80000000u);
  return x != x ? ~uint32_t(0) : key;
}
inline uint64_t sort_key(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x + 0.0);
  const uint64_t key = bits ^ ((uint64_t(0) - (bits >> 63)) | uint64_t(1) << 63);
  return x != x ? ~uint64_t(0) : key;
}
inline uint64_t sort_key(int64_t x) { return uint64_t(x) ^ uint64_t(1) << 63; }
inline uint32_t sort_key(int32_t x) { return uint32_t(x) ^ 0x80000000u; }
inline uint32_t sort_key(int16_t x) { return sort_key(int32_t(x)); }
inline uint32_t sort_key(int8_t x) { return sort_key(int32_t(x)); }
inline uint32_t sort_key(uint8_t x) { return x; }
inline uint32_t sort_key(bool x) { return x; }
inline uint32_t sort_key(Half x) { return sort_key(float(x)); }
inline uint32_t sort_key(BFloat16 x) { return sort_key(float(x)); }

inline bool has_wide_key(DType dtype) { return dtype == DType::Int64 || dtype == DType::Float64; }

// keys[i] of element i of a row.
template <class Key>
void make_keys(DType dtype, const void* row, int64_t n, bool descending, Key* keys) {
  visit_all("sort", dtype, [&]<class T>(Type<T>) {
    if constexpr (sizeof(decltype(sort_key(T()))) == sizeof(Key)) {
      const T* x = static_cast<const T*>(row);
      const Key flip = descending ? ~Key(0) : Key(0);
      for (int64_t i = 0; i < n; ++i) keys[i] = sort_key(x[i]) ^ flip;
    }
  });
}

// f(Key) with the key type of a dtype.
template <class F>
void with_key(DType dtype, F&& f) {
  if (has_wide_key(dtype)) f(uint64_t());
  else f(uint32_t());
}

// Positions of a row's elements in stable order.
void sorted_positions(DType dtype, const void* row, int64_t n, bool descending, int64_t* positions);

}  // namespace flambeau::ops
