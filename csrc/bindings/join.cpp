#include "ops/join.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

TensorList meshgrid(const TensorList& tensors) { return ops::meshgrid(tensors, "ij"); }

Tensor pad_by_number(const Tensor& self, const Dims& pad, int64_t mode, std::optional<double> value) {
  static const char* const names[] = {"reflect", "replicate", "circular", "constant"};
  FLAMBEAU_CHECK(mode >= 0 && mode < 4, "Unrecognised padding mode ", mode);
  return ops::pad(self, pad, names[mode], value);
}

}  // namespace

void bind_join() {
  for (const char* name : {"cat", "concat", "concatenate"})
    def<&ops::cat>((std::string(name) + "(tensors, dim=0)").c_str(), kFunction | kOut);
  def<&ops::stack>("stack(tensors, dim=0)", kFunction | kOut);
  def<&ops::hstack>("hstack(tensors)", kFunction | kOut);
  def<&ops::vstack>("vstack(tensors)", kFunction | kOut);
  def<&ops::vstack>("row_stack(tensors)", kFunction | kOut);
  def<&ops::dstack>("dstack(tensors)", kFunction | kOut);
  def<&ops::column_stack>("column_stack(tensors)", kFunction | kOut);
  def<&ops::block_diag>("block_diag(tensors)", kFunction);
  def<&ops::cartesian_prod>("cartesian_prod(tensors)", kFunction);
  def<&ops::combinations>("combinations(self, r=2, with_replacement=False)", kFunction);

  def<&ops::tensor_split>("tensor_split(self, sections, dim=0)", kPlain);
  def<&ops::tensor_split_at>("tensor_split(self, indices, dim=0)", kPlain);
  def<&ops::tensor_split_by>("tensor_split(self, tensor_indices_or_sections, dim=0)", kPlain);
  def<&ops::hsplit>("hsplit(self, sections)", kPlain);
  def<&ops::hsplit_at>("hsplit(self, indices)", kPlain);
  def<&ops::vsplit>("vsplit(self, sections)", kPlain);
  def<&ops::vsplit_at>("vsplit(self, indices)", kPlain);
  def<&ops::dsplit>("dsplit(self, sections)", kPlain);
  def<&ops::dsplit_at>("dsplit(self, indices)", kPlain);
  def<&meshgrid>("meshgrid(tensors)", kFunction);
  def<&ops::meshgrid>("meshgrid(tensors, *, indexing)", kFunction);
  def<&ops::broadcast_tensors>("broadcast_tensors(tensors)", kFunction);
  def<&ops::broadcast_to>("broadcast_to(self, size)", kPlain);
  def<&ops::expand_as>("expand_as(self, other)", kMethod);
  def<&ops::view_as>("view_as(self, other)", kMethod);
  def<&ops::reshape_as>("reshape_as(self, other)", kMethod);
  def<&ops::ravel>("ravel(self)", kPlain);
  def<&ops::atleast_1d>("atleast_1d(self)", kFunction);
  def<&ops::atleast_1d_all>("atleast_1d(tensors)", kFunction);
  def<&ops::atleast_2d>("atleast_2d(self)", kFunction);
  def<&ops::atleast_2d_all>("atleast_2d(tensors)", kFunction);
  def<&ops::atleast_3d>("atleast_3d(self)", kFunction);
  def<&ops::atleast_3d_all>("atleast_3d(tensors)", kFunction);

  def<&ops::flip>("flip(self, dims)", kPlain);
  def<&ops::fliplr>("fliplr(self)", kPlain);
  def<&ops::flipud>("flipud(self)", kPlain);
  def<&ops::roll>("roll(self, shifts, dims=())", kPlain);
  def<&ops::rot90>("rot90(self, k=1, dims=(0, 1))", kPlain);
  def<&ops::repeat>("repeat(self, repeats)", kMethod);
  def<&ops::tile>("tile(self, dims)", kPlain);
  def<&ops::repeat_interleave_indices>("repeat_interleave(repeats, *, output_size=None)", kFunction);
  def<&ops::repeat_interleave_by>("repeat_interleave(self, repeats, dim=None, *, output_size=None)", kPlain);
  def<&ops::repeat_interleave>("repeat_interleave(self, repeats, dim=None, *, output_size=None)", kPlain);
  def<&ops::pixel_shuffle>("pixel_shuffle(self, upscale_factor)", kFunction);
  def<&ops::pixel_unshuffle>("pixel_unshuffle(self, downscale_factor)", kFunction);
  def<&ops::channel_shuffle>("channel_shuffle(self, groups)", kFunction);
  def<&ops::channel_shuffle>("native_channel_shuffle(self, groups)", kFunction);

  def<&ops::tril>("tril(self, diagonal=0)", kAll);
  def<&ops::triu>("triu(self, diagonal=0)", kAll);
  def<&ops::tril_indices>("tril_indices(row, col, offset=0, **options)", kFunction);
  def<&ops::triu_indices>("triu_indices(row, col, offset=0, **options)", kFunction);
  def<&ops::diag>("diag(self, diagonal=0)", kPlain | kOut);
  def<&ops::diag_embed>("diag_embed(self, offset=0, dim1=-2, dim2=-1)", kPlain);
  def<&ops::diagflat>("diagflat(self, offset=0)", kPlain);
  def<&ops::trace>("trace(self)", kPlain);
  def<&ops::diagonal_scatter>("diagonal_scatter(self, src, offset=0, dim1=0, dim2=1)", kPlain);
  def<&ops::select_scatter>("select_scatter(self, src, dim, index)", kPlain);
  def<&ops::slice_scatter>("slice_scatter(self, src, dim=0, start=None, end=None, step=1)", kPlain);
  def<&ops::as_strided_scatter>("as_strided_scatter(self, src, size, stride, storage_offset=None)", kPlain);
  def<&ops::kron>("kron(self, other)", kPlain | kOut);
  def<&ops::vander>("vander(x, N=None, increasing=False)", kFunction);
  def<&ops::linalg_vander>("linalg_vander(x, *, N=None)", kLinalg);
  def<&ops::cross>("cross(self, other, dim=None)", kPlain | kOut);
  def<&ops::linalg_cross>("linalg_cross(self, other, *, dim=-1)", kLinalg | kOut);

  def<&ops::constant_pad_nd>("constant_pad_nd(self, pad, value=0)", kFunction);
  def<&ops::pad>("pad(self, pad, mode='constant', value=None)", kNN);
  def<&pad_by_number>("_pad_enum(self, pad, mode, value=None)", kNN);
  def<&ops::pad_circular>("_pad_circular(self, pad)", kNN);
  def<&ops::reflection_pad1d>("reflection_pad1d(self, padding)", kNN | kOut);
  def<&ops::reflection_pad2d>("reflection_pad2d(self, padding)", kNN | kOut);
  def<&ops::reflection_pad3d>("reflection_pad3d(self, padding)", kNN | kOut);
  def<&ops::replication_pad1d>("replication_pad1d(self, padding)", kNN | kOut);
  def<&ops::replication_pad2d>("replication_pad2d(self, padding)", kNN | kOut);
  def<&ops::replication_pad3d>("replication_pad3d(self, padding)", kNN | kOut);
  def<&ops::im2col>("im2col(self, kernel_size, dilation, padding, stride)", kNN | kOut);
  def<&ops::col2im>("col2im(self, output_size, kernel_size, dilation, padding, stride)", kNN | kOut);
}

}  // namespace flambeau::bind
