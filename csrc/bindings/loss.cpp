#include "ops/loss.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

// torch declares the mean as default reduction, but its parser reads that as 0: none. So here, too.
void bind_loss() {
  const unsigned nn = kNN | kOut;
  def<&ops::nll_loss>("nll_loss(self, target, weight=None, reduction=0, ignore_index=-100)", nn);
  def<&ops::nll_loss2d>("nll_loss2d(self, target, weight=None, reduction=0, ignore_index=-100)", nn);
  def<&ops::nll_loss_nd>("nll_loss_nd(self, target, weight=None, reduction=0, ignore_index=-100)", kNN);
  def<&ops::cross_entropy_loss>(
      "cross_entropy_loss(self, target, weight=None, reduction=0, ignore_index=-100, label_smoothing=0.0)", kNN);
  def<&ops::multi_margin_loss>("multi_margin_loss(self, target, p=1, margin=1, weight=None, reduction=0)", nn);
  def<&ops::multilabel_margin_loss>("multilabel_margin_loss(self, target, reduction=0)", nn);

  def<&ops::mse_loss>("mse_loss(self, target, reduction=0)", nn);
  def<&ops::l1_loss>("l1_loss(self, target, reduction=0)", kNN);
  def<&ops::smooth_l1_loss>("smooth_l1_loss(self, target, reduction=0, beta=1.0)", nn);
  def<&ops::huber_loss>("huber_loss(self, target, reduction=0, delta=1.0)", nn);
  def<&ops::soft_margin_loss>("soft_margin_loss(self, target, reduction=0)", nn);
  def<&ops::binary_cross_entropy>("binary_cross_entropy(self, target, weight=None, reduction=0)", nn);
  def<&ops::binary_cross_entropy_with_logits>(
      "binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=0)", kFunction);
  def<&ops::kl_div>("kl_div(self, target, reduction=0, *, log_target=False)", kFunction);
  def<&ops::poisson_nll_loss>("poisson_nll_loss(input, target, log_input, full, eps, reduction)", kFunction);

  def<&ops::pairwise_distance>("pairwise_distance(x1, x2, p=2, eps=1e-06, keepdim=False)", kFunction);
  def<&ops::cosine_similarity>("cosine_similarity(x1, x2, dim=1, eps=1e-08)", kFunction);
  def<&ops::hinge_embedding_loss>("hinge_embedding_loss(input, target, margin=1.0, reduction=0)", kFunction);
  def<&ops::margin_ranking_loss>("margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0)", kFunction);
  def<&ops::cosine_embedding_loss>("cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0)", kFunction);
  def<&ops::triplet_margin_loss>(
      "triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction=0)",
      kFunction);
}

}  // namespace flambeau::bind
