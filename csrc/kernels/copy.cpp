// Kernels of kernels/copy.h. Plain loops that the compiler vectorises; pairs with float16 or bfloat16 on one side are
// two loops over a block of floats, which spares a square of template instances.
#include "kernels/copy.h"

#include <cstring>
#include <type_traits>

#include "numerics/half.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int64_t kBlock = 512;

template <class To, class From>
inline To cast(From value) {
  if constexpr (std::is_same_v<To, bool>) return value != From(0);
  // PyTorch goes through int64 to uint8, so that negative numbers wrap.
  else if constexpr (std::is_same_v<To, uint8_t> && std::is_floating_point_v<From>) return uint8_t(int64_t(value));
  else if constexpr (std::is_integral_v<To> && sizeof(To) < 4 && std::is_floating_point_v<From>)
    return To(int32_t(value));
  else return To(value);
}

template <class From, class To>
void convert(void* dst, const void* src, int64_t n) {
  To* __restrict d = static_cast<To*>(dst);
  const From* __restrict s = static_cast<const From*>(src);
  for (int64_t i = 0; i < n; ++i) d[i] = cast<To>(s[i]);
}

template <class From, class To>
void through_float(void* dst, const void* src, int64_t n) {
  float block[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = n - i < kBlock ? n - i : kBlock;
    convert<From, float>(block, static_cast<const From*>(src) + i, count);
    convert<float, To>(static_cast<To*>(dst) + i, block, count);
  }
}

template <class T>
constexpr bool is_reduced = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class From, class To>
constexpr auto converter() -> void (*)(void*, const void*, int64_t) {
  if constexpr (std::is_same_v<From, To>) return nullptr;
  // A bool is stored as 0 or 1.
  else if constexpr (std::is_same_v<From, bool>) return converter<uint8_t, To>();
  else if constexpr ((is_reduced<From> && !std::is_same_v<To, float>) ||
                     (is_reduced<To> && !std::is_same_v<From, float>))
    return through_float<From, To>;
  else return convert<From, To>;
}
template <>
constexpr auto converter<uint8_t, uint8_t>() -> void (*)(void*, const void*, int64_t) {
  return [](void* dst, const void* src, int64_t n) { std::memcpy(dst, src, size_t(n)); };
}

template <class Word>
void strided_words(Word* __restrict d, int64_t ds, const Word* __restrict s, int64_t ss, int64_t n) {
  if (ds == 1 && ss == 1) {
    std::memcpy(d, s, size_t(n) * sizeof(Word));
  } else if (ds == 1 && ss == 0) {
    const Word value = *s;
    for (int64_t i = 0; i < n; ++i) d[i] = value;
  } else if (ds == 1) {
    for (int64_t i = 0; i < n; ++i) d[i] = s[i * ss];
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = s[i * ss];
  }
}

struct Wide {
  uint64_t words[2];
};
template <class F>
void with_word(size_t width, F&& f) {
  switch (width) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return f(Wide());
  }
}

void strided(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t n, size_t width) {
  with_word(width, [&](auto word) {
    using Word = decltype(word);
    strided_words(static_cast<Word*>(dst), dst_stride, static_cast<const Word*>(src), src_stride, n);
  });
}

// Square tiles keep both sides within a few cache lines and pages; the inner loop writes whole lines.
void transpose(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t rows, int64_t columns,
               size_t width) {
  with_word(width, [&](auto word) {
    using Word = decltype(word);
    constexpr int64_t kTile = sizeof(Word) >= 8 ? 16 : 32;
    Word* __restrict d = static_cast<Word*>(dst);
    const Word* __restrict s = static_cast<const Word*>(src);
    for (int64_t i = 0; i < rows; i += kTile) {
      const int64_t i_end = rows - i < kTile ? rows : i + kTile;
      for (int64_t j = 0; j < columns; j += kTile) {
        const int64_t j_end = columns - j < kTile ? columns : j + kTile;
        for (int64_t r = i; r < i_end; ++r)
          for (int64_t c = j; c < j_end; ++c) d[r * dst_stride + c] = s[c * src_stride + r];
      }
    }
  });
}

void fill(void* dst, const void* value, int64_t n, size_t width) {
  with_word(width, [&](auto word) {
    std::memcpy(&word, value, sizeof(word));
    auto* d = static_cast<decltype(word)*>(dst);
    for (int64_t i = 0; i < n; ++i) d[i] = word;
  });
}

}  // namespace

// In the order of DType; complex numbers have no conversions yet.
#define FLAMBEAU_ROW(From)         \
  {                                \
      converter<From, uint8_t>(),  \
      converter<From, int8_t>(),   \
      converter<From, int16_t>(),  \
      converter<From, int32_t>(),  \
      converter<From, int64_t>(),  \
      converter<From, Half>(),     \
      converter<From, float>(),    \
      converter<From, double>(),   \
      nullptr,                     \
      nullptr,                     \
      converter<From, bool>(),     \
      converter<From, BFloat16>(), \
  }
const CopyKernels copy_table = {
    {FLAMBEAU_ROW(uint8_t),
     FLAMBEAU_ROW(int8_t),
     FLAMBEAU_ROW(int16_t),
     FLAMBEAU_ROW(int32_t),
     FLAMBEAU_ROW(int64_t),
     FLAMBEAU_ROW(Half),
     FLAMBEAU_ROW(float),
     FLAMBEAU_ROW(double),
     {},
     {},
     FLAMBEAU_ROW(bool),
     FLAMBEAU_ROW(BFloat16)},
    strided,
    transpose,
    fill,
};

}  // namespace flambeau::FLAMBEAU_ISA
