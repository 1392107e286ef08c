// Losses under their native names. `reduction` is 0 none, 1 mean, 2 sum (at::Reduction).
#pragma once

#include "tensor/tensor.h"

namespace flambeau::ops {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

// Classes.
Tensor nll_loss(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                int64_t ignore_index);  // self (N, C) or (C)
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                  int64_t ignore_index);  // self (N, C, H, W)
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                   int64_t ignore_index);  // any of them, and (N, C, d1, d2, ...)
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing);
Tensor multi_margin_loss(const Tensor& self, const Tensor& target, Scalar p, Scalar margin, const OptTensor& weight,
                         int64_t reduction);
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction);

// Element by element.
Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction);
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction);
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta);
Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta);
Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction);
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const OptTensor& weight, int64_t reduction);
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const OptTensor& weight,
                                        const OptTensor& pos_weight, int64_t reduction);
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target);
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        int64_t reduction);

// Distances and rankings.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim);
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps);
Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, int64_t reduction);
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           int64_t reduction);
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             int64_t reduction);
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, int64_t reduction);

}  // namespace flambeau::ops
