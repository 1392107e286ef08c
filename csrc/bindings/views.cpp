#include "ops/views.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

Tensor flatten_named(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  return ops::flatten(self, start_dim, end_dim);
}
Tensor squeeze_one(const Tensor& self, int64_t dim) { return ops::squeeze_dims(self, Dims{dim}); }
Tensor squeeze_one_(const Tensor& self, int64_t dim) { return ops::squeeze_dims_(self, Dims{dim}); }
Tensor movedim_one(const Tensor& self, int64_t source, int64_t destination) {
  return ops::movedim(self, Dims{source}, Dims{destination});
}
Tensor unflatten(const Tensor& self, int64_t dim, const Dims& sizes) {
  const int64_t at = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK(sizes.size() > 0, "unflatten: sizes must be non-empty");
  Dims shape(IntSpan(self.sizes().data(), size_t(at)));
  int64_t known = 1;
  std::optional<size_t> unknown;
  for (const int64_t n : sizes) {
    if (n == -1) unknown = shape.size();
    else known *= n;
    shape.push_back(n);
  }
  const int64_t have = self.sizes()[at];
  FLAMBEAU_CHECK(unknown ? known != 0 && have % known == 0 : known == have, "unflatten: Provided sizes ", sizes,
                 " don't multiply up to the size of dim ", at, " (", have, ") in the input tensor");
  if (unknown) shape[*unknown] = have / known;
  for (int64_t i = at + 1; i < self.dim(); ++i) shape.push_back(self.sizes()[i]);
  return ops::view(self, shape);
}

Tensor adjoint(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() != 1,
                 "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
  return self.dim() ? ops::transpose(self, -2, -1) : self;
}

}  // namespace

void bind_views() {
  def<&ops::view>("view(self, size)", kMethod);
  def<&ops::view_dtype>("view(self, dtype)", kMethod);
  def<&ops::reshape>("reshape(self, shape)", kPlain);
  def<&ops::transpose>("transpose(self, dim0, dim1)", kPlain);
  def<&ops::transpose>("swapaxes(self, axis0, axis1)", kPlain);
  def<&ops::transpose>("swapdims(self, dim0, dim1)", kPlain);
  def<&adjoint>("adjoint(self)", kPlain);
  def<&ops::permute>("permute(self, dims)", kPlain);
  def<&ops::movedim>("movedim(self, source, destination)", kPlain);
  def<&movedim_one>("movedim(self, source, destination)", kPlain);
  def<&ops::movedim>("moveaxis(self, source, destination)", kPlain);
  def<&movedim_one>("moveaxis(self, source, destination)", kPlain);
  def<&ops::t>("t(self)", kPlain);
  def<&ops::select>("select(self, dim, index)", kPlain);
  def<&ops::narrow>("narrow(self, dim, start, length)", kPlain);
  def<&ops::expand>("expand(self, size)", kMethod);
  def<&ops::as_strided>("as_strided(self, size, stride, storage_offset=None)", kPlain);
  def<&ops::unsqueeze>("unsqueeze(self, dim)", kPlain);
  def<&ops::squeeze>("squeeze(self)", kPlain);
  def<&squeeze_one>("squeeze(self, dim)", kPlain);
  def<&ops::squeeze_dims>("squeeze(self, dim)", kPlain);
  def<&ops::unfold>("unfold(self, dimension, size, step)", kMethod);
  def<&ops::diagonal>("diagonal(self, offset=0, dim1=0, dim2=1)", kPlain);
  def<&flatten_named>("flatten(self, start_dim=0, end_dim=-1)", kPlain);
  def<&unflatten>("unflatten(self, dim, sizes)", kPlain);
  def<&ops::split>("split(self, split_size, dim=0)", kPlain);
  def<&ops::split_sizes>("split(self, split_size, dim=0)", kPlain);
  def<&ops::split_sizes>("split_with_sizes(self, split_sizes, dim=0)", kPlain);
  def<&ops::chunk>("chunk(self, chunks, dim=0)", kPlain);
  def<&ops::unbind>("unbind(self, dim=0)", kPlain);
  def<&ops::detach>("detach(self)", kPlain);

  def<&ops::transpose_>("transpose_(self, dim0, dim1)", kMethod);
  def<&ops::transpose_>("swapaxes_(self, axis0, axis1)", kMethod);
  def<&ops::transpose_>("swapdims_(self, dim0, dim1)", kMethod);
  def<&ops::t_>("t_(self)", kMethod);
  def<&ops::squeeze_>("squeeze_(self)", kMethod);
  def<&squeeze_one_>("squeeze_(self, dim)", kMethod);
  def<&ops::squeeze_dims_>("squeeze_(self, dim)", kMethod);
  def<&ops::unsqueeze_>("unsqueeze_(self, dim)", kMethod);
  def<&ops::as_strided_>("as_strided_(self, size, stride, storage_offset=None)", kPlain);
  def<&ops::detach_>("detach_(self)", kPlain);
  def<&ops::fill_diagonal_>("fill_diagonal_(self, fill_value, wrap=False)", kMethod);
}

}  // namespace flambeau::bind
