#include "ops/gemm.h"

#include "kernels/gemm_intel.h"
#include "kernels/gemm_small.h"
#include "ops/gemm_intel.h"
#include "ops/scratch.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

template <class T>
void serial(const GemmArgs<T>& g, const KBlocks& blocks) {
  Scratch<T> scratch(gemm_scratch(g.m, g.n, g.k, blocks));
  gemm_serial(g, blocks, scratch.get());
}

// Rectangles of C, one a thread: neither the cut nor the threads reach the bits.
template <class T>
void ordinary(const GemmArgs<T>& g, const KBlocks& blocks) {
  constexpr double kGrain = 1 << 18;  // multiplications worth a thread
  constexpr int64_t kUnitM = 64, kUnitN = 42;  // whole tiles
  const double work = double(g.m) * double(g.n) * double(std::max<int64_t>(g.k, 1));
  const int64_t threads = in_parallel_region() ? 1 : std::min<int64_t>(num_threads(), int64_t(work / kGrain));
  if (threads <= 1) return serial(g, blocks);
  const int64_t units_m = (g.m + kUnitM - 1) / kUnitM, units_n = (g.n + kUnitN - 1) / kUnitN;
  const int64_t over_n =
      units_n >= units_m ? std::min(threads, units_n) : std::min(threads / std::min(threads, units_m), units_n);
  const int64_t over_m = std::min(threads / over_n, units_m);
  const int64_t m = (units_m + over_m - 1) / over_m * kUnitM, n = (units_n + over_n - 1) / over_n * kUnitN;
  const int64_t parts_m = (g.m + m - 1) / m, parts_n = (g.n + n - 1) / n;
  for_each_chunk(parts_m * parts_n, [&](int64_t i) { serial(g.part(i % parts_m * m, m, i / parts_m * n, n), blocks); });
}

template <class T>
void clear(const GemmArgs<T>& g) {
  if (g.accumulate) return;
  for (int64_t j = 0; j < g.n; ++j) std::fill_n(g.c + j * g.ldc, g.m, T(0));
}

constexpr int64_t kVectorGrain = 1 << 15;  // multiplications

int64_t rows_of_grain(int64_t k) { return std::max<int64_t>(4, kVectorGrain / std::max<int64_t>(k, 1) / 4 * 4); }

// f(begin, end) over rows of C, cut at multiples of four.
template <class F>
void over_rows(const GemmArgs<float>& g, F&& f) {
  const int64_t grain = rows_of_grain(g.k) / 4;
  parallel_for(0, (g.m + 3) / 4, grain, [&](int64_t begin, int64_t end) { f(4 * begin, std::min(4 * end, g.m)); });
}

void vector_product(const GemmArgs<float>& g) {
  const auto& small = kernels::gemm_small();
  if (!g.transposed_a || (g.m == 1 && g.transposed_b))
    over_rows(g, [&](int64_t begin, int64_t end) { small.chain(g, 0, begin, end); });
  else if (g.b_k != 1) small.strided(g, 0);  // MKL's order for a strided vector is not known
  else over_rows(g, [&](int64_t begin, int64_t end) { small.vector_dots(g, begin, end); });
}

void small_product(const GemmArgs<float>& g) {
  const auto& small = kernels::gemm_small();
  for (int64_t j = 0; j < g.n; ++j) {
    if (!g.transposed_a) over_rows(g, [&](int64_t begin, int64_t end) { small.chain(g, j, begin, end); });
    else if (!g.transposed_b) over_rows(g, [&](int64_t begin, int64_t end) { small.dots(g, j, begin, end); });
    else small.strided(g, j);
  }
}

void gemm_amd(const GemmArgs<float>& g, const GemmOrder& order) {
  if (g.n == 1) return vector_product(g);
  if (g.k == 1 && g.alpha != 1.0f) {  // then B is scaled, else A or the sum
    Scratch<float> scaled(g.n);
    for (int64_t j = 0; j < g.n; ++j) scaled.get()[j] = g.b[j * g.b_n] * g.alpha;
    GemmArgs<float> plain = g;
    plain.b = scaled.get(), plain.b_n = 1, plain.b_k = g.n, plain.alpha = 1;
    return gemm_amd(plain, order);
  }
  const GemmGrid grid = order.grid(g.m, g.n, g.k);
  const auto is_small = [&](int64_t i, int64_t j) {
    return order.is_small(std::min(grid.m, g.m - i), std::min(grid.n, g.n - j));
  };
  const auto blocks = order.blocks(g.shape());
  // Only the parts at the end of either direction are smaller than the first.
  const int64_t last_i = (g.m - 1) / grid.m * grid.m, last_j = (g.n - 1) / grid.n * grid.n;
  if (!is_small(0, 0) && !is_small(last_i, last_j)) return ordinary(g, blocks);
  for (int64_t j = 0; j < g.n; j += grid.n)
    for (int64_t i = 0; i < g.m; i += grid.m) {
      const auto p = g.part(i, grid.m, j, grid.n);
      if (is_small(i, j)) small_product(p);
      else ordinary(p, blocks);
    }
}

}  // namespace

void gemm_serial(const GemmArgs<float>& g, const KBlocks& blocks, float* scratch) {
  kernels::gemm().f32(g, blocks, scratch);
}
void gemm_serial(const GemmArgs<double>& g, const KBlocks& blocks, double* scratch) {
  kernels::gemm().f64(g, blocks, scratch);
}

void gemm(const GemmArgs<float>& g, bool one_thread) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return clear(scale_c(g));
  // Ours: one order for every size, so that a row's product is the same alone and among others.
  if (profile().invariant) return ordinary(g, KBlocks{.length = 256});
  const GemmOrder order(profile(), one_thread);
  if (order.path() == MklPath::Amd) gemm_amd(scale_c(g), order);
  else gemm_intel(g, order);
}

void gemm(const GemmArgs<double>& g, bool) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return clear(g);
  ordinary(g, KBlocks{.length = 256, .chained = true});
}

GemmArgs<float> scale_c(const GemmArgs<float>& g) {
  if (g.accumulate && g.beta != 1.0f)
    for (int64_t j = 0; j < g.n; ++j)
      for (int64_t i = 0; i < g.m; ++i) g.c[i + j * g.ldc] = g.beta * g.c[i + j * g.ldc];
  GemmArgs<float> scaled = g;
  scaled.beta = 1;
  return scaled;
}

void gemm_ordinary(const GemmArgs<float>& g, const KBlocks& blocks) { ordinary(g, blocks); }

float dot(const float* x, const float* y, int64_t k) {
  const Profile& p = profile();
  const auto one = p.mkl == MklPath::Amd           ? kernels::gemm_small().dot
                   : p.mkl == MklPath::IntelAvx512 ? kernels::gemm_intel().dot64
                                                   : kernels::gemm_intel().dot32;
  // Two threads share long vectors; other counts were not examined.
  if (p.threads != 2 || p.invariant || k < 8192) return one(x, y, k);
  const int64_t half = (k + 1) / 2;
  return one(x, y, half) + one(x + half, y + half, k - half);
}

double dot(const double* x, const double* y, int64_t k) {
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) sum = sum + x[i] * y[i];
  return sum;
}

}  // namespace flambeau::ops
