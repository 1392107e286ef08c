// What the reducing families share: the type they compute in, calls of a kernel over a plan, tensors seen as rows along
// one dimension, and the shapes of gradients.
#pragma once

#include "ops/reduce.h"
#include "ops/reduce_plan.h"

namespace flambeau::ops {

// float16 and bfloat16 are reduced in float32, integers and bool in int64.
inline DType compute_dtype(DType dtype) {
  if (dtype == DType::Float64) return dtype;
  return is_floating(dtype) ? DType::Float32 : DType::Int64;
}
inline int compute_slot(DType compute) { return compute == DType::Float32 ? 0 : compute == DType::Float64 ? 1 : 2; }
inline bool summed_as_int(DType dtype) { return is_integral(dtype, true); }

// One of a kernel's three loops over self, which has a compute dtype; the result has it, too.
Tensor reduce_with(const ReduceLoop (&loops)[3], const Tensor& self, const ReducedDims& dims, bool keepdim,
                   Scalar identity);

// The storage of t seen through other sizes and strides, without history.
Tensor raw_view(const Tensor& t, IntSpan sizes, IntSpan strides, int64_t offset);
inline Tensor raw_reshape(const Tensor& contiguous, IntSpan sizes) {
  return raw_view(contiguous, sizes, contiguous_strides(sizes), contiguous.storage_offset());
}

// self with `dim` last, contiguous: `rows` runs of n adjacent elements.
struct Rows {
  Rows(const Tensor& self, int64_t dim);
  Tensor data;
  int64_t rows, n;
  // f(begin, end) over ranges of rows, in parallel; `cost` is an element's work beside a plain reduction's.
  template <class F>
  void split(F&& f, int64_t cost = 1) const {
    parallel_for(0, rows, std::max<int64_t>(1, kReduceGrain / cost / std::max<int64_t>(1, n)), f);
  }
  // A new tensor like this one in shape.
  Tensor make(DType dtype, int64_t length) const;
  Tensor make(DType dtype) const { return make(dtype, n); }
  // `result` has these rows with `length` elements each: in the order of self's dimensions, or without `dim`.
  Tensor restore(const Tensor& result) const;
  Tensor reduced(const Tensor& result, bool keepdim) const;

 private:
  Dims sizes_;  // of self, a scalar as one dimension
  int64_t dim_, ndim_;
};

// A number as C++ streams print it, which is how PyTorch's messages show doubles: 2, 0.5.
std::string streamed(double value);
// "amax(): Expected reduction dim 0 to have non-zero size."
void check_nonempty_dim(std::string_view name, const Tensor& self, int64_t dim);
void check_nonempty_dims(std::string_view name, const Tensor& self, IntSpan dim);

// t, of the result's shape, with the reduced dimensions back as 1.
Tensor unreduce(const Tensor& t, const ReducedDims& dims, int64_t ndim, bool keepdim);
// Backward of reductions that pick: grad goes where `indices` point along dim, 0 elsewhere.
Tensor value_selecting_reduction_backward(const Tensor& grad, int64_t dim, const Tensor& indices, const Dims& sizes,
                                          bool keepdim);
// Backward of a full reduction to a value: its gradient in equal parts to all elements with that value.
Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& value);

}  // namespace flambeau::ops
