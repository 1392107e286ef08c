// Reading and writing at positions that tensors hold. Every index is checked before anything is written.
// Additions at one position happen in index order: it decides bits.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "tensor/operand.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

using OptTensorList = std::vector<OptTensor>;

// self[indices] as NumPy's advanced indexing; absent entries are full slices. (ops/index.cpp)
Tensor index(const Tensor& self, const OptTensorList& indices);
Tensor index_put(const Tensor& self, const OptTensorList& indices, const Tensor& values, bool accumulate = false);
Tensor index_put_(const Tensor& self, const OptTensorList& indices, const Tensor& values, bool accumulate = false);

// Along one dim by a vector of positions. (ops/index_dim.cpp)
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index);
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1);
Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source);
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
Tensor index_fill_tensor(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value);
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, bool include_self = true);

// Along one dim, each position of `index` on its own. (ops/gather.cpp)
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad = false);
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter_value(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
Tensor scatter_with(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce);
Tensor scatter_value_with(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                          const std::string& reduce);
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      const std::string& reduce, bool include_self = true);
Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim = {});

// In the flattened tensor.
Tensor take(const Tensor& self, const Tensor& index);
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);

// By masks. (ops/mask.cpp)
Tensor nonzero(const Tensor& self);                     // (count, dim), int64, in row-major order
TensorList nonzero_numpy(const Tensor& self);           // one column a dimension
Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value = -1);
Tensor argwhere(const Tensor& self);
Tensor masked_select(const Tensor& self, const Tensor& mask);
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source);

// Rows of a table. (ops/embedding.cpp)
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1, bool scale_grad_by_freq = false,
                 bool sparse = false);
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq);
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type);  // in place
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                                         const Tensor& offsets, bool scale_grad_by_freq = false,
                                                         int64_t mode = 0, bool sparse = false,
                                                         const OptTensor& per_sample_weights = {},
                                                         bool include_last_offset = false,
                                                         std::optional<int64_t> padding_idx = {});
Tensor one_hot(const Tensor& self, int64_t num_classes = -1);

}  // namespace flambeau::ops
