// Searches and running results along rows (kernels/rows.h).
#include "kernels/rows.h"

#include <cmath>
#include <type_traits>

namespace flambeau::FLAMBEAU_ISA {
namespace {

struct Larger {
  template <class T>
  static bool wins(T a, T b) {
    return a > b;
  }
};
struct Smaller {
  template <class T>
  static bool wins(T a, T b) {
    return a < b;
  }
};

// The value first, by several chains at once; then where it stands.
template <class Order, class T>
int64_t first_extreme(const T* x, int64_t n) {
  constexpr int kChains = 64 / int(sizeof(T)), kBlock = 64;
  T best = x[0];
  bool nan = best != best;
  if (n >= kChains) {
    T chain[kChains];
    for (int k = 0; k < kChains; ++k) chain[k] = x[k];
    int64_t i = kChains;
    for (; i + kChains <= n; i += kChains)
      for (int k = 0; k < kChains; ++k)
        chain[k] = (Order::wins(chain[k], x[i + k]) | (chain[k] != chain[k])) ? chain[k] : x[i + k];
    for (; i < n; ++i) chain[0] = (Order::wins(chain[0], x[i]) | (chain[0] != chain[0])) ? chain[0] : x[i];
    best = chain[0];
    for (int k = 1; k < kChains; ++k) best = (Order::wins(best, chain[k]) | (best != best)) ? best : chain[k];
    nan = best != best;
  } else {
    for (int64_t i = 1; i < n && !nan; ++i) {
      if (!Order::wins(best, x[i]) && x[i] != best) best = x[i];
      nan = best != best;
    }
  }
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    int hits = 0;
    for (int k = 0; k < kBlock; ++k) hits |= nan ? x[i + k] != x[i + k] : x[i + k] == best;
    if (hits) break;
  }
  while (nan ? x[i] == x[i] : x[i] != best) ++i;
  return i;
}

template <class Order, class T>
void extreme_rows(const void* in, int64_t rows, int64_t n, int64_t* indices) {
  const T* x = static_cast<const T*>(in);
  for (int64_t r = 0; r < rows; ++r, x += n) indices[r] = first_extreme<Order>(x, n);
}

template <bool kProduct, class T>
void scan_rows(void* out, const void* in, int64_t rows, int64_t n) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    Wide acc = kProduct ? 1 : 0;
    for (int64_t i = 0; i < n; ++i) {
      acc = kProduct ? acc * Wide(x[i]) : acc + Wide(x[i]);
      y[i] = T(acc);
    }
  }
}

template <bool kProduct, class T>
void scan_columns(void* out, const void* in, int64_t n, int64_t stride, int64_t columns) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  constexpr int kBlock = 32;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t c = 0; c < columns; c += kBlock) {
    const int width = int(columns - c < kBlock ? columns - c : kBlock);
    Wide acc[kBlock];
    for (int k = 0; k < kBlock; ++k) acc[k] = kProduct ? 1 : 0;
    for (int64_t i = 0; i < n; ++i) {
      const T* from = x + i * stride + c;
      T* to = y + i * stride + c;
      for (int k = 0; k < width; ++k) {
        acc[k] = kProduct ? acc[k] * Wide(from[k]) : acc[k] + Wide(from[k]);
        to[k] = T(acc[k]);
      }
    }
  }
}

// log(exp(a) + exp(b)) without overflow.
double log_add_exp(double a, double b) {
  const double low = (b != b || a > b) ? b : a, high = (b != b || a < b) ? b : a;
  if (low == high && std::isinf(low)) return a;
  return high + std::log1p(std::exp(low - high));
}

template <class T>
void logcumsumexp_rows(void* out, const void* in, int64_t rows, int64_t n) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    double acc = -HUGE_VAL;
    for (int64_t i = 0; i < n; ++i) {
      acc = log_add_exp(double(x[i]), acc);
      y[i] = T(acc);
    }
  }
}

template <class Order, class T>
void scan_extreme_rows(void* out, int64_t* indices, const void* in, int64_t rows, int64_t n) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n, indices += n) {
    T best{};
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || x[i] != x[i] || (best == best && !Order::wins(best, x[i]))) {
        best = x[i];
        at = i;
      }
      y[i] = best;
      indices[i] = at;
    }
  }
}

}  // namespace

#define FLAMBEAU_THREE(f, Order) {f<Order, float>, f<Order, double>, f<Order, int64_t>}
extern const RowKernels rows_table = {
    FLAMBEAU_THREE(extreme_rows, Larger),
    FLAMBEAU_THREE(extreme_rows, Smaller),
    // Unsigned where int64 wraps around.
    {scan_rows<false, float>, scan_rows<false, double>, scan_rows<false, uint64_t>},
    {scan_rows<true, float>, scan_rows<true, double>, scan_rows<true, uint64_t>},
    {scan_columns<false, float>, scan_columns<false, double>, scan_columns<false, uint64_t>},
    {scan_columns<true, float>, scan_columns<true, double>, scan_columns<true, uint64_t>},
    {logcumsumexp_rows<float>, logcumsumexp_rows<double>},
    FLAMBEAU_THREE(scan_extreme_rows, Larger),
    FLAMBEAU_THREE(scan_extreme_rows, Smaller),
};
#undef FLAMBEAU_THREE

}  // namespace flambeau::FLAMBEAU_ISA
