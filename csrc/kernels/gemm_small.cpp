#include "kernels/gemm_small.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

typedef float Four __attribute__((vector_size(16)));

inline Four load4(const float* p) {
  Four v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline float across(Four v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// Floats from p to the next multiple of 16 bytes.
inline int64_t to_line(const float* p) { return int64_t((16 - (reinterpret_cast<uintptr_t>(p) & 15)) & 15) / 4; }

inline void put(const GemmArgs<float>& g, int64_t i, int64_t j, float sum) {
  float& c = g.c[i + j * g.ldc];
  sum = sum * g.alpha;
  c = g.accumulate ? c + sum : sum;
}

// The elements of a column before its first 16-byte line add the second four of every eight products as one sum.
void chain_head(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const float* a = g.a + i;
    const auto product = [&](int64_t q) { return a[q * g.a_k] * (g.b[q * g.b_k + j * g.b_n] * g.alpha); };
    float& c = g.c[i + j * g.ldc];
    float sum = g.accumulate ? c : 0.0f;
    for (int64_t q = 0; q < g.k;) {
      if ((q & 4) && q + 4 <= g.k) {
        sum = sum + (((product(q) + product(q + 1)) + product(q + 2)) + product(q + 3));
        q += 4;
      } else {
        sum = sum + product(q++);
      }
    }
    c = sum;
  }
}

void chain(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  float* c = g.c + j * g.ldc;
  int64_t head = to_line(c);
  if (g.m - head < 4) head = 0;
  if (begin < head) {
    chain_head(g, j, begin, std::min(head, end));
    begin = std::min(head, end);
  }
  constexpr int64_t kStep = 512;  // sums kept in the first cache
  for (int64_t i0 = begin; i0 < end; i0 += kStep) {
    const int64_t count = std::min(kStep, end - i0);
    float* __restrict to = c + i0;
    if (!g.accumulate)
      for (int64_t i = 0; i < count; ++i) to[i] = 0.0f;
    const float* a = g.a + i0;
    const float* b = g.b + j * g.b_n;
    int64_t q = 0;
    for (; q + 4 <= g.k; q += 4, a += 4 * g.a_k) {
      const float b0 = b[q * g.b_k] * g.alpha, b1 = b[(q + 1) * g.b_k] * g.alpha;
      const float b2 = b[(q + 2) * g.b_k] * g.alpha, b3 = b[(q + 3) * g.b_k] * g.alpha;
      const float *a0 = a, *a1 = a + g.a_k, *a2 = a + 2 * g.a_k, *a3 = a + 3 * g.a_k;
      for (int64_t i = 0; i < count; ++i) to[i] = (((to[i] + a0[i] * b0) + a1[i] * b1) + a2[i] * b2) + a3[i] * b3;
    }
    for (; q < g.k; ++q, a += g.a_k) {
      const float b0 = b[q * g.b_k] * g.alpha;
      for (int64_t i = 0; i < count; ++i) to[i] = to[i] + a[i] * b0;
    }
  }
}

// Dot product from q on with lanes from `from` on: `Lanes` lanes, `Sums` registers of four taken in turn.
// 4, 1: four lanes; 8, 2: two registers, added at the end; 8, 1: one register fed eight at a time.
template <int Lanes, int Sums>
float lane_dot(const float* x, const float* y, int64_t k, int64_t q, int64_t from, float start) {
  if (k - from < Lanes) {
    for (; q < k; ++q) start = start + x[q] * y[q];
    return start;
  }
  for (; q < from; ++q) start = start + x[q] * y[q];
  Four sum[Sums] = {};
  sum[0][0] = start;
  for (; q + Lanes <= k; q += Lanes)
    for (int l = 0; l < Lanes; l += 4) {
      Four& s = sum[Sums == 2 ? l / 4 : 0];
      s = s + load4(x + q + l) * load4(y + q + l);
    }
  if constexpr (Sums == 2) sum[0] = sum[0] + sum[1];
  float total = across(sum[0]);
  for (; q < k; ++q) total = total + x[q] * y[q];
  return total;
}

// Four rows at once; every row as lane_dot<4, 1> does it.
void four_dots(const float* a, int64_t stride, const float* x, int64_t k, int64_t q0, int64_t from, float (&out)[4]) {
  if (k - from < 4) {
    for (int r = 0; r < 4; ++r) out[r] = lane_dot<4, 1>(a + r * stride, x, k, q0, from, out[r]);
    return;
  }
  Four sum[4] = {};
  for (int r = 0; r < 4; ++r) {
    float start = out[r];
    for (int64_t q = q0; q < from; ++q) start = start + a[r * stride + q] * x[q];
    sum[r][0] = start;
  }
  int64_t q = from;
  for (; q + 4 <= k; q += 4) {
    const Four right = load4(x + q);
    for (int r = 0; r < 4; ++r) sum[r] = sum[r] + load4(a + r * stride + q) * right;
  }
  for (int r = 0; r < 4; ++r) {
    out[r] = across(sum[r]);
    for (int64_t e = q; e < k; ++e) out[r] = out[r] + a[r * stride + e] * x[e];
  }
}

void dots(const GemmArgs<float>& g, int64_t j, int64_t begin, int64_t end) {
  const float* x = g.b + j * g.b_n;
  const int64_t from = to_line(x), whole = g.m / 4 * 4;
  int64_t i = begin;
  for (; i < std::min(whole, end); i += 4) {
    float out[4] = {};
    four_dots(g.a + i * g.a_m, g.a_m, x, g.k, 0, from, out);
    for (int r = 0; r < 4; ++r) put(g, i + r, j, out[r]);
  }
  for (; i < end; ++i) put(g, i, j, lane_dot<8, 2>(g.a + i * g.a_m, x, g.k, 0, from, 0.0f));
}

// The first product is the start; lanes begin at the first 16-byte line from element 1 on: of the last of four
// matrix rows, or, for the rows that are left, of the vector.
void vector_dots(const GemmArgs<float>& g, int64_t begin, int64_t end) {
  const float* x = g.b;
  const int64_t whole = g.m / 4 * 4;
  int64_t i = begin;
  for (; i < std::min(whole, end); i += 4) {
    const float* a = g.a + i * g.a_m;
    float out[4];
    for (int r = 0; r < 4; ++r) out[r] = a[r * g.a_m] * x[0];
    four_dots(a, g.a_m, x, g.k, 1, 1 + to_line(a + 3 * g.a_m + 1), out);
    for (int r = 0; r < 4; ++r) put(g, i + r, 0, out[r]);
  }
  const int64_t from = 1 + to_line(x + 1);
  for (; i < end; ++i) {
    const float* a = g.a + i * g.a_m;
    const float start = a[0] * x[0];
    put(g, i, 0,
        i - whole == 1 ? lane_dot<8, 1>(a, x, g.k, 1, from, start) : lane_dot<8, 2>(a, x, g.k, 1, from, start));
  }
}

void strided(const GemmArgs<float>& g, int64_t j) {
  for (int64_t i = 0; i < g.m; ++i) {
    float sum = 0;
    for (int64_t q = 0; q < g.k; ++q) sum = sum + g.a[i * g.a_m + q * g.a_k] * g.b[q * g.b_k + j * g.b_n];
    put(g, i, j, sum);
  }
}

float dot(const float* x, const float* y, int64_t k) {
  Four sum[4] = {};
  int64_t q = 0;
  // Unaligned vectors: what comes before the second one's first 16-byte line is the start of lane 0.
  for (const int64_t head = std::min(k, to_line(y)); q < head; ++q) sum[0][0] = sum[0][0] + x[q] * y[q];
  for (; q + 16 <= k; q += 16)
    for (int v = 0; v < 4; ++v) sum[v] = sum[v] + load4(x + q + 4 * v) * load4(y + q + 4 * v);
  for (const int left : {2, 1})  // eight into the first two registers, four into the first
    if (q + 4 * left <= k) {
      for (int v = 0; v < left; ++v) sum[v] = sum[v] + load4(x + q + 4 * v) * load4(y + q + 4 * v);
      q += 4 * left;
    }
  for (; q < k; ++q) sum[0][0] = sum[0][0] + x[q] * y[q];
  return across(((sum[0] + sum[1]) + sum[2]) + sum[3]);
}

}  // namespace

const GemmSmallKernels gemm_small_table = {chain, dots, vector_dots, strided, dot};

}  // namespace flambeau::FLAMBEAU_ISA
