// Losses that compare element by element (ops/loss.h). Follows aten/src/ATen/native/{Loss,BinaryOps}.cpp and the
// kernels in native/cpu/{BinaryOpsKernel,PointwiseOpsKernel}.cpp: the same operations in the same order, one a pass.
#include <numbers>

#include "ops/activation.h"
#include "ops/copy.h"
#include "ops/loss.h"
#include "ops/loss_reduce.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"

namespace flambeau::ops {
namespace {

// A backward of the broadcast shape, brought to an input's shape and dtype.
struct Like {
  Dims sizes;
  DType dtype;
  explicit Like(const Tensor& t) : sizes(t.sizes()), dtype(t.dtype()) {}
  Tensor operator()(const Tensor& grad) const { return to_dtype(sum_to(grad, sizes), dtype); }
};

// The factor that taking the mean puts on every element's gradient.
double mean_factor(int64_t reduction, int64_t numel) { return reduction == kMean ? 1.0 / double(numel) : 1.0; }
int64_t broadcast_numel(const Tensor& a, const Tensor& b) { return numel_of(broadcast_shapes(a.sizes(), b.sizes())); }

// An elementwise loss of self and target whose gradient for target is the one for self with the two exchanged.
// slope(self, target, grad) is the gradient for self.
template <class Value, class Slope>
Tensor symmetric_loss(std::string_view node, const Tensor& self, const Tensor& target, int64_t reduction, Value&& value,
                      Slope&& slope) {
  Tensor loss;
  {
    GradMode off(false);
    loss = reduce_loss(value(self, target), reduction);
  }
  return record(node, loss, {self, target}, [&] {
    return [a = Saved(self), b = Saved(target), like_a = Like(self), like_b = Like(target), slope](const Tensor& grad,
                                                                                                   Needs need) {
      const Tensor x = a.get(), t = b.get();
      return TensorList{need[0] ? like_a(slope(x, t, grad)) : Tensor(), need[1] ? like_b(slope(t, x, grad)) : Tensor()};
    };
  });
}

}  // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  const double norm = 2.0 * mean_factor(reduction, broadcast_numel(self, target));
  return symmetric_loss(
      "MseLossBackward0", self, target, reduction,
      [](const Tensor& x, const Tensor& t) {
        const Tensor difference = sub(x, t);
        return mul(difference, difference);
      },
      [norm](const Tensor& x, const Tensor& t, const Tensor& grad) { return mul(mul(sub(x, t), norm), grad); });
}

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_loss(abs(sub(self, target)), reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  FLAMBEAU_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return l1_loss(self, target, reduction);
  const double norm = mean_factor(reduction, broadcast_numel(self, target));
  return symmetric_loss(
      "SmoothL1LossBackward0", self, target, reduction,
      [beta](const Tensor& x, const Tensor& t) {
        const Tensor z = abs(sub(x, t));
        return where(lt(z, beta), div(mul(mul(z, 0.5), z), beta), sub(z, 0.5 * beta));
      },
      [beta, norm](const Tensor& x, const Tensor& t, const Tensor& grad) {
        const Tensor d = sub(x, t), outside = mul(grad, norm);
        const Tensor inside = mul(mul(div(d, beta), norm), grad);
        return where(le(d, -beta), neg(outside), where(ge(d, beta), outside, inside));
      });
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  FLAMBEAU_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  const double norm = mean_factor(reduction, broadcast_numel(self, target));
  return symmetric_loss(
      "HuberLossBackward0", self, target, reduction,
      [delta](const Tensor& x, const Tensor& t) {
        const Tensor z = abs(sub(x, t));
        return where(le(z, delta), mul(mul(z, 0.5), z), mul(sub(z, 0.5 * delta), delta));
      },
      [delta, norm](const Tensor& x, const Tensor& t, const Tensor& grad) {
        const Tensor d = sub(x, t), outside = mul(mul(scalar_tensor(norm, d.dtype()), delta), grad);
        return where(le(d, -delta), neg(outside), where(ge(d, delta), outside, mul(mul(d, norm), grad)));
      });
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  const double norm = mean_factor(reduction, self.numel());
  Tensor loss;
  {
    GradMode off(false);
    loss = reduce_loss(log(add(exp(mul(neg(target), self)), 1)), reduction);
  }
  return record("SoftMarginLossBackward0", loss, {self}, [&] {
    return [x = Saved(self), t = Saved(target), norm, like = Like(self)](const Tensor& grad, Needs) {
      const Tensor target = t.get(), z = exp(mul(neg(target), x.get()));
      return TensorList{like(mul(div(mul(mul(target, z), -norm), add(z, 1)), grad))};
    };
  });
}

