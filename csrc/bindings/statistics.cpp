// Spread, order statistics, distinct values and histograms.
#include "ops/statistics.h"

#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/sort.h"

namespace flambeau::bind {
namespace {

using T = const Tensor&;
using D = const ops::OptDims&;
using OptInt = std::optional<int64_t>;
using Correction = std::optional<Scalar>;
using ops::TwoTensors;
using Text = const std::string&;
template <class R, class... Args>
using Fn = R (*)(Args...);  // picks one of several overloads

template <class R>
struct Spread {
  using Unbiased = Fn<R, T, bool>;
  using UnbiasedDim = Fn<R, T, D, bool, bool>;
  using Corrected = Fn<R, T, D, Correction, bool>;
};

void bind_spread() {
#define FLAMBEAU_SPREAD(name, R, forms)                                                              \
  def<Spread<R>::Unbiased(&ops::name)>(#name "(self, unbiased=True)", forms);                        \
  def<Spread<R>::UnbiasedDim(&ops::name)>(#name "(self, dim, unbiased=True, keepdim=False)", forms); \
  def<Spread<R>::Corrected(&ops::name)>(#name "(self, dim=None, *, correction=None, keepdim=False)", forms);
  FLAMBEAU_SPREAD(var, Tensor, kPlain | kOut)
  FLAMBEAU_SPREAD(std, Tensor, kPlain | kOut)
  FLAMBEAU_SPREAD(var_mean, TwoTensors, kFunction)
  FLAMBEAU_SPREAD(std_mean, TwoTensors, kFunction)
#undef FLAMBEAU_SPREAD
  def<&ops::cov>("cov(self, *, correction=1, fweights=None, aweights=None)", kPlain);
  def<&ops::corrcoef>("corrcoef(self)", kPlain);
#define FLAMBEAU_QUANTILE(name)                                                              \
  def<Fn<Tensor, T, T, OptInt, bool, Text>(&ops::name)>(                                     \
      #name "(self, q, dim=None, keepdim=False, *, interpolation='linear')", kPlain | kOut); \
  def<Fn<Tensor, T, double, OptInt, bool, Text>(&ops::name)>(                                \
      #name "(self, q, dim=None, keepdim=False, *, interpolation='linear')", kPlain | kOut);
  FLAMBEAU_QUANTILE(quantile)
  FLAMBEAU_QUANTILE(nanquantile)
#undef FLAMBEAU_QUANTILE
}

void bind_samples() {
  def<&ops::bincount>("bincount(self, weights=None, minlength=0)", kPlain);
  def<&ops::histc>("histc(self, bins=100, min=0, max=0)", kPlain | kOut);
  def<Fn<TwoTensors, T, T, const OptTensor&, bool>(&ops::histogram)>(
      "histogram(self, bins, *, weight=None, density=False) -> hist, bin_edges", kPlain | kOut);
  def<Fn<TwoTensors, T, int64_t, const std::optional<std::vector<double>>&, const OptTensor&, bool>(&ops::histogram)>(
      "histogram(self, bins=100, *, range=None, weight=None, density=False) -> hist, bin_edges", kPlain | kOut);
  def<&ops::diff>("diff(self, n=1, dim=-1, prepend=None, append=None)", kPlain | kOut);
  for (const char* signature : {"trapezoid(y, x, *, dim=-1)", "trapz(y, x, *, dim=-1)"})
    def<Fn<Tensor, T, T, int64_t>(&ops::trapezoid)>(signature, kFunction);
  for (const char* signature : {"trapezoid(y, *, dx=1, dim=-1)", "trapz(y, *, dx=1, dim=-1)"})
    def<Fn<Tensor, T, Scalar, int64_t>(&ops::trapezoid)>(signature, kFunction);
  def<Fn<Tensor, T, T, int64_t>(&ops::cumulative_trapezoid)>("cumulative_trapezoid(y, x, *, dim=-1)", kFunction);
  def<Fn<Tensor, T, Scalar, int64_t>(&ops::cumulative_trapezoid)>("cumulative_trapezoid(y, *, dx=1, dim=-1)",
                                                                  kFunction);
}

void bind_order() {
  def<Fn<TwoTensors, T, int64_t, bool>(&ops::sort)>("sort(self, dim=-1, descending=False) -> values, indices",
                                                    kPlain | kOut);
  def<Fn<TwoTensors, T, std::optional<bool>, int64_t, bool>(&ops::sort)>(
      "sort(self, *, stable, dim=-1, descending=False) -> values, indices", kPlain | kOut);
  def<Fn<Tensor, T, int64_t, bool>(&ops::argsort)>("argsort(self, dim=-1, descending=False)", kPlain);
  def<Fn<Tensor, T, bool, int64_t, bool>(&ops::argsort)>("argsort(self, *, stable, dim=-1, descending=False)",
                                                         kPlain | kOut);
  def<&ops::msort>("msort(self)", kPlain | kOut);
  def<&ops::topk>("topk(self, k, dim=-1, largest=True, sorted=True) -> values, indices", kPlain | kOut);
  def<&ops::kthvalue>("kthvalue(self, k, dim=-1, keepdim=False) -> values, indices", kPlain | kOut);
  def<Fn<Tensor, T>(&ops::median)>("median(self)", kPlain);
  def<Fn<TwoTensors, T, int64_t, bool>(&ops::median)>("median(self, dim, keepdim=False) -> values, indices",
                                                      kPlain | kOut);
  def<Fn<Tensor, T>(&ops::nanmedian)>("nanmedian(self)", kPlain);
  def<Fn<TwoTensors, T, int64_t, bool>(&ops::nanmedian)>("nanmedian(self, dim, keepdim=False) -> values, indices",
                                                         kPlain | kOut);
  def<&ops::mode>("mode(self, dim=-1, keepdim=False) -> values, indices", kPlain | kOut);
  def<&ops::unique2>("_unique2(self, sorted=True, return_inverse=False, return_counts=False)", kFunction);
  def<&ops::unique_dim>("unique_dim(self, dim, sorted=True, return_inverse=False, return_counts=False)", kFunction);
  def<&ops::unique_consecutive>("unique_consecutive(self, return_inverse=False, return_counts=False, dim=None)",
                                kFunction);
  def<&ops::searchsorted>(
      "searchsorted(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None)", kFunction | kOut);
  def<&ops::bucketize>("bucketize(self, boundaries, *, out_int32=False, right=False)", kFunction | kOut);
}

}  // namespace

void bind_statistics() {
  bind_spread();
  bind_samples();
  bind_order();
}

}  // namespace flambeau::bind
