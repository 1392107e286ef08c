// Joining tensors, cutting them, and rearranging their elements. Pure data movement: bits pass unchanged.
#pragma once

#include <optional>
#include <string>

#include "ops/options.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// Joining (ops/join.cpp). dtypes promote; legacy empty 1-d tensors are skipped, as in PyTorch.
Tensor cat(const TensorList& tensors, int64_t dim = 0);
Tensor stack(const TensorList& tensors, int64_t dim = 0);
Tensor hstack(const TensorList& tensors);
Tensor vstack(const TensorList& tensors);
Tensor dstack(const TensorList& tensors);
Tensor column_stack(const TensorList& tensors);
Tensor block_diag(const TensorList& tensors);
Tensor cartesian_prod(const TensorList& tensors);
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

// Cutting and shaping by views (ops/cut.cpp).
TensorList tensor_split(const Tensor& self, int64_t sections, int64_t dim = 0);
TensorList tensor_split_at(const Tensor& self, const Dims& indices, int64_t dim = 0);
TensorList tensor_split_by(const Tensor& self, const Tensor& tensor_indices_or_sections, int64_t dim = 0);
TensorList hsplit(const Tensor& self, int64_t sections);
TensorList hsplit_at(const Tensor& self, const Dims& indices);
TensorList vsplit(const Tensor& self, int64_t sections);
TensorList vsplit_at(const Tensor& self, const Dims& indices);
TensorList dsplit(const Tensor& self, int64_t sections);
TensorList dsplit_at(const Tensor& self, const Dims& indices);
TensorList meshgrid(const TensorList& tensors, const std::string& indexing = "ij");
TensorList broadcast_tensors(const TensorList& tensors);
Tensor broadcast_to(const Tensor& self, const Dims& size);
Tensor expand_as(const Tensor& self, const Tensor& other);
Tensor view_as(const Tensor& self, const Tensor& other);
Tensor reshape_as(const Tensor& self, const Tensor& other);
Tensor ravel(const Tensor& self);
Tensor atleast_1d(const Tensor& self);
Tensor atleast_2d(const Tensor& self);
Tensor atleast_3d(const Tensor& self);
TensorList atleast_1d_all(const TensorList& tensors);
TensorList atleast_2d_all(const TensorList& tensors);
TensorList atleast_3d_all(const TensorList& tensors);

// Rearranging (ops/rearrange.cpp).
Tensor flip(const Tensor& self, const Dims& dims);
Tensor fliplr(const Tensor& self);
Tensor flipud(const Tensor& self);
Tensor roll(const Tensor& self, const Dims& shifts, const Dims& dims = {});
Tensor rot90(const Tensor& self, int64_t k = 1, const Dims& dims = {0, 1});
Tensor repeat(const Tensor& self, const Dims& repeats);
Tensor tile(const Tensor& self, const Dims& dims);
Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim = {},
                         std::optional<int64_t> output_size = {});
Tensor repeat_interleave_by(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim = {},
                            std::optional<int64_t> output_size = {});
Tensor repeat_interleave_indices(const Tensor& repeats, std::optional<int64_t> output_size = {});
Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor);
Tensor channel_shuffle(const Tensor& self, int64_t groups);

// Triangles, diagonals, and writing into a view's place of a copy (ops/diagonal.cpp).
Tensor tril(const Tensor& self, int64_t diagonal = 0);
Tensor triu(const Tensor& self, int64_t diagonal = 0);
Tensor tril_indices(int64_t row, int64_t col, int64_t offset, const Options& options);
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, const Options& options);
Tensor diag(const Tensor& self, int64_t diagonal = 0);
Tensor diag_embed(const Tensor& self, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
Tensor diagflat(const Tensor& self, int64_t offset = 0);
Tensor trace(const Tensor& self);
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index);
Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim = 0, std::optional<int64_t> start = {},
                     std::optional<int64_t> end = {}, int64_t step = 1);
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, const Dims& size, const Dims& stride,
                          std::optional<int64_t> storage_offset = {});

// Products of small structure (ops/structure.cpp).
Tensor kron(const Tensor& self, const Tensor& other);
Tensor vander(const Tensor& x, std::optional<int64_t> N = {}, bool increasing = false);
Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N = {});
Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim = {});
Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1);

// Padding (ops/pad.cpp). `pad` is (left, right) of the last dim first.
Tensor constant_pad_nd(const Tensor& self, const Dims& pad, Scalar value = 0);
Tensor pad(const Tensor& self, const Dims& pad, const std::string& mode = "constant", std::optional<double> value = {});
Tensor pad_circular(const Tensor& self, const Dims& pad);
Tensor reflection_pad1d(const Tensor& self, const Dims& padding);
Tensor reflection_pad2d(const Tensor& self, const Dims& padding);
Tensor reflection_pad3d(const Tensor& self, const Dims& padding);
Tensor replication_pad1d(const Tensor& self, const Dims& padding);
Tensor replication_pad2d(const Tensor& self, const Dims& padding);
Tensor replication_pad3d(const Tensor& self, const Dims& padding);

// Sliding blocks as columns and back (ops/patches.cpp); overlapping blocks are added in im2col's order.
Tensor im2col(const Tensor& self, const Dims& kernel_size, const Dims& dilation, const Dims& padding,
              const Dims& stride);
Tensor col2im(const Tensor& self, const Dims& output_size, const Dims& kernel_size, const Dims& dilation,
              const Dims& padding, const Dims& stride);

}  // namespace flambeau::ops
