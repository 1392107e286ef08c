// Covariance, quantiles, differences and integrals (ops/statistics.h): composed of other operators as in
// aten/src/ATen/native/{Correlation,Sorting,ReduceOps,Integration}.cpp. Gradients follow from the parts.
#include "ops/statistics.h"

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/scan.h"
#include "ops/sort.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

void check_weights(std::string_view name, const Tensor& weights, int64_t observations, bool integral) {
  FLAMBEAU_CHECK(weights.dim() <= 1, "cov(): expected ", name, " to have one or fewer dimensions but got ", name,
                 " with ", weights.dim(), " dimensions");
  FLAMBEAU_CHECK(integral ? is_integral(weights.dtype()) : weights.is_floating(), "cov(): expected ", name, " to have ",
                 integral ? "integral" : "floating point", " dtype but got ", name, " with ", weights.dtype(),
                 " dtype");
  FLAMBEAU_CHECK(weights.numel() == observations, "cov(): expected ", name,
                 " to have the same numel as there are observations in the input but got ", weights.numel(),
                 " != ", observations);
  FLAMBEAU_CHECK(observations == 0 || all(ge(detach(weights), 0)).data<bool>()[0], "cov(): ", name,
                 " cannot be negative");
}

bool is_true(const Tensor& t) { return raw_cast(t, DType::Bool).data<bool>()[0]; }

}  // namespace

// self (variables, observations)
Tensor cov(const Tensor& self, int64_t correction, const OptTensor& fweights, const OptTensor& aweights) {
  FLAMBEAU_CHECK(self.dim() <= 2, "cov(): expected input to have two or fewer dimensions but got an input with ",
                 self.dim(), " dimensions");
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, "cov(): bool dtype is not supported for input");
  const Tensor in = self.dim() < 2 ? reshape(self, {1, -1}) : self;
  const int64_t observations = in.size(1);
  Tensor w;
  if (fweights) {
    check_weights("fweights", *fweights, observations, true);
    w = *fweights;
  }
  if (aweights) {
    check_weights("aweights", *aweights, observations, false);
    w = w.defined() ? mul(w, *aweights) : *aweights;
  }
  const Tensor total = w.defined() ? sum(w) : scalar_tensor(observations, DType::Int64);
  FLAMBEAU_CHECK(!w.defined() || is_true(ne(detach(total), 0)), "cov(): weights sum to zero, can't be normalized");
  const Tensor average = div(sum(w.defined() ? mul(in, w) : in, 1), total);
  Tensor norm = w.defined() && aweights && correction != 0
                    ? sub(total, div(mul(sum(mul(w, *aweights)), correction), total))
                    : sub(total, correction);
  if (is_true(le(detach(norm), 0))) norm = zeros({}, norm.dtype());
  const Tensor centered = sub(in, unsqueeze(average, 1));
  return squeeze(div(matmul(centered, t(w.defined() ? mul(centered, w) : centered)), norm));
}

Tensor corrcoef(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() <= 2, "corrcoef(): expected input to have two or fewer dimensions but got an input with ",
                 self.dim(), " dimensions");
  const Tensor c = cov(self);
  if (c.dim() == 0) return div(c, c);
  const Tensor deviation = sqrt(diagonal(c));
  return clamp(div(div(c, reshape(deviation, {-1, 1})), reshape(deviation, {1, -1})), Scalar(-1), Scalar(1));
}

