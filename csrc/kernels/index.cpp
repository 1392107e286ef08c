#include "kernels/index.h"

#include <cstring>

#include "numerics/half.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

using kernels::Blocks;
using kernels::Lines;
using kernels::Reduction;

struct Wide {  // complex128 as bits
  uint64_t parts[2];
};

template <class T>
void read(const Blocks& b, void* table, void* values, bool) {
  const auto [begin, end] = b.inner_part;
  for (int64_t o = b.outer_part.begin; o < b.outer_part.end; ++o)
    for (int64_t r = b.row_part.begin; r < b.row_part.end; ++r) {
      const T* from = static_cast<const T*>(table) + b.outer[o] + b.rows[r];
      T* to = static_cast<T*>(values) + (o * b.row_count + r) * b.inner_count;
      if (b.inner)
        for (int64_t i = begin; i < end; ++i) to[i] = from[b.inner[i]];
      else if (end - begin == 1) to[begin] = from[begin];
      else std::memcpy(to + begin, from + begin, size_t(end - begin) * sizeof(T));
    }
}

template <class T>
void write(const Blocks& b, void* table, void* values, bool one_value) {
  const auto [begin, end] = b.inner_part;
  const T* all = static_cast<const T*>(values);
  for (int64_t o = b.outer_part.begin; o < b.outer_part.end; ++o)
    for (int64_t r = b.row_part.begin; r < b.row_part.end; ++r) {
      T* to = static_cast<T*>(table) + b.outer[o] + b.rows[r];
      const T* from = all + (o * b.row_count + r) * b.inner_count;
      if (one_value)
        for (int64_t i = begin; i < end; ++i) to[b.inner ? b.inner[i] : i] = *all;
      else if (b.inner)
        for (int64_t i = begin; i < end; ++i) to[b.inner[i]] = from[i];
      else
        for (int64_t i = begin; i < end; ++i) to[i] = from[i];
    }
}

// Calls f(table element, number of the value) for the part, in the order of the index.
template <class T, class F>
void for_each_line(const Lines& l, void* table, F f) {
  for (int64_t o = l.outer_part.begin; o < l.outer_part.end; ++o)
    for (int64_t d = 0; d < l.length; ++d) {
      const int64_t first = (o * l.length + d) * l.inner_count;
      T* at = static_cast<T*>(table) + l.outer[o];
      for (int64_t i = l.inner_part.begin; i < l.inner_part.end; ++i)
        f(at[l.index[first + i] * l.stride + (l.inner ? l.inner[i] : i)], first + i);
    }
}

template <class T>
void gather(const Lines& l, void* table, void* values, bool) {
  T* out = static_cast<T*>(values);
  for_each_line<T>(l, table, [&](T& element, int64_t i) { out[i] = element; });
}

template <class T>
void scatter(const Lines& l, void* table, void* values, bool one_value) {
  const T* in = static_cast<const T*>(values);
  for_each_line<T>(l, table, [&](T& element, int64_t i) { element = in[one_value ? 0 : i]; });
}

// Half and bfloat16 are added in float and rounded after each addition, as c10::Half's operator does.
template <Reduction R, class T>
T combine(T a, T b) {
  if constexpr (R == Reduction::Add) return T(a + b);
  else if constexpr (R == Reduction::Multiply) return T(a * b);
  else if constexpr (R == Reduction::Maximum) return a != a || a > b ? a : b;  // NaN wins
  else return a != a || a < b ? a : b;
}

template <class T>
void add(const Blocks& b, void* table, void* values, bool one_value) {
  const T* all = static_cast<const T*>(values);
  for (int64_t o = b.outer_part.begin; o < b.outer_part.end; ++o)
    for (int64_t r = b.row_part.begin; r < b.row_part.end; ++r) {
      T* to = static_cast<T*>(table) + b.outer[o] + b.rows[r];
      const T* from = all + (o * b.row_count + r) * b.inner_count;
      for (int64_t i = b.inner_part.begin; i < b.inner_part.end; ++i) {
        T& element = to[b.inner ? b.inner[i] : i];
        element = combine<Reduction::Add>(element, one_value ? *all : from[i]);
      }
    }
}

template <Reduction R, class T>
void reduce(const Lines& l, void* table, void* values, bool one_value) {
  const T* in = static_cast<const T*>(values);
  for_each_line<T>(l, table, [&](T& element, int64_t i) { element = combine<R, T>(element, in[one_value ? 0 : i]); });
}

}  // namespace

#define FLAMBEAU_WIDTHS(f) {f<uint8_t>, f<uint16_t>, f<uint32_t>, f<uint64_t>, f<Wide>}
// clang-format off
#define FLAMBEAU_DTYPES(_) \
  {_(uint8_t), _(int8_t), _(int16_t), _(int32_t), _(int64_t), _(Half), _(float), _(double), nullptr, nullptr, _(bool), _(BFloat16)}
// clang-format on
#define FLAMBEAU_ADD(T) add<T>
#define FLAMBEAU_REDUCE_ADD(T) reduce<Reduction::Add, T>
#define FLAMBEAU_REDUCE_MULTIPLY(T) reduce<Reduction::Multiply, T>
#define FLAMBEAU_REDUCE_MAXIMUM(T) reduce<Reduction::Maximum, T>
#define FLAMBEAU_REDUCE_MINIMUM(T) reduce<Reduction::Minimum, T>

const kernels::IndexKernels index_table = {
    FLAMBEAU_WIDTHS(read),
    FLAMBEAU_WIDTHS(write),
    FLAMBEAU_WIDTHS(gather),
    FLAMBEAU_WIDTHS(scatter),
    FLAMBEAU_DTYPES(FLAMBEAU_ADD),
    {FLAMBEAU_DTYPES(FLAMBEAU_REDUCE_ADD), FLAMBEAU_DTYPES(FLAMBEAU_REDUCE_MULTIPLY),
     FLAMBEAU_DTYPES(FLAMBEAU_REDUCE_MAXIMUM), FLAMBEAU_DTYPES(FLAMBEAU_REDUCE_MINIMUM)},
};

}  // namespace flambeau::FLAMBEAU_ISA
