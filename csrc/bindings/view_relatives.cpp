// Relatives of the views: *_copy, a view's elements in contiguous memory of their own; and the unsafe_ ones, which
// are views.
#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/copy.h"
#include "ops/views.h"

namespace flambeau::bind {
namespace {

Tensor copied(const Tensor& view) { return view.is_contiguous() ? ops::clone(view) : ops::contiguous(view); }
TensorList copied(TensorList views) {
  for (Tensor& view : views) view = copied(view);
  return views;
}

template <auto F, class R, class... Args>
struct Copied {
  static R call(Args... args) { return copied(F(args...)); }
};
template <auto F, class R, class... Args>
void def_copy(R (*)(Args...), const char* signature, unsigned forms) {
  def<&Copied<F, R, Args...>::call>(signature, forms);
}
template <auto F>
void copy_of(const char* signature, unsigned forms = kFunction) {
  def_copy<F>(F, signature, forms);
}

Tensor same(const Tensor& self) { return self; }
Tensor squeeze_one(const Tensor& self, int64_t dim) { return ops::squeeze_dims(self, Dims{dim}); }
Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  return ops::slice(self, dim, start, end, step);
}

}  // namespace

void bind_view_relatives() {
  copy_of<&same>("alias_copy(self)", kFunction | kOut);
  copy_of<&ops::detach>("detach_copy(self)", kFunction | kOut);
  copy_of<&ops::view>("view_copy(self, size)", kFunction | kOut);
  copy_of<&ops::view_dtype>("view_copy(self, dtype)", kFunction | kOut);
  copy_of<&ops::as_strided>("as_strided_copy(self, size, stride, storage_offset=None)", kFunction | kOut);
  copy_of<&ops::diagonal>("diagonal_copy(self, offset=0, dim1=0, dim2=1)", kFunction | kOut);
  copy_of<&ops::expand>("expand_copy(self, size)", kFunction | kOut);
  copy_of<&ops::narrow>("narrow_copy(self, dim, start, length)", kPlain | kOut);
  copy_of<&ops::permute>("permute_copy(self, dims)", kFunction | kOut);
  copy_of<&ops::select>("select_copy(self, dim, index)", kFunction | kOut);
  copy_of<&slice>("slice_copy(self, dim=0, start=None, end=None, step=1)", kFunction | kOut);
  copy_of<&ops::squeeze>("squeeze_copy(self)", kFunction | kOut);
  copy_of<&squeeze_one>("squeeze_copy(self, dim)", kFunction | kOut);
  copy_of<&ops::squeeze_dims>("squeeze_copy(self, dim)", kFunction | kOut);
  copy_of<&ops::t>("t_copy(self)", kFunction | kOut);
  copy_of<&ops::transpose>("transpose_copy(self, dim0, dim1)", kFunction | kOut);
  copy_of<&ops::unfold>("unfold_copy(self, dimension, size, step)", kFunction | kOut);
  copy_of<&ops::unsqueeze>("unsqueeze_copy(self, dim)", kFunction | kOut);
  copy_of<&ops::split>("split_copy(self, split_size, dim=0)");
  copy_of<&ops::split_sizes>("split_with_sizes_copy(self, split_sizes, dim=0)");
  copy_of<&ops::unbind>("unbind_copy(self, dim=0)");
  def<&ops::split>("unsafe_split(self, split_size, dim=0)", kPlain);
  def<&ops::split_sizes>("unsafe_split_with_sizes(self, split_sizes, dim=0)", kPlain);
  for (const char* name : {"conj", "conj_physical", "resolve_conj", "resolve_neg"})  // of real numbers
    def<&same>((std::string(name) + "(self)").c_str(), kMethod);
  def<&ops::chunk>("unsafe_chunk(self, chunks, dim=0)", kPlain);
}

}  // namespace flambeau::bind
