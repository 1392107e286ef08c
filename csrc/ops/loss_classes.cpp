// Losses whose targets are classes (ops/loss.h). Follows aten/src/ATen/native/{LossNLL,LossNLL2d,LossMultiMargin,
// LossMultiLabelMargin}.cpp.
#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/loss.h"
#include "ops/loss_reduce.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/prepare.h"
#include "ops/softmax.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// ---- nll_loss: input (batch, classes, inner), target (batch, inner)

struct NllShape {
  int64_t batch, classes, inner;
};

int ceil_log2(int64_t x) { return x <= 2 ? 1 : 64 - __builtin_clzll(uint64_t(x) - 1); }

// Sums in PyTorch's order: eight levels, a level's sum moving up when 2^power items are in it.
template <class T>
struct CascadeSum {
  static constexpr int kLevels = 8;
  T levels[kLevels] = {};
  void add(T value) { levels[0] += value; }
  void carry(int64_t index, int power) {
    const int64_t mask = (int64_t(1) << power) - 1;
    for (int j = 0; j + 1 < kLevels && !(index & (mask << (j * power))); ++j) {
      levels[j + 1] += levels[j];
      levels[j] = 0;
    }
  }
  T total() const {
    T sum = 0;
    for (const T level : levels) sum += level;
    return sum;
  }
};

// f(position in target, position in input, class) for every target that is not ignored.
template <class F>
void for_targets(const NllShape& s, const int64_t* target, int64_t ignore_index, F&& f) {
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t i = 0; i < s.inner; ++i) {
      const int64_t at = b * s.inner + i, c = target[at];
      if (c == ignore_index) continue;
      FLAMBEAU_CHECK_AS(IndexError, c >= 0 && c < s.classes, "Target ", c, " is out of bounds.");
      f(at, (b * s.classes + c) * s.inner + i, c);
    }
}

struct NllArguments {
  NllShape shape;
  Dims target_sizes;      // of the unreduced loss
  Tensor target, weight;  // int64 and contiguous; weight may be undefined
  int64_t reduction, ignore_index;
  const char* node;
  const char* backward_node;
};

Tensor nll(const Tensor& input, const NllArguments& a);

Tensor nll_backward(const Tensor& grad_output, const Dims& input_sizes, DType dtype, const NllArguments& a,
                    double total_weight) {
  const DType computed = computed_dtype(dtype);
  const Tensor grad = prepared(grad_output, computed), weight = prepared(a.weight, computed);
  Tensor out = zeros(input_sizes, computed);
  visit_real("nll_loss_backward", computed, [&]<class T>(Type<T>) {
    const T* g = grad.data<T>();
    const T* w = weight.defined() ? weight.data<T>() : nullptr;
    T* to = out.data<T>();
    const bool each = a.reduction == kNone;
    const T shared = each ? T(0) : a.reduction == kMean ? -(g[0] / T(total_weight)) : -g[0];
    for_targets(a.shape, a.target.data<int64_t>(), a.ignore_index, [&](int64_t at, int64_t from, int64_t c) {
      if (each) to[from] = w ? -w[c] * g[at] : -g[at];
      else to[from] = w ? w[c] * shared : shared;
    });
  });
  out = raw_cast(out, dtype);
  return record(a.backward_node, out, {grad_output}, [&] {
    return
        [a, like = grad_output.sizes()](const Tensor& grad, Needs) { return TensorList{reshape(nll(grad, a), like)}; };
  });
}

