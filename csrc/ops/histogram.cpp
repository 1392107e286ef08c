// Counting into bins (ops/statistics.h). Follows aten/src/ATen/native/{SummaryOps,Histogram}.cpp and
// native/cpu/HistogramKernel.cpp. No gradients, as in PyTorch.
#include <algorithm>
#include <cmath>

#include "ops/copy.h"
#include "ops/create.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/statistics.h"
#include "ops/views.h"

namespace flambeau::ops {

Tensor bincount(const Tensor& self, const OptTensor& weights, int64_t minlength) {
  if (!is_integral(self.dtype())) not_implemented_for("bincount_cpu", self.dtype());
  FLAMBEAU_CHECK(minlength >= 0, "minlength should be >= 0");
  const Tensor x = raw_contiguous(raw_cast(self, DType::Int64));
  const int64_t n = x.numel();
  const int64_t* at = x.data<int64_t>();
  const auto [low, high] = std::minmax_element(at, at + n);
  FLAMBEAU_CHECK((self.dim() == 1 || n == 0) && (n == 0 || *low >= 0),
                 "bincount only supports 1-d non-negative integral inputs.");
  FLAMBEAU_CHECK(!weights || (weights->dim() == 1 && weights->numel() == n),
                 "weights should be 1-d and have the same length as input");
  const int64_t bins = std::max(minlength, n ? *high + 1 : 0);
  if (!weights || n == 0) {
    const Tensor out = zeros({bins}, DType::Int64);
    for (int64_t i = 0; i < n; ++i) ++out.data<int64_t>()[at[i]];
    return out;
  }
  const Tensor w =
      raw_contiguous(raw_cast(*weights, weights->dtype() == DType::Float32 ? DType::Float32 : DType::Float64));
  const Tensor out = zeros({bins}, w.dtype());
  visit_real("bincount_cpu", w.dtype(), [&]<class T>(Type<T>) {
    T* sums = out.data<T>();
    for (int64_t i = 0; i < n; ++i) sums[at[i]] = sums[at[i]] + w.data<T>()[i];
  });
  return out;
}

namespace {

enum class Search { Linear, LinearThenLocal, Binary };

// Adds 1 or the weight of each element of x to its bin; the last bin includes its right edge, NaN is nowhere.
template <class T>
void fill_bins(Search how, const T* x, int64_t n, const T* weight, const T* edges, int64_t bins, T* hist) {
  const T left = edges[0], right = edges[bins];
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i];
    if (!(value >= left && value <= right)) continue;
    int64_t bin;
    if (how == Search::Binary) {
      bin = std::upper_bound(edges, edges + bins + 1, value) - edges - 1;
    } else {
      bin = int64_t((value - left) * T(bins) / (right - left));
      if (how == Search::LinearThenLocal) {
        const int64_t from = std::max<int64_t>(0, bin - 1), to = std::min(bin + 2, bins + 1);
        bin = std::upper_bound(edges + from, edges + to, value) - edges - 1;
      }
    }
    if (bin == bins) --bin;
    hist[bin] = hist[bin] + (weight ? weight[i] : T(1));
  }
}

Tensor count_into(Search how, const Tensor& self, const Tensor& edges, const OptTensor& weight) {
  const Tensor x = raw_contiguous(self), bounds = raw_contiguous(edges);
  const Tensor w = weight ? raw_contiguous(*weight) : Tensor();
  const int64_t bins = edges.numel() - 1;
  const Tensor hist = zeros({bins}, self.dtype());
  visit_real("histogramdd", self.dtype(), [&]<class T>(Type<T>) {
    fill_bins<T>(how, x.data<T>(), x.numel(), weight ? w.data<T>() : nullptr, bounds.data<T>(), bins, hist.data<T>());
  });
  return hist;
}

void check_bins(int64_t bins) {
  FLAMBEAU_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
}

struct Range {
  double left, right;
};

Range range_of(const Tensor& self) {
  const auto [low, high] = aminmax(detach(self));
  return {raw_cast(low, DType::Float64).data<double>()[0], raw_cast(high, DType::Float64).data<double>()[0]};
}