namespace {

void check_quantile(std::string_view name, const Tensor& self, const Tensor& q, const std::string& interpolation) {
  FLAMBEAU_CHECK(self.numel() > 0, name, "() input tensor must be non-empty");
  FLAMBEAU_CHECK(q.dim() <= 1, name, "() q must be a scalar or 1D tensor");
  FLAMBEAU_CHECK(self.dtype() == DType::Float32 || self.dtype() == DType::Float64, name,
                 "() input tensor must be either float or double dtype");
  FLAMBEAU_CHECK(self.dtype() == q.dtype(), name, "() q tensor must be same dtype as the input tensor");
  for (const char* known : {"linear", "lower", "higher", "midpoint", "nearest"})
    if (interpolation == known) return;
  throw Error(
      str(name, "() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", interpolation));
}

// q (Q) or a scalar; the result's first dimension is Q.
Tensor quantile_of(std::string_view name, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation, bool ignore_nan) {
  check_quantile(name, self, q, interpolation);
  FLAMBEAU_CHECK(is_true(all(logical_and(ge(detach(q), 0), le(detach(q), 1)))), name,
                 "() q values must be in the range [0, 1]");
  const int64_t d = wrap_dim(dim.value_or(0), self.dim());
  Dims shape = dim ? self.sizes() : Dims(keepdim ? self.sizes().size() : 0, 1);
  if (dim && !shape.empty()) {
    if (keepdim) shape[size_t(d)] = 1;
    else shape.erase(size_t(d));
  }
  if (q.dim() > 0) shape.insert(0, q.numel());

  // (..., n): the reduced dimension last, without moving it if it is there.
  const Tensor moved = !dim || self.dim() == 0 ? reshape(self, {-1})
                       : d == self.dim() - 1   ? self
                                               : transpose(unsqueeze(self, -1), d, -1);
  const Tensor sorted = std::get<0>(sort(moved));
  const Tensor ranks = reshape(q, {-1});
  Tensor rank;
  if (ignore_nan) {
    rank = mul(ranks, sub(sum(logical_not(isnan(detach(sorted))), -1, true), 1));
    rank = masked_fill(rank, lt(rank, 0), 0);
  } else {
    const int64_t last = sorted.size(-1) - 1;
    const Tensor has_nan = any(isnan(detach(sorted)), -1, true);
    rank = where(has_nan, double(last), mul(ranks, last));
  }
  if (interpolation == "lower") rank = floor(rank);
  else if (interpolation == "higher") rank = ceil(rank);
  else if (interpolation == "nearest") rank = round(rank);
  rank = to_dtype(rank, sorted.dtype());
  const Tensor below = to_dtype(rank, DType::Int64);
  Tensor out = gather(sorted, -1, below);
  if (interpolation == "linear" || interpolation == "midpoint") {
    const Tensor weights = interpolation == "midpoint" ? full(rank.sizes(), 0.5, rank.dtype()) : sub(rank, below);
    out = lerp(out, gather(sorted, -1, to_dtype(ceil(detach(rank)), DType::Int64)), weights);
  }
  if (q.dim() > 0 && out.dim() > 1) out = squeeze_dims(transpose(unsqueeze(out, 0), 0, -1), {-1});
  return reshape(out, shape);
}

Tensor quantile_scalar(std::string_view name, double q) {
  FLAMBEAU_CHECK(q >= 0 && q <= 1, name, "() q must be in the range [0, 1] but got ", streamed(q));
  return scalar_tensor(q, DType::Float64);
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
  return quantile_of("quantile", self, q, dim, keepdim, interpolation, false);
}
Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
  return quantile(self, to_dtype(quantile_scalar("quantile", q), self.dtype()), dim, keepdim, interpolation);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
  return quantile_of("nanquantile", self, q, dim, keepdim, interpolation, true);
}
Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
  return nanquantile(self, to_dtype(quantile_scalar("nanquantile", q), self.dtype()), dim, keepdim, interpolation);
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const OptTensor& prepend, const OptTensor& append) {
  FLAMBEAU_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  FLAMBEAU_CHECK(n >= 0, "order must be non-negative but got ", n);
  if (n == 0) return clone(self);
  TensorList parts;
  if (prepend) parts.push_back(*prepend);
  parts.push_back(self);
  if (append) parts.push_back(*append);
  Tensor out = parts.size() > 1 ? cat(parts, dim) : self;
  for (int64_t i = 0; i < n && out.size(dim) > 0; ++i) {
    const int64_t length = out.size(dim) - 1;
    const Tensor later = narrow(out, dim, out.size(dim) - length, length), earlier = narrow(out, dim, 0, length);
    out = out.dtype() == DType::Bool ? logical_xor(later, earlier) : sub(later, earlier);
  }
  return out;
}

namespace {

struct Ends {
  Tensor left, right;
};

// All but the last and all but the first along dim.
Ends ends(const Tensor& t, int64_t dim) { return {slice(t, dim, 0, -1), slice(t, dim, 1, std::nullopt)}; }

// Widths of the intervals between sample points x, shaped to go with y.
Tensor widths(const Tensor& y, const Tensor& x, int64_t dim, std::string_view name) {
  Tensor points = x;
  if (x.dim() == 1) {
    FLAMBEAU_CHECK(x.size(0) == y.size(dim), name, ": There must be one `x` value for each sample point");
    Dims shape(y.sizes().size(), 1);
    shape[size_t(wrap_dim(dim, y.dim()))] = x.size(0);
    points = reshape(x, shape);
  } else if (x.dim() < y.dim()) {
    Dims shape = x.sizes();
    while (shape.size() < y.sizes().size()) shape.insert(0, 1);
    points = reshape(x, shape);
  }
  const Ends e = ends(points, dim);
  return sub(e.right, e.left);
}

void check_not_bool(std::string_view name, const Tensor& y, const Tensor* x) {
  FLAMBEAU_CHECK(y.dtype() != DType::Bool && (!x || x->dtype() != DType::Bool), name, ": received a bool input for `",
                 x ? "x` or `" : "", "y`, but bool is not supported");
}

Tensor zeros_without(const Tensor& y, int64_t dim) {
  Dims sizes = y.sizes();
  sizes.erase(size_t(wrap_dim(dim, y.dim())));
  return zeros(sizes, y.dtype());
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  check_not_bool("trapezoid", y, &x);
  if (y.size(dim) == 0) return zeros_without(y, dim);
  const Tensor dx = widths(y, x, dim, "trapezoid");
  const Ends e = ends(y, dim);
  return div(sum(mul(add(e.left, e.right), dx), dim), 2.0);
}

Tensor trapezoid(const Tensor& y, Scalar dx, int64_t dim) {
  check_not_bool("trapezoid", y, nullptr);
  if (y.size(dim) == 0) return zeros_without(y, dim);
  return mul(sub(sum(y, dim), mul(add(select(y, dim, 0), select(y, dim, -1)), 0.5)), dx.to_double());
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  check_not_bool("cumulative_trapezoid", y, &x);
  const Tensor dx = widths(y, x, dim, "cumulative_trapezoid");
  const Ends e = ends(y, dim);
  return div(cumsum(mul(add(e.left, e.right), dx), dim), 2.0);
}

Tensor cumulative_trapezoid(const Tensor& y, Scalar dx, int64_t dim) {
  check_not_bool("cumulative_trapezoid", y, nullptr);
  const Ends e = ends(y, dim);
  return cumsum(mul(add(e.left, e.right), dx.to_double() / 2.0), dim);
}

}  // namespace flambeau::ops
