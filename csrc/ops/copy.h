// Copies, casts and fills. The raw_* functions know nothing of autograd and versions; the others are differentiable.
#pragma once

#include "ops/options.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// Any strides on both sides, any pair of dtypes, src broadcast to dst; handles dst and src that overlap exactly.
void raw_copy(const Tensor& dst, const Tensor& src);
void raw_fill(const Tensor& dst, Scalar value);
Tensor raw_contiguous(const Tensor& t);            // itself when contiguous
Tensor raw_clone(const Tensor& t);                 // preserve_format
Tensor raw_cast(const Tensor& t, DType dtype);     // itself when it has the dtype

Tensor copy_(const Tensor& self, const Tensor& src);            // in place, with history and checks
Tensor fill_(const Tensor& self, Scalar value);
Tensor zero_(const Tensor& self);
Tensor contiguous(const Tensor& self);
Tensor clone(const Tensor& self);                               // preserve_format
Tensor to_dtype(const Tensor& self, DType dtype);               // itself when it has the dtype
Tensor sum_to(const Tensor& grad, const Dims& sizes);           // undoes broadcasting in backward (differentiable)
Tensor zeros(IntSpan sizes, DType dtype);
Tensor ones(IntSpan sizes, DType dtype);
Tensor full(IntSpan sizes, Scalar value, DType dtype);
Tensor zeros_like(const Tensor& t);

}  // namespace flambeau::ops