// A range of one value gets `margin` to both sides.
Range widened(Range range, double margin) {
  return range.left == range.right ? Range{range.left - margin, range.right + margin} : range;
}
bool is_finite(Range range) { return std::isfinite(range.left) && std::isfinite(range.right); }

Tensor as_density(const Tensor& hist, const Tensor& edges) { return div(div(hist, sum(hist)), diff(edges)); }

void check_histogram(const Tensor& self, const OptTensor& weight) {
  if (self.dtype() != DType::Float32 && self.dtype() != DType::Float64)
    not_implemented_for("histogramdd", self.dtype());
  FLAMBEAU_CHECK(!weight || weight->dtype() == self.dtype(),
                 "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
                 "dtype, but got input(",
                 self.dtype(), "), and weight(", weight ? weight->dtype() : self.dtype(), ")");
  FLAMBEAU_CHECK(
      !weight || weight->sizes() == self.sizes(),
      "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "
      "its innermost dimension, but got input with shape ",
      self.sizes(), " and weight with shape ", weight ? weight->sizes() : self.sizes());
}

}  // namespace

Tensor histc(const Tensor& self, int64_t bins, Scalar min, Scalar max) {
  if (is_reduced_float(self.dtype()))
    return raw_cast(histc(raw_cast(self, DType::Float32), bins, min, max), self.dtype());
  if (self.dtype() != DType::Float32 && self.dtype() != DType::Float64)
    not_implemented_for("histogram_cpu", self.dtype());
  check_bins(bins);
  Range range{min.to_double(), max.to_double()};
  if (range.left == range.right && self.numel() > 0) range = range_of(self);
  range = widened(range, 1);
  FLAMBEAU_CHECK(is_finite(range), "torch.histc: range of [", streamed(range.left), ", ", streamed(range.right),
                 "] is not finite");
  FLAMBEAU_CHECK(range.left < range.right, "torch.histc: max must be larger than min");
  return count_into(Search::Linear, self, create::linspace(range.left, range.right, bins + 1, self.dtype()), {});
}

TwoTensors histogram(const Tensor& self, const Tensor& bins, const OptTensor& weight, bool density) {
  check_histogram(self, weight);
  FLAMBEAU_CHECK(
      bins.dtype() == self.dtype(),
      "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype ",
      self.dtype(), " and bins for dimension 0 with dtype ", bins.dtype());
  FLAMBEAU_CHECK(bins.dim() == 1, "torch.histogramdd: bins tensor should have one dimension, but got ", bins.dim(),
                 " dimensions in the bins tensor for dimension 0");
  FLAMBEAU_CHECK(bins.numel() > 0, "torch.histogramdd: bins tensor should have at least 1 element, but got ",
                 bins.numel(), " elements in the bins tensor for dimension 0");
  const Tensor edges = clone(detach(bins));
  const Tensor hist = count_into(Search::Binary, self, edges, weight);
  return {density ? as_density(hist, edges) : hist, edges};
}

TwoTensors histogram(const Tensor& self, int64_t bins, const std::optional<std::vector<double>>& range,
                     const OptTensor& weight, bool density) {
  check_histogram(self, weight);
  check_bins(bins);
  FLAMBEAU_CHECK(!range || range->size() == 2,
                 "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got ",
                 range ? range->size() : 0);
  const Range given = range ? Range{(*range)[0], (*range)[1]} : self.numel() > 0 ? range_of(self) : Range{0, 1};
  FLAMBEAU_CHECK(is_finite(given), "torch.histogramdd: dimension 0's range [", streamed(given.left), ", ",
                 streamed(given.right), "] is not finite");
  FLAMBEAU_CHECK(given.left <= given.right, "torch.histogramdd: min should not exceed max, but got min ",
                 streamed(given.left), " max ", streamed(given.right), " for dimension 0");
  const Range outer = widened(given, 0.5);
  const Tensor edges = create::linspace(outer.left, outer.right, bins + 1, self.dtype());
  const Tensor hist = count_into(Search::LinearThenLocal, self, edges, weight);
  return {density ? as_density(hist, edges) : hist, edges};
}

}  // namespace flambeau::ops
