// What operators with kernels for float and double do to their arguments first.
#pragma once

#include "ops/copy.h"

namespace flambeau::ops {

// Half and bfloat16 are computed in float32 and rounded once at the end.
inline DType computed_dtype(DType dtype) { return is_reduced_float(dtype) ? DType::Float32 : dtype; }

// Contiguous and of the computed dtype; an undefined tensor stays so.
inline Tensor prepared(const Tensor& t, DType dtype) { return t.defined() ? raw_contiguous(raw_cast(t, dtype)) : t; }

template <class T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? t.data<T>() : nullptr;
}

}  // namespace flambeau::ops
