// Running sums, products and extremes along one dimension.
#pragma once

#include "ops/reduce.h"

namespace flambeau::ops {

Tensor cumsum(const Tensor& self, int64_t dim, OptDType dtype = {});
Tensor cumprod(const Tensor& self, int64_t dim, OptDType dtype = {});
Tensor logcumsumexp(const Tensor& self, int64_t dim);
TwoTensors cummax(const Tensor& self, int64_t dim);  // values, indices of the last equal
TwoTensors cummin(const Tensor& self, int64_t dim);

}  // namespace flambeau::ops
