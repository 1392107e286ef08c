#include "numerics/gemm_order.h"

#include <algorithm>

namespace flambeau {
namespace {

int64_t part_size(int64_t count, int64_t parts, int64_t multiple) {
  if (parts == 1) return std::max<int64_t>(count, 1);
  return ((count + parts - 1) / parts + multiple - 1) / multiple * multiple;
}

// Where intel-avx512 takes another way.
bool is_long(bool transposed_a, int64_t m, int64_t n) { return m >= 192 && (transposed_a || n >= 192); }

}  // namespace

GemmOrder::GemmOrder(const Profile& profile, bool one_thread)
    : path_(profile.mkl), threads_(one_thread || profile.invariant ? 1 : profile.threads) {}

bool GemmOrder::is_small(int64_t m, int64_t n) const {
  if (n == 1) return true;
  return path_ == MklPath::Amd && (m < 12 || n < 4);
}

KBlocks GemmOrder::blocks(bool transposed_a, bool transposed_b, int64_t m, int64_t n, int64_t k) const {
  switch (path_) {
    case MklPath::Amd: return {.length = k <= 192 ? std::max<int64_t>(k, 1) : k < 384 ? k / 2 : 192};
    case MklPath::IntelAvx512: {
      const bool fixed = k >= 768 && (threads_ == 2 || is_long(transposed_a, m, n));
      return {.length = 384, .balanced = !fixed};
    }
    case MklPath::IntelAvx2: {
      if (!tiles(transposed_a, m, n).large) return {.length = transposed_b ? 96 : 256, .balanced = true};
      return k < 384 ? KBlocks{.length = 256, .balanced = true} : KBlocks{.length = 192};
    }
  }
  return {};
}

GemmGrid GemmOrder::grid(int64_t m, int64_t n, int64_t k) const {
  int64_t over_m = 1, over_n = 1;
  if (path_ == MklPath::Amd) {
    switch (threads_) {  // as seen; other counts were not examined
      case 2: over_n = 2; break;
      case 3: over_m = 2; break;
      case 4: over_m = 3; break;
      case 6: over_m = 3, over_n = 2; break;
      case 8: over_m = 4, over_n = 2; break;
    }
    const bool too_small = (m <= 16 && n <= 16 && k <= 16) || (m <= 100 && n <= 100 && k <= 4);
    if (too_small) over_m = over_n = 1;
  }
  return {part_size(m, over_m, 16), part_size(n, over_n, 4)};
}

IntelDots GemmOrder::dots(int64_t m, int64_t n, int64_t k) const {
  if (path_ == MklPath::Amd || n < 2 || n > 15) return IntelDots::None;
  const bool few_rows = m <= (n <= 10 ? 3 : 2);
  if (path_ == MklPath::IntelAvx2) return few_rows ? IntelDots::Eight : IntelDots::None;
  if (k >= 24 * n) return IntelDots::ByQuarters;
  return few_rows || (m < 12 && m > n && m >= k) ? IntelDots::ByHalves : IntelDots::None;
}

IntelTiles GemmOrder::tiles(bool transposed_a, int64_t m, int64_t n) const {
  const int64_t large = transposed_a ? 56 : 72;
  return {m >= large && n >= large, transposed_a ? 96 : 48};
}

bool GemmOrder::halves_k(int64_t m, int64_t n, int64_t k) const {
  return path_ == MklPath::IntelAvx512 && threads_ == 2 && k > 768 && 8 * std::min(m, n) <= k;
}

bool GemmOrder::alpha_on_a(bool transposed_a, int64_t m, int64_t n, int64_t k) const {
  if (path_ == MklPath::IntelAvx2) return tiles(transposed_a, m, n).large;
  return is_long(transposed_a, m, n) || (transposed_a && m >= 12 && m > n && m >= k);
}

}  // namespace flambeau
