// Inner loops of reductions (kernels/reduce.h).
#include "kernels/reduce.h"

#include <bit>
#include <utility>

namespace flambeau::FLAMBEAU_ISA {
namespace {

constexpr int kVectorBytes = 32;
template <class T>
constexpr int kLanes = kVectorBytes / int(sizeof(T));
template <class T>
struct VectorOf {
  typedef T Aligned __attribute__((vector_size(kVectorBytes)));
  typedef T type __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
};

// A step of a sum adds one item: a scalar, or a vector of adjacent ones.
template <class T>
struct ScalarItem {
  using Value = T;
  static Value load(const T* p) { return *p; }
};
template <class T>
struct VectorItem {
  using Value = typename VectorOf<T>::Aligned;
  static Value load(const T* p) { return *reinterpret_cast<const typename VectorOf<T>::type*>(p); }
};

int64_t ceil_log2(int64_t n) { return n <= 2 ? 1 : 64 - std::countl_zero(uint64_t(n - 1)); }

// R sums side by side over n items each: runs of 2^p items go to level 0, full levels move up (multi_row_sum).
template <class Item, int R, class T>
void cascade(const T* in, int64_t step, int64_t column, int64_t n, typename Item::Value (&out)[R]) {
  using Value = typename Item::Value;
  constexpr int kLevels = 4;
  const int64_t power = ceil_log2(n) < 4 * kLevels ? 4 : ceil_log2(n) / kLevels;
  const int64_t run = int64_t(1) << power, mask = run - 1;
  if (n < run) {  // no level fills up
    for (int k = 0; k < R; ++k) out[k] = Value{};
    for (int64_t i = 0; i < n; ++i)
      for (int k = 0; k < R; ++k) out[k] = out[k] + Item::load(in + i * step + k * column);
    return;
  }
  Value level[kLevels][R] = {};
  int64_t i = 0;
  while (i + run <= n) {
    Value sum[R];
    for (int k = 0; k < R; ++k) sum[k] = level[0][k];
    for (int64_t j = 0; j < run; ++j, ++i)
      for (int k = 0; k < R; ++k) sum[k] = sum[k] + Item::load(in + i * step + k * column);
    for (int k = 0; k < R; ++k) level[0][k] = sum[k];
    for (int j = 1; j < kLevels; ++j) {
      for (int k = 0; k < R; ++k) {
        level[j][k] = level[j][k] + level[j - 1][k];
        level[j - 1][k] = Value{};
      }
      if (i & (mask << (j * power))) break;
    }
  }
  for (; i < n; ++i)
    for (int k = 0; k < R; ++k) level[0][k] = level[0][k] + Item::load(in + i * step + k * column);
  for (int k = 0; k < R; ++k) out[k] = ((level[0][k] + level[1][k]) + level[2][k]) + level[3][k];
}

// One sum over n items: four interleaved chains, the rest goes to the first (row_sum).
template <class Item, class T>
typename Item::Value row_sum(const T* in, int64_t step, int64_t n) {
  typename Item::Value chain[4];
  const int64_t whole = n / 4;
  cascade<Item>(in, step * 4, step, whole, chain);
  for (int64_t i = whole * 4; i < n; ++i) chain[0] = chain[0] + Item::load(in + i * step);
  return ((chain[0] + chain[1]) + chain[2]) + chain[3];
}

template <class T>
void sum_loop(void* out_bytes, const void* in_bytes, const ReduceShape& given) {
  constexpr int L = kLanes<T>;
  T* out = static_cast<T*>(out_bytes);
  const T* in = static_cast<const T*>(in_bytes);
  ReduceShape s = given;
  if (s.out0 != 0 && s.out1 == 0) {
    std::swap(s.size0, s.size1);
    std::swap(s.out0, s.out1);
    std::swap(s.in0, s.in1);
  }
  if (s.out0 != 0) {  // nothing is reduced here
    for (int64_t j = 0; j < s.size1; ++j)
      for (int64_t i = 0; i < s.size0; ++i) {
        T& o = out[i * s.out0 + j * s.out1];
        o = o + in[i * s.in0 + j * s.in1];
      }
    return;
  }
  if (s.in0 == 1 && s.size0 >= L) {  // each sum over adjacent elements
    for (int64_t j = 0; j < s.size1; ++j) {
      const T* row = in + j * s.in1;
      const int64_t vectors = s.size0 / L;
      const auto lanes = row_sum<VectorItem<T>>(row, L, vectors);
      T sum = 0;
      for (int64_t k = vectors * L; k < s.size0; ++k) sum = sum + row[k];
      for (int l = 0; l < L; ++l) sum = sum + lanes[l];
      out[j * s.out1] = out[j * s.out1] + sum;
    }
    return;
  }
  int64_t j = 0;
  if (s.in1 == 1 && s.size1 >= L) {  // adjacent sums
    for (; j + 4 * L <= s.size1; j += 4 * L) {
      typename VectorItem<T>::Value sums[4];
      cascade<VectorItem<T>>(in + j, s.in0, L, s.size0, sums);
      for (int k = 0; k < 4; ++k)
        for (int l = 0; l < L; ++l) {
          T& o = out[(j + k * L + l) * s.out1];
          o = o + sums[k][l];
        }
    }
    for (; j + L <= s.size1; j += L) {
      const auto sums = row_sum<VectorItem<T>>(in + j, s.in0, s.size0);
      for (int l = 0; l < L; ++l) {
        T& o = out[(j + l) * s.out1];
        o = o + sums[l];
      }
    }
  } else if (s.in0 >= s.in1) {
    for (; j + 4 <= s.size1; j += 4) {
      T sums[4];
      cascade<ScalarItem<T>>(in + j * s.in1, s.in0, s.in1, s.size0, sums);
      for (int k = 0; k < 4; ++k) out[(j + k) * s.out1] = out[(j + k) * s.out1] + sums[k];
    }
  }
  for (; j < s.size1; ++j) out[j * s.out1] = out[j * s.out1] + row_sum<ScalarItem<T>>(in + j * s.in1, s.in0, s.size0);
}

// Operators on scalars and on vectors alike.
struct Times {
  template <class V>
  static V apply(V a, V b) {
    return a * b;
  }
};
struct Larger {
  template <class V>
  static V apply(V a, V b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct Smaller {
  template <class V>
  static V apply(V a, V b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};

// n rows, `step` apart, of four vectors each: combined lane by lane.
template <class Op, class T>
void fold_rows(const T* in, int64_t step, int64_t n, typename VectorOf<T>::Aligned (&acc)[4]) {
  constexpr int L = kLanes<T>;
  for (int k = 0; k < 4; ++k) acc[k] = VectorItem<T>::load(in + k * L);
  for (int64_t i = 1; i < n; ++i)
    for (int k = 0; k < 4; ++k) acc[k] = Op::apply(acc[k], VectorItem<T>::load(in + i * step + k * L));
}

template <class Op, class T>
void fold_strided(T* out, int64_t out_step, const T* in, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i * out_step] = Op::apply(out[i * out_step], in[i * step]);
}

template <class Op, class T>
void fold_loop(void* out_bytes, const void* in_bytes, const ReduceShape& s) {
  constexpr int L = kLanes<T>, kRow = 4 * L;
  T* out = static_cast<T*>(out_bytes);
  const T* in = static_cast<const T*>(in_bytes);
  typename VectorOf<T>::Aligned acc[4];
  if (s.out0 == 0 && s.in0 == 1) {
    for (int64_t j = 0; j < s.size1; ++j, out += s.out1, in += s.in1) {
      const int64_t rows = s.size0 / kRow;
      if (rows > 0) {
        fold_rows<Op>(in, kRow, rows, acc);
        acc[0] = Op::apply(Op::apply(acc[0], acc[1]), Op::apply(acc[2], acc[3]));
        T all = acc[0][0];
        for (int l = 1; l < L; ++l) all = Op::template apply<T>(all, acc[0][l]);
        *out = Op::apply(*out, all);
      }
      fold_strided<Op>(out, 0, in + rows * kRow, 1, s.size0 - rows * kRow);
    }
  } else if (s.out0 == 0 && s.out1 == 1 && s.in1 == 1) {
    int64_t j = 0;
    for (; j + kRow <= s.size1; j += kRow) {
      fold_rows<Op>(in + j, s.in0, s.size0, acc);
      for (int k = 0; k < 4; ++k) {
        acc[k] = Op::apply(acc[k], VectorItem<T>::load(out + j + k * L));
        *reinterpret_cast<typename VectorOf<T>::type*>(out + j + k * L) = acc[k];
      }
    }
    for (; j < s.size1; ++j) fold_strided<Op>(out + j, 0, in + j, s.in0, s.size0);
  } else {
    for (int64_t j = 0; j < s.size1; ++j) fold_strided<Op>(out + j * s.out1, s.out0, in + j * s.in1, s.in0, s.size0);
  }
}

}  // namespace

// Unsigned where int64 wraps around.
#define FLAMBEAU_THREE(Op) {fold_loop<Op, float>, fold_loop<Op, double>, fold_loop<Op, int64_t>}
extern const ReduceKernels reduce_table = {
    {sum_loop<float>, sum_loop<double>, sum_loop<uint64_t>},
    {fold_loop<Times, float>, fold_loop<Times, double>, fold_loop<Times, uint64_t>},
    FLAMBEAU_THREE(Larger),
    FLAMBEAU_THREE(Smaller),
    fold_loop<Larger, uint8_t>,
    fold_loop<Smaller, uint8_t>,
};
#undef FLAMBEAU_THREE

}  // namespace flambeau::FLAMBEAU_ISA
