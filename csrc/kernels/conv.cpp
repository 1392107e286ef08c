#include "kernels/conv.h"

#include "kernels/gemm_tiles.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

// Positions of one row of the grid that follow each other in a panel.
struct Run {
  int64_t place, count;  // in the panel
  int64_t at[3];         // of the first position, times the step
};

template <class T>
int split_into_runs(const ConvArgs<T>& g, int64_t begin, int64_t end, Run* runs) {
  int count = 0;
  int64_t w = begin % g.grid[2], row = begin / g.grid[2];
  for (int64_t p = begin; p < end; w = 0, ++row) {
    Run& run = runs[count++];
    run.place = p - begin;
    run.count = std::min(g.grid[2] - w, end - p);
    run.at[0] = row / g.grid[1] * g.step[0];
    run.at[1] = row % g.grid[1] * g.step[1];
    run.at[2] = w * g.step[2];
    p += run.count;
  }
  return count;
}

template <class T>
void gather_run(const ConvArgs<T>& g, const ConvTap& tap, const Run& run, T* to) {
  const int64_t d = run.at[0] + tap.at[0], h = run.at[1] + tap.at[1], w = run.at[2] + tap.at[2];
  const bool inside = d >= 0 && d < g.size[0] && h >= 0 && h < g.size[1];
  // [first, last) of the run lies inside the row.
  int64_t first = 0, last = 0;
  if (inside) {
    const int64_t step = g.step[2];
    first = w >= 0 ? 0 : std::min(run.count, (step - 1 - w) / step);
    last = w < g.size[2] ? std::min(run.count, (g.size[2] - 1 - w) / step + 1) : 0;
  }
  if (first >= last) {
    for (int64_t i = 0; i < run.count; ++i) to[i] = T(0);
    return;
  }
  const T* from = g.source + tap.channel + (d * g.size[1] + h) * g.size[2] + w;
  for (int64_t i = 0; i < first; ++i) to[i] = T(0);
  if (g.step[2] == 1)
    for (int64_t i = first; i < last; ++i) to[i] = from[i];
  else
    for (int64_t i = first; i < last; ++i) to[i] = from[i * g.step[2]];
  for (int64_t i = last; i < run.count; ++i) to[i] = T(0);
}

template <class T>
void pack_weights(const T* weights, int64_t outputs, int64_t taps, const KBlocks& blocks, T* packed) {
  for (int64_t q = 0, k; q < taps; q += k) {
    k = blocks.next(taps - q);
    pack_rows(weights + q, 1, taps, outputs, k, packed);
    packed += (outputs + kHeight - 1) / kHeight * kHeight * k;
  }
}

template <class T>
void run(const ConvArgs<T>& g) {
  static_assert(kVectors * kLanes<T> <= kConvPanel);
  Run runs[kConvPanel];
  const int64_t padded = (g.outputs + kHeight - 1) / kHeight * kHeight;
  for (int64_t p = g.begin; p < g.end;) {
    const int length = vectors_of<T>(g.end - p) * kLanes<T>;
    const int64_t wide = std::min<int64_t>(length, g.end - p);
    const int count = split_into_runs(g, p, p + wide, runs);
    const T* weights = g.weights;
    for (int64_t q = 0, k; q < g.tap_count; q += k) {
      k = g.blocks.next(g.tap_count - q);
      for (int64_t e = 0; e < k; ++e) {
        T* to = g.scratch + e * length;
        for (int r = 0; r < count; ++r) gather_run(g, g.taps[q + e], runs[r], to + runs[r].place);
        for (int64_t i = wide; i < length; ++i) to[i] = T(0);
      }
      multiply_panels(wide, g.outputs, k, g.scratch, weights, g.out + (p - g.begin), g.out_stride,
                      into_of(g.blocks, q, g.accumulate));
      weights += padded * k;
    }
    p += wide;
  }
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class T>
void direct(const ConvArgs<T>& g) {
  constexpr int64_t kRow = 512;  // sums kept in the first cache
  for (int64_t p = g.begin; p < g.end;) {
    Run run;
    split_into_runs(g, p, std::min({g.end, p + kRow, (p / g.grid[2] + 1) * g.grid[2]}), &run);
    T* __restrict to = g.out + (p - g.begin);
    for (int64_t q = 0; q < g.tap_count; ++q) {
      const ConvTap& tap = g.taps[q];
      const int64_t d = run.at[0] + tap.at[0], h = run.at[1] + tap.at[1], w = run.at[2] + tap.at[2];
      if (d < 0 || d >= g.size[0] || h < 0 || h >= g.size[1] || w >= g.size[2]) continue;
      const int64_t step = g.step[2];
      const int64_t first = w >= 0 ? 0 : (step - 1 - w) / step;
      const int64_t last = std::min(run.count, (g.size[2] - 1 - w) / step + 1);
      const T* from = g.source + tap.channel + (d * g.size[1] + h) * g.size[2] + w;
      const T weight = g.weights[q];
      if (step == 1)
        for (int64_t i = first; i < last; ++i) to[i] = fused(from[i], weight, to[i]);
      else
        for (int64_t i = first; i < last; ++i) to[i] = fused(from[i * step], weight, to[i]);
    }
    p += run.count;
  }
}

template <class T>
void columns(const ConvArgs<T>& g) {
  Run runs[kConvPanel];
  for (int64_t p = g.begin; p < g.end; p += kConvPanel) {
    const int count = split_into_runs(g, p, std::min(g.end, p + kConvPanel), runs);
    for (int64_t q = 0; q < g.tap_count; ++q) {
      T* to = g.out + q * g.out_stride + (p - g.begin);
      for (int r = 0; r < count; ++r) gather_run(g, g.taps[q], runs[r], to + runs[r].place);
    }
  }
}

template <class T>
constexpr ConvFunctions<T> functions = {pack_weights<T>, run<T>, direct<T>, columns<T>};

}  // namespace

const ConvKernels conv_table = {functions<float>, functions<double>};

}  // namespace flambeau::FLAMBEAU_ISA
