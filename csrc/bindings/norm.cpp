#include "ops/norm.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

void bind_norm() {
  def<&ops::layer_norm>("layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True)",
                        kFunction);
  def<&ops::native_layer_norm>("native_layer_norm(input, normalized_shape, weight, bias, eps)", kFunction);
  def<&ops::rms_norm>("rms_norm(input, normalized_shape, weight=None, eps=None)", kFunction);
  def<&ops::group_norm>("group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True)",
                        kFunction);
  def<&ops::native_group_norm>("native_group_norm(input, weight, bias, N, C, HxW, group, eps)", kFunction);
  def<&ops::batch_norm>(
      "batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)", kFunction);
  def<&ops::native_batch_norm>(
      "native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)", kFunction);
  def<&ops::instance_norm>(
      "instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)",
      kFunction);
  def<&ops::weight_norm>("_weight_norm(v, g, dim=0)", kFunction);
  def<&ops::norm_except_dim>("norm_except_dim(v, pow=2, dim=0)", kFunction);
}

}  // namespace flambeau::bind
