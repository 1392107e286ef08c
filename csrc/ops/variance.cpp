// Variance and standard deviation (ops/statistics.h). Follows std_var_out and std_var_all_cpu in
// aten/src/ATen/native/ReduceOps.cpp and WelfordOps in native/SharedReduceOps.h: two passes in double when there is one
// result, Welford's running moments in double otherwise. PyTorch's warning about degrees of freedom is not given.
#include <cmath>

#include "kernels/moments.h"
#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/statistics.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

struct Spread {
  std::string_view name;
  bool root;  // of the variance
  bool with_mean;
};
constexpr Spread kVar = {"var", false, false}, kStd = {"std", true, false};
constexpr Spread kVarMean = {"var_mean", false, true}, kStdMean = {"std_mean", true, true};

double divide(double m2, double count, double correction) {
  return m2 / (count > correction ? count - correction : 0.0);
}

// Fused where PyTorch's compiler fuses it.
Welford joined(const Welford& a, const Welford& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double delta = b.mean - a.mean, count = a.count + b.count, share = b.count / count;
  const double weight = delta * delta * a.count, m2 = a.m2 + b.m2;
  if (profile().aten == AtenIsa::Default) return {a.mean + delta * share, m2 + weight * share, -1, count};
  return {::fma(delta, share, a.mean), ::fma(weight, share, m2), -1, count};
}

// One result: the mean first (in self's own type), then the squared distances.
double spread_of_all(const Tensor& x, double correction) {
  const Tensor average = mean(detach(x));
  const double center = x.dtype() == DType::Float32 ? double(average.data<float>()[0]) : average.data<double>()[0];
  const auto squares = kernels::moments().squares[compute_slot(x.dtype())];
  double total = 0;
  reduce_each(
      ReducePlan(x, ReducedDims(x, {})), 0.0,
      [&](double& acc, int64_t in, const ReduceShape& shape) {
        acc = acc + squares(static_cast<char*>(x.raw()) + in * int64_t(x.itemsize()), shape, center);
      },
      [](double& acc, double part) { acc = acc + part; }, [&](int64_t, double acc) { total = acc; });
  return divide(total, double(x.numel()), correction);
}

// Both results in the compute dtype. Outputs that are neighbours in the first outer level go eight at a time.
void spread_by_welford(const Spread& what, const Tensor& x, const ReducedDims& dims, double correction,
                       const Tensor& out, const Tensor& average) {
  constexpr int64_t kLanes = WelfordLanes::kLanes;
  const int slot = compute_slot(x.dtype());
  const auto fold = kernels::moments().welford[slot];
  const auto fold_lanes = kernels::moments().welford_lanes[slot];
  const ReducePlan plan(x, dims);
  visit_real("std_var", x.dtype(), [&]<class T>(Type<T>) {
    const auto finish = [&](int64_t at, double average_of, double m2, double count) {
      const double variance = divide(m2, count, correction);
      out.data<T>()[at] = T(what.root ? ::sqrt(variance) : variance);
      average.data<T>()[at] = T(average_of);
    };
    const auto one_by_one = [&](const ReducePlan& part, int64_t out_at, int64_t in_at) {
      reduce_each(
          part, Welford(),
          [&](Welford& acc, int64_t in, const ReduceShape& shape) { fold(acc, x.data<T>() + in_at + in, shape); },
          [](Welford& acc, const Welford& other) { acc = joined(acc, other); },
          [&](int64_t at, const Welford& acc) { finish(out_at + at, acc.mean, acc.m2, acc.count); });
    };
    const int level = plan.leading;
    if (level >= plan.ndim || plan.sizes[level] < kLanes) return one_by_one(plan, 0, 0);

    const int64_t lane = plan.in[level], blocks = plan.sizes[level] / kLanes;
    ReducePlan inner = plan, rest = plan;
    inner.ndim = level;
    inner.numel = plan.numel / plan.outputs;
    const int64_t rows = plan.outputs / plan.sizes[level];
    parallel_for(
        0, rows * blocks, std::max<int64_t>(1, kReduceGrain / (kLanes * inner.numel)), [&](int64_t begin, int64_t end) {
          for (int64_t task = begin; task < end; ++task) {
            const auto [out_at, in_at] = plan.output_at(task / blocks * plan.sizes[level] + task % blocks * kLanes);
            WelfordLanes acc;
            serial_for_each(inner, 0, inner.numel, [&](int64_t, int64_t in, const ReduceShape& shape) {
              fold_lanes(acc, x.data<T>() + in_at + in, lane, shape);
            });
            for (int l = 0; l < kLanes; ++l)
              finish(out_at + l * plan.out[level], acc.mean[l], acc.m2[l], double(acc.n));
          }
        });
    const int64_t done = blocks * kLanes;
    rest.sizes[level] -= done;
    rest.outputs = rows * rest.sizes[level];
    rest.numel = rest.outputs * inner.numel;
    if (rest.outputs > 0) one_by_one(rest, done * plan.out[level], done * lane);
  });
}

