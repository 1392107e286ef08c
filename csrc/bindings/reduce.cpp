// Reductions, scans and norms.
#include "ops/reduce.h"

#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/pointwise.h"
#include "ops/scan.h"
#include "ops/vector_norm.h"

namespace flambeau::bind {
namespace {

using T = const Tensor&;
using D = const ops::OptDims&;
using ops::OptDType, ops::TwoTensors;
template <class R, class... Args>
using Fn = R (*)(Args...);  // picks one of several overloads

// max(a, b): a number is no second operand here, it is a dim.
Tensor max_other(T self, T other) { return ops::maximum(self, other); }
Tensor min_other(T self, T other) { return ops::minimum(self, other); }
Tensor norm_dtype(T self, std::optional<Scalar> p, DType dtype) { return ops::norm(self, p, {}, false, dtype); }
Tensor frobenius_norm(T self, const Dims& dim, bool keepdim) { return ops::linalg_vector_norm(self, 2, dim, keepdim); }

void bind_sums() {
  def<Fn<Tensor, T, OptDType>(&ops::sum)>("sum(self, *, dtype=None)", kPlain | kOut);
  def<Fn<Tensor, T, D, bool, OptDType>(&ops::sum)>("sum(self, dim, keepdim=False, *, dtype=None)", kPlain | kOut);
  def<&ops::sum_to_size>("sum_to_size(self, size)", kMethod);
  def<&ops::nansum>("nansum(self, dim=None, keepdim=False, *, dtype=None)", kPlain | kOut);
  def<Fn<Tensor, T, OptDType>(&ops::mean)>("mean(self, *, dtype=None)", kPlain | kOut);
  def<Fn<Tensor, T, D, bool, OptDType>(&ops::mean)>("mean(self, dim, keepdim=False, *, dtype=None)", kPlain | kOut);
  def<&ops::nanmean>("nanmean(self, dim=None, keepdim=False, *, dtype=None)", kPlain | kOut);
  def<Fn<Tensor, T, OptDType>(&ops::prod)>("prod(self, *, dtype=None)", kPlain | kOut);
  def<Fn<Tensor, T, int64_t, bool, OptDType>(&ops::prod)>("prod(self, dim, keepdim=False, *, dtype=None)",
                                                          kPlain | kOut);
  def<&ops::logsumexp>("logsumexp(self, dim, keepdim=False)", kPlain | kOut);
  def<&ops::logsumexp>("special_logsumexp(self, dim, keepdim=False)", kSpecial | kOut);
  def<Fn<Tensor, T, const Dims&>(&ops::count_nonzero)>("count_nonzero(self, dim)", kPlain);
  def<Fn<Tensor, T, std::optional<int64_t>>(&ops::count_nonzero)>("count_nonzero(self, dim=None)", kPlain);
}

void bind_extremes() {
  def<&ops::amax>("amax(self, dim=(), keepdim=False)", kPlain | kOut);
  def<&ops::amin>("amin(self, dim=(), keepdim=False)", kPlain | kOut);
  def<&ops::aminmax>("aminmax(self, *, dim=None, keepdim=False) -> min, max", kPlain | kOut);
  def<Fn<Tensor, T>(&ops::max)>("max(self)", kPlain | kOut);
  def<&max_other>("max(self, other)", kPlain | kOut);
  def<Fn<TwoTensors, T, int64_t, bool>(&ops::max)>("max(self, dim, keepdim=False) -> values, indices", kPlain | kOut);
  def<Fn<Tensor, T>(&ops::min)>("min(self)", kPlain | kOut);
  def<&min_other>("min(self, other)", kPlain | kOut);
  def<Fn<TwoTensors, T, int64_t, bool>(&ops::min)>("min(self, dim, keepdim=False) -> values, indices", kPlain | kOut);
  def<&ops::argmax>("argmax(self, dim=None, keepdim=False)", kPlain | kOut);
  def<&ops::argmin>("argmin(self, dim=None, keepdim=False)", kPlain | kOut);
  def<Fn<Tensor, T>(&ops::all)>("all(self)", kPlain | kOut);
  def<Fn<Tensor, T, int64_t, bool>(&ops::all)>("all(self, dim, keepdim=False)", kPlain | kOut);
  def<Fn<Tensor, T, D, bool>(&ops::all)>("all(self, dim=None, keepdim=False)", kPlain | kOut);
  def<Fn<Tensor, T>(&ops::any)>("any(self)", kPlain | kOut);
  def<Fn<Tensor, T, int64_t, bool>(&ops::any)>("any(self, dim, keepdim=False)", kPlain | kOut);
  def<Fn<Tensor, T, D, bool>(&ops::any)>("any(self, dim=None, keepdim=False)", kPlain | kOut);
}

void bind_norms() {
  def<Fn<Tensor, T, Scalar>(&ops::norm)>("norm(self, p=2)", kFunction);
  def<Fn<Tensor, T, std::optional<Scalar>, const Dims&, bool, OptDType>(&ops::norm)>(
      "norm(self, p, dim, keepdim=False, *, dtype=None)", kFunction | kOut);
  def<&norm_dtype>("norm(self, p, *, dtype)", kFunction);
  def<&frobenius_norm>("frobenius_norm(self, dim, keepdim=False)", kFunction | kOut);
  def<&ops::linalg_vector_norm>("linalg_vector_norm(self, ord=2, dim=None, keepdim=False, *, dtype=None)",
                                kLinalg | kOut);
  def<Fn<Tensor, T, Scalar, const Dims&, bool, OptDType>(&ops::linalg_matrix_norm)>(
      "linalg_matrix_norm(self, ord, dim=(-2, -1), keepdim=False, *, dtype=None)", kLinalg | kOut);
  def<Fn<Tensor, T, const std::string&, const Dims&, bool, OptDType>(&ops::linalg_matrix_norm)>(
      "linalg_matrix_norm(self, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None)", kLinalg | kOut);
  def<Fn<Tensor, T, std::optional<Scalar>, D, bool, OptDType>(&ops::linalg_norm)>(
      "linalg_norm(self, ord=None, dim=None, keepdim=False, *, dtype=None)", kLinalg | kOut);
  def<Fn<Tensor, T, const std::string&, D, bool, OptDType>(&ops::linalg_norm)>(
      "linalg_norm(self, ord, dim=None, keepdim=False, *, dtype=None)", kLinalg | kOut);
  def<&ops::dist>("dist(self, other, p=2)", kPlain);
  def<&ops::renorm>("renorm(self, p, dim, maxnorm)", kAll);
}

void bind_scans() {
  def<&ops::cumsum>("cumsum(self, dim, *, dtype=None)", kAll);
  def<&ops::cumprod>("cumprod(self, dim, *, dtype=None)", kAll);
  def<&ops::logcumsumexp>("logcumsumexp(self, dim)", kPlain | kOut);
  def<&ops::cummax>("cummax(self, dim) -> values, indices", kPlain | kOut);
  def<&ops::cummin>("cummin(self, dim) -> values, indices", kPlain | kOut);
}

}  // namespace

void bind_reduce() {
  bind_sums();
  bind_extremes();
  bind_norms();
  bind_scans();
}

}  // namespace flambeau::bind
