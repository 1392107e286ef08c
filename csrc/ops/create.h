// Making tensors from sizes and numbers. Same names as torch, in a namespace of their own because ops/copy.h has
// zeros, ones and full for the core's use, which take no options.
#pragma once

#include "ops/options.h"
#include "tensor/tensor.h"

namespace flambeau::ops::create {

Tensor empty(const Dims& size, const Options& options);
Tensor empty_strided(const Dims& size, const Dims& stride, const Options& options);
Tensor empty_permuted(const Dims& size, const Dims& physical_layout, const Options& options);
Tensor zeros(const Dims& size, const Options& options);
Tensor ones(const Dims& size, const Options& options);
Tensor full(const Dims& size, Scalar fill_value, const Options& options);  // dtype of the number by default
Tensor scalar_tensor(Scalar s, const Options& options);                    // default dtype

Tensor empty_like(const Tensor& self, const Options& options);
Tensor zeros_like(const Tensor& self, const Options& options);
Tensor ones_like(const Tensor& self, const Options& options);
Tensor full_like(const Tensor& self, Scalar fill_value, const Options& options);

Tensor new_empty(const Tensor& self, const Dims& size, const Options& options);
Tensor new_empty_strided(const Tensor& self, const Dims& size, const Dims& stride, const Options& options);
Tensor new_zeros(const Tensor& self, const Dims& size, const Options& options);
Tensor new_ones(const Tensor& self, const Dims& size, const Options& options);
Tensor new_full(const Tensor& self, const Dims& size, Scalar fill_value, const Options& options);

Tensor arange_end(Scalar end, const Options& options);
Tensor arange(Scalar start, Scalar end, Scalar step, const Options& options);
Tensor range(Scalar start, Scalar end, Scalar step, const Options& options);  // deprecated: includes end
Tensor linspace(Scalar start, Scalar end, int64_t steps, const Options& options);
Tensor logspace(Scalar start, Scalar end, int64_t steps, double base, const Options& options);
Tensor eye(int64_t n, const Options& options);
Tensor eye_m(int64_t n, int64_t m, const Options& options);

Tensor bartlett_window(int64_t window_length, bool periodic, const Options& options);
Tensor hann_window(int64_t window_length, bool periodic, const Options& options);
Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta, const Options& options);
Tensor blackman_window(int64_t window_length, bool periodic, const Options& options);

}  // namespace flambeau::ops::create
