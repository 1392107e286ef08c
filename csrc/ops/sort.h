// Order statistics: sorting, selection, distinct values, search in sorted sequences. NaN counts as the largest value.
#pragma once

#include <string>

#include "ops/reduce.h"
#include "tensor/operand.h"

namespace flambeau::ops {

// Always stable.
TwoTensors sort(const Tensor& self, int64_t dim = -1, bool descending = false);
TwoTensors sort(const Tensor& self, std::optional<bool> stable, int64_t dim = -1, bool descending = false);
Tensor argsort(const Tensor& self, int64_t dim = -1, bool descending = false);
Tensor argsort(const Tensor& self, bool stable, int64_t dim = -1, bool descending = false);
Tensor msort(const Tensor& self);
TwoTensors topk(const Tensor& self, int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true);
TwoTensors kthvalue(const Tensor& self, int64_t k, int64_t dim = -1, bool keepdim = false);  // k counts from 1
Tensor median(const Tensor& self);                                                           // the lower one of two
TwoTensors median(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor nanmedian(const Tensor& self);
TwoTensors nanmedian(const Tensor& self, int64_t dim, bool keepdim = false);
TwoTensors mode(const Tensor& self, int64_t dim = -1, bool keepdim = false);  // the smallest of the most frequent

// Distinct values, where each element went, how often each occurred; the last two are empty unless asked for.
ThreeTensors unique2(const Tensor& self, bool sorted = true, bool return_inverse = false, bool return_counts = false);
ThreeTensors unique_dim(const Tensor& self, int64_t dim, bool sorted = true, bool return_inverse = false,
                        bool return_counts = false);
ThreeTensors unique_consecutive(const Tensor& self, bool return_inverse = false, bool return_counts = false,
                                std::optional<int64_t> dim = {});

Tensor searchsorted(const Tensor& sorted_sequence, const Operand& self, bool out_int32 = false, bool right = false,
                    const std::optional<std::string>& side = {}, const OptTensor& sorter = {});
Tensor bucketize(const Operand& self, const Tensor& boundaries, bool out_int32 = false, bool right = false);

}  // namespace flambeau::ops