namespace {

void check_between_0_and_1(const Tensor& t, const char* name) {
  if (!t.numel()) return;
  const Tensor values = raw_contiguous(raw_cast(t, DType::Float64));
  const double* p = values.data<double>();
  for (int64_t i = 0; i < values.numel(); ++i)
    FLAMBEAU_CHECK(p[i] >= 0 && p[i] <= 1, "all elements of ", name, " should be between 0 and 1");
}

Tensor weighted(const Tensor& t, const Saved& weight) { return weight.defined() ? mul(t, weight.get()) : t; }
Saved saved_or_none(const OptTensor& t) { return t && t->defined() ? Saved(*t) : Saved(); }

}  // namespace

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction) {
  Tensor loss;
  {
    GradMode off(false);
    broadcast_shapes(self.sizes(), target.sizes());
    check_between_0_and_1(self, "input");
    check_between_0_and_1(target, "target");
    const Tensor log_1_x = clamp_min(log1p(neg(self)), -100), log_x = clamp_min(log(self), -100);
    loss = sub(mul(sub(target, 1), log_1_x), mul(target, log_x));
    if (weight) loss = mul(loss, *weight);
    loss = reduce_loss(loss, reduction);
  }
  const int64_t mean_over = reduction == kMean ? self.numel() : 0;
  return record("BinaryCrossEntropyBackward0", loss, {self, target}, [&] {
    return [x = Saved(self), t = Saved(target), w = saved_or_none(weight), mean_over, like_x = Like(self),
            like_t = Like(target)](const Tensor& grad, Needs need) {
      const Tensor self = x.get(), target = t.get();
      const auto finish = [&](const Tensor& g) { return mean_over ? div(weighted(g, w), mean_over) : weighted(g, w); };
      TensorList grads(2);
      if (need[0])
        grads[0] = like_x(finish(div(mul(grad, sub(self, target)), clamp_min(mul(rsub(self, 1), self), 1e-12))));
      if (need[1])
        grads[1] = like_t(finish(mul(sub(clamp_min(log1p(neg(self)), -100), clamp_min(log(self), -100)), grad)));
      return grads;
    };
  });
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const OptTensor& weight,
                                        const OptTensor& pos_weight, int64_t reduction) {
  const Dims common = broadcast_shapes(self.sizes(), target.sizes());
  FLAMBEAU_CHECK(common == target.sizes(), "output with shape ", target.sizes(), " doesn't match the broadcast shape ",
                 common);
  Tensor loss;
  {
    GradMode off(false);
    Tensor log_sigmoid_x = log_sigmoid(self);
    if (pos_weight) log_sigmoid_x = mul(log_sigmoid_x, add(mul(sub(*pos_weight, 1), target), 1));
    loss = sub(mul(rsub(target, 1), self), log_sigmoid_x);
    if (weight) loss = mul(loss, *weight);
    loss = reduce_loss(loss, reduction);
  }
  const int64_t mean_over = reduction == kMean ? self.numel() : 0;
  return record("BinaryCrossEntropyWithLogitsBackward0", loss, {self, target}, [&] {
    return [x = Saved(self), t = Saved(target), w = saved_or_none(weight), pos = saved_or_none(pos_weight), mean_over,
            like_x = Like(self), like_t = Like(target)](const Tensor& grad, Needs need) {
      const Tensor self = x.get(), target = t.get(), positive = pos.defined() ? pos.get() : Tensor();
      const auto finish = [&](const Tensor& g) { return mean_over ? div(weighted(g, w), mean_over) : weighted(g, w); };
      TensorList grads(2);
      if (need[0]) {
        Tensor slope;
        if (positive.defined()) {
          const Tensor share = mul(positive, target);
          slope = sub(mul(sub(add(share, 1), target), sigmoid(self)), share);
        } else {
          slope = sub(sigmoid(self), target);
        }
        grads[0] = like_x(finish(mul(slope, grad)));
      }
      if (need[1]) {
        const Tensor slope = positive.defined()
                                 ? mul(sub(log_sigmoid(neg(self)), mul(log_sigmoid(self), positive)), grad)
                                 : mul(self, neg(grad));
        grads[1] = like_t(finish(slope));
      }
      return grads;
    };
  });
}

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  const Tensor loss = log_target ? mul(exp(target), sub(target, self)) : sub(xlogy(target, target), mul(target, self));
  return reduce_loss(loss, reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        int64_t reduction) {
  Tensor loss = log_input ? sub(exp(input), mul(target, input)) : sub(input, mul(target, log(add(input, eps))));
  if (full) {
    const Tensor stirling =
        add(sub(mul(target, log(target)), target), mul(log(mul(target, 2 * std::numbers::pi)), 0.5));
    loss = add(loss, masked_fill(stirling, le(target, 1), 0));
  }
  return reduce_loss(loss, reduction);
}

}  // namespace flambeau::ops
