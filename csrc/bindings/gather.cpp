#include "ops/gather.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag_padded(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq, int64_t mode,
    bool sparse, const OptTensor& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
  return ops::embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                            include_last_offset, padding_idx);
}
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                                         const Tensor& offsets, bool scale_grad_by_freq, int64_t mode,
                                                         bool sparse, const OptTensor& per_sample_weights,
                                                         bool include_last_offset) {
  return ops::embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                            include_last_offset, {});
}

constexpr unsigned kWriting = kPlain | kInplace | kDirect;

}  // namespace

void bind_gather() {
  def<&ops::index_put>("index_put(self, indices, values, accumulate=False)", kPlain);
  def<&ops::index_put_>("index_put_(self, indices, values, accumulate=False)", kPlain);
  def<&ops::index_select>("index_select(self, dim, index)", kPlain | kOut);
  def<&ops::index_add>("index_add(self, dim, index, source, *, alpha=1)", kWriting | kOut);
  def<&ops::index_copy>("index_copy(self, dim, index, source)", kWriting | kOut);
  def<&ops::index_fill_tensor>("index_fill(self, dim, index, value)", kWriting);
  def<&ops::index_fill>("index_fill(self, dim, index, value)", kWriting);
  def<&ops::index_reduce>("index_reduce(self, dim, index, source, reduce, *, include_self=True)",
                          kPlain | kInplace | kOut);
  def<&ops::gather>("gather(self, dim, index, *, sparse_grad=False)", kPlain | kOut);
  def<&ops::scatter>("scatter(self, dim, index, src)", kWriting | kOut);
  def<&ops::scatter_value>("scatter(self, dim, index, value)", kWriting | kOut);
  def<&ops::scatter_with>("scatter(self, dim, index, src, *, reduce)", kWriting | kOut);
  def<&ops::scatter_value_with>("scatter(self, dim, index, value, *, reduce)", kWriting | kOut);
  def<&ops::scatter_add>("scatter_add(self, dim, index, src)", kWriting | kOut);
  def<&ops::scatter_reduce>("scatter_reduce(self, dim, index, src, reduce, *, include_self=True)",
                            kPlain | kInplace | kOut);
  def<&ops::take_along_dim>("take_along_dim(self, indices, dim=None)", kPlain | kOut);
  def<&ops::take>("take(self, index)", kPlain | kOut);
  def<&ops::put>("put(self, index, source, accumulate=False)", kWriting);
  def<&ops::nonzero>("nonzero(self)", kPlain | kOut);
  def<&ops::nonzero_numpy>("nonzero_numpy(self)", kPlain);
  def<&ops::nonzero_static>("nonzero_static(self, *, size, fill_value=-1)", kPlain | kOut);
  def<&ops::nonzero_numpy>("where(condition)", kFunction);
  def<&ops::argwhere>("argwhere(self)", kPlain);
  def<&ops::masked_select>("masked_select(self, mask)", kPlain | kOut);
  def<&ops::masked_scatter>("masked_scatter(self, mask, source)", kWriting);
  def<&ops::embedding>("embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)", kFunction);
  def<&ops::embedding_dense_backward>(
      "embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)", kFunction);
  def<&ops::embedding_renorm>("embedding_renorm_(self, indices, max_norm, norm_type)", kFunction);
  def<&embedding_bag>(
      "embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, "
      "per_sample_weights=None, "
      "include_last_offset=False)",
      kFunction);
  def<&embedding_bag_padded>(
      "embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, "
      "include_last_offset, "
      "padding_idx)",
      kFunction);
  def<&ops::one_hot>("one_hot(self, num_classes=-1)", kNN);
}

}  // namespace flambeau::bind