Tensor nll(const Tensor& input, const NllArguments& a) {
  if (!input.is_floating()) not_implemented_for("nll_loss_out_frame", input.dtype());
  const DType computed = computed_dtype(input.dtype());
  const Tensor x = prepared(input, computed), weight = prepared(a.weight, computed);
  const bool each = a.reduction == kNone;
  Tensor out = each ? zeros(a.target_sizes, computed) : empty({}, computed);
  double total_weight = 0;
  visit_real("nll_loss_out_frame", computed, [&]<class T>(Type<T>) {
    const T* p = x.data<T>();
    const T* w = weight.defined() ? weight.data<T>() : nullptr;
    T* to = out.data<T>();
    CascadeSum<T> loss, weights;
    int64_t counted = 0;
    const int power = std::max(4, ceil_log2(a.shape.batch * a.shape.inner) / CascadeSum<T>::kLevels);
    for_targets(a.shape, a.target.data<int64_t>(), a.ignore_index, [&](int64_t at, int64_t from, int64_t c) {
      if (each) {
        to[at] = w ? -p[from] * w[c] : -p[from];
        return;
      }
      ++counted;
      loss.add(w ? -(p[from] * w[c]) : -p[from]);
      if (w) weights.add(w[c]);
      loss.carry(at, power);
      weights.carry(at, power);
    });
    if (each) return;
    const T total = w ? weights.total() : T(counted);
    total_weight = double(total);
    *to = a.reduction == kMean ? loss.total() / total : loss.total();
  });
  out = raw_cast(out, input.dtype());
  return record(a.node, out, {input}, [&] {
    return [a, sizes = input.sizes(), dtype = input.dtype(), total_weight](const Tensor& grad, Needs) {
      return TensorList{nll_backward(grad, sizes, dtype, a, total_weight)};
    };
  });
}

Tensor class_indices(const Tensor& target) {
  FLAMBEAU_CHECK(target.dtype() == DType::Int64 || target.dtype() == DType::UInt8,
                 "expected target dtype to be Long or Byte, but got ", target.dtype());
  return prepared(target, DType::Int64);
}

}  // namespace

Tensor nll_loss(const Tensor& self, const Tensor& target, const OptTensor& weight_opt, int64_t reduction,
                int64_t ignore_index) {
  const Tensor weight = deref(weight_opt);
  FLAMBEAU_CHECK(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  FLAMBEAU_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  const bool single = self.dim() == 1;
  FLAMBEAU_CHECK(single || (target.dim() == 1 && self.size(0) == target.size(0)),
                 "size mismatch (got input: ", self.sizes(), ", target: ", target.sizes(), ")");
  const int64_t classes = self.size(-1);
  FLAMBEAU_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
                 "weight tensor should be defined either for all ", classes,
                 " classes or no classes but got weight tensor of shape: ", weight.defined() ? weight.sizes() : Dims());
  FLAMBEAU_CHECK(!single || target.numel() == 1, "size mismatch (got input: ", self.sizes(),
                 ", target: ", target.sizes(), ")");
  return nll(self, {{single ? 1 : self.size(0), classes, 1},
                    single ? Dims() : target.sizes(),
                    class_indices(target),
                    weight.defined() ? detach(weight) : weight,
                    reduction,
                    ignore_index,
                    "NllLossBackward0",
                    "NllLossBackwardBackward0"});
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, const OptTensor& weight_opt, int64_t reduction,
                  int64_t ignore_index) {
  const Tensor weight = deref(weight_opt);
  FLAMBEAU_CHECK(target.dim() == 3,
                 "only batches of spatial targets supported (3D tensors) but got targets of dimension: ", target.dim());
  FLAMBEAU_CHECK(self.dim() == 4,
                 "only batches of spatial inputs supported (4D tensors), but got input of dimension: ", self.dim());
  FLAMBEAU_CHECK(!weight.defined() || weight.numel() == self.size(1),
                 "weight tensor should be defined either for all or no classes");
  FLAMBEAU_CHECK(self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
                 "size mismatch (got input: ", self.sizes(), " , target: ", target.sizes());
  return nll(self, {{self.size(0), self.size(1), self.size(2) * self.size(3)},
                    target.sizes(),
                    class_indices(target),
                    weight.defined() ? detach(weight) : weight,
                    reduction,
                    ignore_index,
                    "NllLoss2DBackward0",
                    "NllLoss2DBackwardBackward0"});
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                   int64_t ignore_index) {
  FLAMBEAU_CHECK_AS(ValueError, self.dim() >= 1, "Expected 1 or more dimensions (got ", self.dim(), ")");
  FLAMBEAU_CHECK_AS(ValueError, self.dim() == 1 || (target.dim() > 0 && self.size(0) == target.size(0)),
                    "Expected input batch_size (", self.size(0), ") to match target batch_size (",
                    target.dim() ? target.size(0) : 0, ").");
  if (self.dim() <= 2) return nll_loss(self, target, weight, reduction, ignore_index);
  if (self.dim() == 4) return nll_loss2d(self, target, weight, reduction, ignore_index);
  const int64_t n = self.size(0), classes = self.size(1);
  Dims sizes = self.sizes();
  sizes.erase(1);
  FLAMBEAU_CHECK(target.sizes() == sizes, "Expected target size ", sizes, ", got ", target.sizes());
  const Dims input_view = self.numel() ? Dims{n, classes, 1, -1} : Dims{n, classes, 0, 0};
  const Dims target_view = target.numel() ? Dims{n, 1, -1} : Dims{n, 0, 0};
  const Tensor loss = nll_loss2d(view(contiguous(self), input_view), view(contiguous(target), target_view), weight,
                                 reduction, ignore_index);
  return reduction == kNone ? view(loss, sizes) : loss;
}

