// Iteration plans: several operands of one broadcast shape, their dimensions reordered and merged so that the inner
// loop is as long and as dense as the operands allow. Follows aten/src/ATen/TensorIterator.cpp: reorder_dimensions,
// coalesce_dimensions, allocate_or_resize_outputs. The executor for elementwise work is in ops/elementwise.h.
#pragma once

#include <span>

#include "tensor/tensor.h"

namespace flambeau {

inline constexpr int kMaxOperands = 6;

class Plan {
 public:
  // sizes is the broadcast shape; each operand's strides are those of its tensor, 0 where it is broadcast.
  // A null operand is an output still to be made: output_strides() says how, and set_operand() adds it.
  Plan(IntSpan sizes, std::span<const Tensor* const> operands);

  // PyTorch's choice for a new output: dense, dimensions in the order of the operands' strides.
  Dims output_strides() const;
  void set_operand(int operand, const Tensor& t);
  void set_constant(int operand);          // one element for all
  // A dense loop over n elements, all operands with stride 1.
  static Plan dense(int64_t n, int operands);
  // Joins dimensions that all operands walk as one. Call once, after the operands are set.
  void merge();

  int ndim = 0;
  int operands = 0;
  int64_t numel = 1;
  int64_t sizes[kMaxDim];                  // innermost first
  int64_t strides[kMaxOperands][kMaxDim];  // in elements, innermost first

  int64_t inner_size() const { return ndim ? sizes[0] : 1; }
  bool is_dense(int operand) const;        // consecutive in memory in order of iteration
  bool is_constant(int operand) const;     // stride 0 everywhere

 private:
  Plan() = default;
  void reorder(std::span<const Tensor* const> tensors);
  uint8_t order_[kMaxDim];                 // order_[i]: the tensor dimension walked at level i
};

// A place in a plan: counts through the outer dimensions in order of iteration.
struct Cursor {
  int64_t index[kMaxDim];
  Cursor(const Plan& plan, int64_t position);
  int64_t offset(const Plan& plan, int operand) const;
  // Moves n elements on.
  void advance(const Plan& plan, int64_t n);
};

}  // namespace flambeau