TwoTensors raw_spread(const Spread& what, const Tensor& self, const ReducedDims& dims, double correction,
                      bool keepdim) {
  const Tensor x = raw_cast(self, compute_dtype(self.dtype()));
  Tensor out = empty(dims.sizes(keepdim), x.dtype()), average = empty(dims.sizes(keepdim), x.dtype());
  if (self.numel() == 0) {
    raw_fill(out, NAN);
    raw_fill(average, NAN);
  } else if (out.numel() == 1 && !what.with_mean && x.dtype() == self.dtype()) {
    const double variance = spread_of_all(x, correction);
    raw_fill(out, what.root ? ::sqrt(variance) : variance);
  } else {
    spread_by_welford(what, x, dims, correction, out, average);
  }
  return {raw_cast(out, self.dtype()), raw_cast(average, self.dtype())};
}

Tensor var_backward(const Tensor& grad, const Tensor& self, const ReducedDims& dims, double correction, bool keepdim) {
  const Tensor g = unreduce(grad, dims, self.dim(), keepdim);
  const double freedom = double(dims.count()) - correction;
  Dims reduced;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (dims.marked(d)) reduced.push_back(d);
  const Tensor center = mean(self, reduced, true);
  // Without freedom the variance is infinite everywhere but at the mean, where it is not defined.
  if (dims.all() && freedom <= 0) return mul(g, to_dtype(where(eq(self, center), NAN, HUGE_VAL), self.dtype()));
  return mul(mul(g, Scalar(2.0 / freedom)), sub(self, center));
}

Tensor std_backward(const Tensor& grad, const Tensor& result, const Tensor& self, const ReducedDims& dims,
                    double correction, bool keepdim) {
  return var_backward(masked_fill(div(grad, mul(result, 2)), eq(result, 0), 0), self, dims, correction, keepdim);
}

void check_spread(const Spread& what, const Tensor& self) {
  FLAMBEAU_CHECK(self.is_floating(), what.with_mean ? what.name : "std and var",
                 " only support floating point and complex dtypes");
}

Tensor spread(const Spread& what, const Tensor& self, const OptDims& dim, double correction, bool keepdim) {
  check_spread(what, self);
  const ReducedDims dims(self, dim ? IntSpan(*dim) : IntSpan());
  Tensor out = std::get<0>(raw_spread(what, self, dims, correction, keepdim));
  return record(what.root ? "StdBackward0" : "VarBackward0", out, {self}, [&] {
    return [root = what.root, dims, correction, keepdim, self = Saved(self),
            result = what.root ? Saved::output(out) : Saved()](const Tensor& grad, Needs) {
      return TensorList{root ? std_backward(grad, result.get(), self.get(), dims, correction, keepdim)
                             : var_backward(grad, self.get(), dims, correction, keepdim)};
    };
  });
}

TwoTensors spread_and_mean(const Spread& what, const Tensor& self, const OptDims& dim, double correction,
                           bool keepdim) {
  check_spread(what, self);
  const ReducedDims dims(self, dim ? IntSpan(*dim) : IntSpan());
  auto [spread, average] = raw_spread(what, self, dims, correction, keepdim);
  Tensor outs[] = {spread, average};
  if (needs_grad(self)) {
    record_all(what.root ? "StdMeanBackward0" : "VarMeanBackward0", outs, Inputs{self},
               [root = what.root, dims, correction, keepdim, self = Saved(self),
                result = what.root ? Saved::output(outs[0]) : Saved()](const TensorList& grads, Needs) {
                 const Tensor x = self.get();
                 Tensor grad_x;
                 if (grads[0].defined())
                   grad_x = root ? std_backward(grads[0], result.get(), x, dims, correction, keepdim)
                                 : var_backward(grads[0], x, dims, correction, keepdim);
                 if (grads[1].defined()) {
                   const Tensor part =
                       div(expand(unreduce(grads[1], dims, x.dim(), keepdim), x.sizes()), Scalar(dims.count()));
                   grad_x = grad_x.defined() ? add(grad_x, part) : part;
                 }
                 return TensorList{grad_x};
               });
  }
  return {outs[0], outs[1]};
}

double correction_of(bool unbiased) { return unbiased ? 1 : 0; }
double correction_of(std::optional<Scalar> correction) { return correction ? correction->to_double() : 1; }

}  // namespace

// PyTorch's three overloads of each: they differ in how the correction is said.
#define FLAMBEAU_SPREAD(name, Result, run, what)                                                                 \
  Result name(const Tensor& self, bool unbiased) { return run(what, self, {}, correction_of(unbiased), false); } \
  Result name(const Tensor& self, const OptDims& dim, bool unbiased, bool keepdim) {                             \
    return run(what, self, dim, correction_of(unbiased), keepdim);                                               \
  }                                                                                                              \
  Result name(const Tensor& self, const OptDims& dim, std::optional<Scalar> correction, bool keepdim) {          \
    return run(what, self, dim, correction_of(correction), keepdim);                                             \
  }
FLAMBEAU_SPREAD(var, Tensor, spread, kVar)
FLAMBEAU_SPREAD(std, Tensor, spread, kStd)
FLAMBEAU_SPREAD(var_mean, TwoTensors, spread_and_mean, kVarMean)
FLAMBEAU_SPREAD(std_mean, TwoTensors, spread_and_mean, kStdMean)
#undef FLAMBEAU_SPREAD

}  // namespace flambeau::ops