// ---- cross_entropy_loss

namespace {

int64_t class_dim(const Tensor& t) { return t.dim() == 1 ? 0 : 1; }

Tensor spread_over_classes(const Tensor& weight, const Tensor& input) {
  Dims sizes(size_t(input.dim()), 1);
  sizes[size_t(class_dim(input))] = weight.size(0);
  return view(weight, sizes);
}

Tensor with_probabilities(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                          double label_smoothing) {
  const int64_t dim = class_dim(self), classes = self.size(dim);
  FLAMBEAU_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
                 "cross_entropy: weight tensor should be defined "
                 "either for all ",
                 classes,
                 " classes or no classes but got weight tensor of shape: ", weight.defined() ? weight.sizes() : Dims());
  const Tensor input = log_softmax(self, dim, self.dtype());
  Tensor wanted = target;
  if (label_smoothing > 0) wanted = add(mul(target, 1 - label_smoothing), label_smoothing / double(classes));
  Tensor product = mul(input, wanted);
  if (weight.defined()) product = mul(product, spread_over_classes(weight, input));
  if (reduction == kNone) return neg(sum(product, dim));
  const Tensor total = neg(sum(product));
  return reduction == kSum ? total : div(total, double(input.numel()) / double(classes));
}

Tensor with_label_smoothing(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                            int64_t ignore_index, double label_smoothing) {
  const int64_t dim = class_dim(self);
  const Tensor input = log_softmax(self, dim, self.dtype());
  const Tensor nll =
      nll_loss_nd(input, target, weight.defined() ? OptTensor(weight) : OptTensor(), reduction, ignore_index);
  Tensor smooth = neg(sum(weight.defined() ? mul(input, spread_over_classes(weight, input)) : input, dim));
  const Tensor ignored = eq(target, ignore_index);
  smooth = masked_fill(smooth, ignored, 0.0);
  if (reduction == kSum) smooth = sum(smooth);
  if (reduction == kMean && weight.defined()) {
    const Tensor kept = flatten(masked_select(to_dtype(target, DType::Int64), logical_not(ignored)));
    smooth = div(sum(smooth), sum(gather(weight, 0, kept)));
  } else if (reduction == kMean) {
    smooth = mean(masked_select(smooth, logical_not(ignored)));
  }
  return add(mul(nll, 1 - label_smoothing), mul(smooth, label_smoothing / double(input.size(dim))));
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing) {
  if (self.sizes() == target.sizes()) {  // probabilities
    FLAMBEAU_CHECK(target.is_floating(), "Expected floating point type for target with class probabilities, got ",
                   target.dtype());
    FLAMBEAU_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return with_probabilities(self, target, deref(weight), reduction, label_smoothing);
  }
  FLAMBEAU_CHECK(label_smoothing >= 0 && label_smoothing <= 1,
                 "label_smoothing must be between 0.0 and 1.0. Got: ", streamed(label_smoothing));
  if (label_smoothing > 0)
    return with_label_smoothing(self, target, deref(weight), reduction, ignore_index, label_smoothing);
  return nll_loss_nd(log_softmax(self, class_dim(self), self.dtype()), target, weight, reduction, ignore_index);
}

