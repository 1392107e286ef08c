#include "numerics/gemm_order.h"

#include <algorithm>

namespace flambeau {
namespace {

int64_t part_size(int64_t count, int64_t parts, int64_t multiple) {
  if (parts == 1) return std::max<int64_t>(count, 1);
  return ((count + parts - 1) / parts + multiple - 1) / multiple * multiple;
}

// intel-avx512 has several ways to multiply, which differ in how they cut K and where they put alpha. One thread has a
// second one for large products.
bool is_large(const GemmShape& s) { return s.m >= 192 && (s.transposed_a || s.n >= 192); }

// Columns a multiple of 256 floats apart fall into few sets of the first cache.
bool collides(const GemmShape& s) { return s.lda % 256 == 0 || s.ldb % 256 == 0 || s.ldc % 256 == 0; }

// Two threads that share a product pack its operands, unless there are few columns or rows.
bool is_packed(const GemmShape& s) {
  if (s.n > 56 && (s.transposed_b || s.m > 56)) return true;
  return !s.transposed_a && s.m >= 32 && s.n > 16 && collides(s);
}
constexpr int64_t kWide = 378;  // what is longer is shared by its rows or columns
bool is_strip(const GemmShape& s) { return !is_packed(s) && ((s.m > kWide && s.m < 2 * kWide) || s.n > kWide); }

constexpr int64_t kShared = 192000;  // multiplications: more are shared by two threads

}  // namespace

GemmOrder::GemmOrder(const Profile& profile, bool one_thread)
    : path_(profile.mkl), threads_(one_thread || profile.invariant ? 1 : profile.threads) {}

KBlocks GemmOrder::blocks(const GemmShape& s) const {
  switch (path_) {
    case MklPath::Amd: return {.length = s.k <= 192 ? std::max<int64_t>(s.k, 1) : s.k < 384 ? s.k / 2 : 192};
    case MklPath::IntelAvx512: {
      const bool fixed = s.k >= 768 && (threads_ == 2 ? !is_strip(s) : is_large(s));
      return {.length = 384, .balanced = !fixed};
    }
    case MklPath::IntelAvx2: {
      if (!tiles(s).large) return {.length = s.transposed_b ? 96 : 256, .balanced = true};
      return s.k < 384 ? KBlocks{.length = 256, .balanced = true} : KBlocks{.length = 192};
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

IntelDots GemmOrder::dots(const GemmShape& s) const {
  const int64_t m = s.m, n = s.n, k = s.k;
  if (!s.transposed_a || s.transposed_b || n < 2 || n > 15) return IntelDots::None;
  const bool few_rows = m <= (n <= 10 ? 3 : 2);
  if (path_ == MklPath::IntelAvx2) return few_rows ? IntelDots::Eight : IntelDots::None;
  if (threads_ == 2 && n > 3 && m * n * k > kShared && !collides(s)) return IntelDots::None;
  if (k >= 24 * n) return IntelDots::ByQuarters;
  return few_rows || (m < 12 && m > n && m >= k) ? IntelDots::ByHalves : IntelDots::None;
}

IntelTiles GemmOrder::tiles(const GemmShape& s) const {
  const int64_t large = s.transposed_a ? 56 : 72;
  return {s.m >= large && s.n >= large, s.transposed_a ? 96 : 48};
}

bool GemmOrder::alpha_on_a(const GemmShape& s) const {
  if (path_ == MklPath::IntelAvx2) return tiles(s).large;
  if (threads_ == 2 && s.m * s.n * s.k > kShared) return is_packed(s);
  return is_large(s) || (s.transposed_a && s.m >= 12 && s.m > s.n && s.m >= s.k);
}

bool GemmOrder::halves_k(const GemmShape& s) const {
  const int64_t m = s.m, n = s.n, k = s.k;
  if (path_ != MklPath::IntelAvx512 || threads_ != 2 || k <= 768 || is_strip(s) || n >= 4 * k) return false;
  return 8 * std::min(m, n) <= k || (std::max(m, n) <= kWide && m + 3 * n <= k - 242);
}

}  // namespace flambeau
