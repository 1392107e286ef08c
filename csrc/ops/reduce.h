// Reductions: many elements to one. An absent or empty `dim` means all dimensions (for all and any: only an absent
// one).
#pragma once

#include <concepts>
#include <optional>
#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

using OptDims = std::optional<Dims>;
using OptDType = std::optional<DType>;
using TwoTensors = std::tuple<Tensor, Tensor>;
using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;

// Integers and bool add up (and multiply) in int64.
Tensor sum(const Tensor& self, OptDType dtype = {});
Tensor sum(const Tensor& self, const OptDims& dim, bool keepdim = false, OptDType dtype = {});
template <std::integral Int>
Tensor sum(const Tensor& self, Int dim, bool keepdim = false) {
  return sum(self, Dims{int64_t(dim)}, keepdim);
}
Tensor sum_to_size(const Tensor& self, const Dims& size);  // undoes a broadcast
Tensor nansum(const Tensor& self, const OptDims& dim = {}, bool keepdim = false, OptDType dtype = {});
Tensor mean(const Tensor& self, OptDType dtype = {});
Tensor mean(const Tensor& self, const OptDims& dim, bool keepdim = false, OptDType dtype = {});
template <std::integral Int>
Tensor mean(const Tensor& self, Int dim, bool keepdim = false) {
  return mean(self, Dims{int64_t(dim)}, keepdim);
}
Tensor nanmean(const Tensor& self, const OptDims& dim = {}, bool keepdim = false, OptDType dtype = {});
Tensor prod(const Tensor& self, OptDType dtype = {});
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false, OptDType dtype = {});

// NaN wins. amax and amin spread their gradient evenly over ties.
Tensor amax(const Tensor& self, const Dims& dim = {}, bool keepdim = false);
Tensor amin(const Tensor& self, const Dims& dim = {}, bool keepdim = false);
TwoTensors aminmax(const Tensor& self, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor max(const Tensor& self);
Tensor min(const Tensor& self);
TwoTensors max(const Tensor& self, int64_t dim, bool keepdim = false);  // values, indices of the first
TwoTensors min(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor argmax(const Tensor& self, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& self, std::optional<int64_t> dim = {}, bool keepdim = false);

Tensor all(const Tensor& self);
Tensor all(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& self, const OptDims& dim, bool keepdim = false);
Tensor any(const Tensor& self);
Tensor any(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor any(const Tensor& self, const OptDims& dim, bool keepdim = false);
Tensor count_nonzero(const Tensor& self, const Dims& dim);
Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim = {});

Tensor logsumexp(const Tensor& self, const Dims& dim, bool keepdim = false);

}  // namespace flambeau::ops
