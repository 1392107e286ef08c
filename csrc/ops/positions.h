// From tensors to the tables of offsets that kernels/index.h takes, and the cut of that work for threads.
#pragma once

#include <vector>

#include "kernels/index.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// Offsets of all elements of a strided window in row-major order.
std::vector<int64_t> offsets_of(IntSpan sizes, IntSpan strides);
bool is_run(IntSpan sizes, IntSpan strides);  // are they 0, 1, 2 ...?

// A copy of self to write into; self's own memory when the operator runs in place (ops/destination.h). Call it after
// all checks.
Tensor writable_copy(const Tensor& self);

// Values that share no memory with the tensor about to be written.
Tensor apart(const Tensor& values, const Tensor& written);

// The index as a contiguous int64 tensor of these sizes: itself, or a converted and broadcast copy.
Tensor as_int64(const Tensor& index, IntSpan sizes);

// Values (outer, rows, inner) against a table: one row a position, each at an offset.
struct BlockPlan {
  std::vector<int64_t> outer, rows, inner;
  int64_t inner_count = 1;

  void set_outer(IntSpan sizes, IntSpan strides) { outer = offsets_of(sizes, strides); }
  void set_inner(IntSpan sizes, IntSpan strides);
  int64_t value_count() const { return int64_t(outer.size() * rows.size()) * inner_count; }
};
// Rows along one dim of `self`, at offsets the caller fills in.
BlockPlan plan_rows(const Tensor& self, int64_t dim);

// Values of the index's shape against a table: along `dim`, each value at its own position. `index` is contiguous
// int64 and must outlive the plan.
struct LinePlan {
  std::vector<int64_t> outer, inner;
  const int64_t* index = nullptr;
  int64_t stride = 0, length = 1, inner_count = 1;
};
LinePlan plan_lines(const Tensor& self, int64_t dim, const Tensor& index);

void read_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values);
void write_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values, bool one_value = false);
void add_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values, bool one_value = false);
void gather_lines(const LinePlan& plan, const Tensor& table, const Tensor& values);
void scatter_lines(const LinePlan& plan, const Tensor& table, const Tensor& values, bool one_value = false);
void reduce_lines(kernels::Reduction reduction, const LinePlan& plan, const Tensor& table, const Tensor& values,
                  bool one_value = false);

}  // namespace flambeau::ops