// ---- margins

namespace {

// (batch, classes) of a matrix or a single vector.
std::pair<int64_t, int64_t> rows_of(const Tensor& t) {
  FLAMBEAU_CHECK(t.dim() <= 2 && (t.dim() == 0 || t.size(-1) != 0),
                 "Expected non-empty vector or matrix with optional 0-dim batch size, "
                 "but got: ",
                 t.sizes());
  return t.dim() == 2 ? std::pair{t.size(0), t.size(1)} : std::pair{int64_t(1), t.dim() ? t.size(0) : 1};
}

}  // namespace

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, Scalar p, Scalar margin, const OptTensor& weight,
                         int64_t reduction) {
  FLAMBEAU_CHECK(p.equals(1) || p.equals(2), "only p == 1 and p == 2 supported");
  const auto [rows, classes] = rows_of(self);
  FLAMBEAU_CHECK(target.dim() <= 1 && target.numel() == rows,
                 "multi_margin_loss: target tensor should be 1-D with size equal to the "
                 "number of input samples (batch size). Expected target size [",
                 rows, "], but got ", target.sizes(), ". Input has shape ", self.sizes(), ".");
  FLAMBEAU_CHECK(!weight || (weight->dim() <= 1 && weight->numel() == classes), "inconsistent weight size, expected ",
                 classes, " but got ", weight ? weight->sizes() : Dims());
  const Tensor index = prepared(target, DType::Int64);
  for (int64_t i = 0; i < rows; ++i)
    FLAMBEAU_CHECK(index.data<int64_t>()[i] >= 0 && index.data<int64_t>()[i] < classes, "target out of range");
  const Tensor x = reshape(self, {rows, classes}), at = view(index, {rows, 1});
  Tensor z = clamp_min(add(rsub(gather(x, 1, at), margin), x), 0);
  if (p.equals(2)) z = mul(z, z);
  if (weight) z = mul(z, view(index_select(reshape(*weight, {classes}), 0, view(index, {rows})), {rows, 1}));
  z = scatter_value(z, 1, at, 0.0);
  const Tensor loss = div(sum(z, 1), classes);
  return self.dim() < 2 ? reshape(loss, {}) : reduce_loss(loss, reduction);
}

// A row of target lists classes up to the first -1; each should lead every other class by 1.
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  const auto [rows, classes] = rows_of(self);
  FLAMBEAU_CHECK(target.sizes() == self.sizes(), "inconsistent target size: ", target.sizes(),
                 " for input of size: ", self.sizes());
  const Tensor index = prepared(target, DType::Int64);
  const int64_t* t = index.data<int64_t>();
  for (int64_t i = 0; i < index.numel(); ++i)
    FLAMBEAU_CHECK(t[i] >= -1 && t[i] < classes, "argument #2 'target' is out of range");
  const Tensor listed = zeros({rows, classes}, DType::Bool), last = empty({rows}, DType::Int64);
  int64_t longest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t count = 0;
    for (; count < classes && t[r * classes + count] >= 0; ++count)
      listed.data<bool>()[r * classes + t[r * classes + count]] = true;
    last.data<int64_t>()[r] = count;
    longest = std::max(longest, count);
  }
  // Column k of the list against all classes, for every k that some row has.
  const Tensor x = reshape(self, {rows, classes});
  Tensor total = zeros({rows}, self.dtype());
  for (int64_t k = 0; k < longest; ++k) {
    const Tensor at = clamp_min(narrow(view(index, {rows, classes}), 1, k, 1), 0);
    const Tensor z = clamp_min(add(rsub(gather(x, 1, at), 1), x), 0);
    const Tensor counts = masked_fill(z, logical_or(listed, view(le(last, k), {rows, 1})), 0.0);
    total = add(total, sum(counts, 1));
  }
  const Tensor loss = div(total, classes);
  return self.dim() < 2 ? reshape(loss, {}) : reduce_loss(loss, reduction);
}

}  // namespace flambeau::ops
