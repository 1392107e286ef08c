// Losses of distances and rankings (ops/loss.h), composed as in aten/src/ATen/native/{Loss,Distance}.cpp.
#include "ops/copy.h"
#include "ops/loss.h"
#include "ops/loss_reduce.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/vector_norm.h"
#include "ops/views.h"

namespace flambeau::ops {

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return norm(add(sub(x1, x2), eps), Scalar(p), Dims{last}, keepdim);
}

// Each vector is divided by its norm, which is kept from zero behind autograd's back.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const DType common = result_type({x1, x2});
  FLAMBEAU_CHECK(is_floating(common), "expected common dtype to be floating point, yet common dtype is ", common);
  const Dims sizes = broadcast_shapes(x1.sizes(), x2.sizes());
  const auto unit = [&](const Tensor& t) {
    const Tensor x = expand(to_dtype(t, common), sizes);
    const Tensor length = clone(linalg_vector_norm(x, 2, Dims{dim}, true));
    {
      GradMode off(false);
      raw_copy(length, clamp_min(detach(length), eps));
    }
    return div(x, length);
  };
  return sum(mul(unit(x1), unit(x2)), dim);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, int64_t reduction) {
  const Tensor zero = zeros_like(self);
  const Tensor of_margin = where(ne(target, 1), clamp_min(rsub(self, margin), 0), zero);
  const Tensor of_self = where(ne(target, -1), self, zero);
  return reduce_loss(add(of_margin, of_self), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           int64_t reduction) {
  return reduce_loss(clamp_min(add(mul(neg(target), sub(input1, input2)), margin), 0), reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             int64_t reduction) {
  constexpr double kEpsilon = 1e-12;
  const int64_t dim = target.dim();
  FLAMBEAU_CHECK(dim <= 1, "0D or 1D target tensor expected, multi-target not supported");
  FLAMBEAU_CHECK(input1.dim() == dim + 1 && input2.dim() == dim + 1, dim, "D target tensor expects ", dim + 1,
                 "D input tensors, but found inputs with sizes ", input1.sizes(), " and ", input2.sizes(), ".");
  const Tensor product = sum(mul(input1, input2), dim);
  const Tensor square1 = add(sum(mul(input1, input1), dim), kEpsilon),
               square2 = add(sum(mul(input2, input2), dim), kEpsilon);
  const Tensor cosine = div(product, sqrt(mul(square1, square2)));
  const Tensor zero = zeros_like(cosine);
  const Tensor positive = where(eq(target, 1), rsub(cosine, 1), zero);
  const Tensor negative = where(eq(target, -1), clamp_min(sub(cosine, margin), 0), zero);
  return reduce_loss(add(positive, negative), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, int64_t reduction) {
  const int64_t a = anchor.dim(), b = positive.dim(), c = negative.dim();
  FLAMBEAU_CHECK(a == b && b == c,
                 "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
                 "but got: anchor ",
                 a, "D, positive ", b, "D, and negative ", c, "D inputs");
  const Tensor near = pairwise_distance(anchor, positive, p, eps, false);
  Tensor far = pairwise_distance(anchor, negative, p, eps, false);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps, false));
  return reduce_loss(clamp_min(sub(add(near, margin), far), 0), reduction);
}

}  // namespace flambeau::ops
