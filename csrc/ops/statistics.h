// Spread, quantiles, counts and integrals of samples.
#pragma once

#include <string>

#include "ops/reduce.h"

namespace flambeau::ops {

// Sum of squared distances from the mean over max(0, count - correction); `unbiased` is correction 1.
Tensor var(const Tensor& self, bool unbiased = true);
Tensor var(const Tensor& self, const OptDims& dim, bool unbiased, bool keepdim = false);
Tensor var(const Tensor& self, const OptDims& dim, std::optional<Scalar> correction, bool keepdim = false);
Tensor std(const Tensor& self, bool unbiased = true);
Tensor std(const Tensor& self, const OptDims& dim, bool unbiased, bool keepdim = false);
Tensor std(const Tensor& self, const OptDims& dim, std::optional<Scalar> correction, bool keepdim = false);
TwoTensors var_mean(const Tensor& self, bool unbiased = true);
TwoTensors var_mean(const Tensor& self, const OptDims& dim, bool unbiased, bool keepdim = false);
TwoTensors var_mean(const Tensor& self, const OptDims& dim, std::optional<Scalar> correction, bool keepdim = false);
TwoTensors std_mean(const Tensor& self, bool unbiased = true);
TwoTensors std_mean(const Tensor& self, const OptDims& dim, bool unbiased, bool keepdim = false);
TwoTensors std_mean(const Tensor& self, const OptDims& dim, std::optional<Scalar> correction, bool keepdim = false);
Tensor cov(const Tensor& self, int64_t correction = 1, const OptTensor& fweights = {}, const OptTensor& aweights = {});
Tensor corrcoef(const Tensor& self);

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                const std::string& interpolation = "linear");
Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                const std::string& interpolation = "linear");
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   const std::string& interpolation = "linear");
Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   const std::string& interpolation = "linear");

Tensor bincount(const Tensor& self, const OptTensor& weights = {}, int64_t minlength = 0);
Tensor histc(const Tensor& self, int64_t bins = 100, Scalar min = 0, Scalar max = 0);
TwoTensors histogram(const Tensor& self, const Tensor& bins, const OptTensor& weight = {}, bool density = false);
TwoTensors histogram(const Tensor& self, int64_t bins = 100, const std::optional<std::vector<double>>& range = {},
                     const OptTensor& weight = {}, bool density = false);

Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1, const OptTensor& prepend = {},
            const OptTensor& append = {});
Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
Tensor trapezoid(const Tensor& y, Scalar dx = 1, int64_t dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, Scalar dx = 1, int64_t dim = -1);

}  // namespace flambeau::ops
