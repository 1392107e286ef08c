// How a reduction walks memory: PyTorch's TensorIterator over one output and one input, the reduced dimensions first,
// and the drivers that cut it for threads. Its choices decide bits. Follows aten/src/ATen/TensorIterator.cpp
// (reorder_dimensions, coalesce_dimensions) and TensorIteratorReduce.cpp (parallel_reduce, foreach_reduced_elt).
#pragma once

#include <span>
#include <vector>

#include "kernels/reduce.h"
#include "numerics/profile.h"
#include "parallel/pool.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

inline constexpr int64_t kReduceGrain = 32768;  // at::internal::GRAIN_SIZE

// Wrapped and marked dimensions of a reduction, and the shapes that follow.
struct ReducedDims {
  // No dims means all of them.
  ReducedDims(const Tensor& self, IntSpan dim);
  bool marked(int64_t d) const { return mask_ >> d & 1; }
  bool all() const { return all_; }
  Dims sizes(bool keepdim) const;
  int64_t count() const;  // elements an output is made of

 private:
  Dims sizes_;
  uint64_t mask_ = 0;
  bool all_ = true;
};

struct ReducePlan {
  ReducePlan(const Tensor& in, const ReducedDims& dims);
  bool reduced(int level) const { return out[level] == 0 && sizes[level] > 1; }
  // Where output number i is and where its elements start, counting through the levels that are not reduced.
  struct Offsets {
    int64_t out, in;
  };
  Offsets output_at(int64_t i) const {
    Offsets at{0, 0};
    for (int level = leading; level < ndim; ++level) {
      const int64_t index = i % sizes[level];
      i /= sizes[level];
      at.out += index * out[level];
      at.in += index * in[level];
    }
    return at;
  }

  int ndim = 0;
  int leading = 0;  // reduced levels; they are the innermost
  int64_t numel = 1, outputs = 1;
  bool single = false;     // one output in all: threads share it. Parts of a larger plan are not single.
  int64_t sizes[kMaxDim];  // innermost first
  int64_t out[kMaxDim], in[kMaxDim];
};

// The part [begin, end) of the plan's elements, in order, as calls of loop(out offset, in offset, shape).
template <class Loop>
void serial_for_each(const ReducePlan& plan, int64_t begin, int64_t end, Loop&& loop) {
  const int64_t zero = 0, one = 1;
  const int64_t n0 = plan.ndim > 0 ? plan.sizes[0] : one, n1 = plan.ndim > 1 ? plan.sizes[1] : one;
  ReduceShape shape{0,
                    1,
                    plan.ndim > 0 ? plan.out[0] : zero,
                    plan.ndim > 1 ? plan.out[1] : zero,
                    plan.ndim > 0 ? plan.in[0] : zero,
                    plan.ndim > 1 ? plan.in[1] : zero};
  while (begin < end) {
    int64_t rest = begin, out = 0, in = 0, first = 0, second = 0;
    for (int level = 0; level < plan.ndim; ++level) {
      const int64_t index = rest % plan.sizes[level];
      rest /= plan.sizes[level];
      out += index * plan.out[level];
      in += index * plan.in[level];
      if (level == 0) first = index;
      if (level == 1) second = index;
    }
    shape.size0 = std::min(n0 - first, end - begin);
    shape.size1 = shape.size0 == n0 ? std::min(n1 - second, (end - begin) / n0) : 1;
    loop(out, in, shape);
    begin += shape.size0 * shape.size1;
  }
}

// TensorIterator::parallel_reduce with a kernel's loop; out holds the identity, which `identity` points at, too.
void parallel_reduce(const ReducePlan& plan, ReduceLoop loop, void* out, const void* in, size_t width,
                     const void* identity);

// binary_kernel_reduce: each output on its own, elements in order.
// fold(acc, in offset, shape) takes elements in; combine(acc, other) joins the parts of threads; finish(out offset,
// acc).
template <class Acc, class Fold, class Combine, class Finish>
void reduce_each(const ReducePlan& plan, const Acc& init, Fold&& fold, Combine&& combine, Finish&& finish) {
  if (plan.single) {
    const auto part = [&](int64_t begin, int64_t end) {
      Acc acc = init;
      serial_for_each(plan, begin, end, [&](int64_t, int64_t in, const ReduceShape& shape) { fold(acc, in, shape); });
      return acc;
    };
    const int threads = profile().threads;
    if (plan.numel < kReduceGrain || threads == 1 || in_parallel_region()) return finish(0, part(0, plan.numel));
    std::vector<Acc> parts(size_t(threads), init);
    logical_for(plan.numel, kReduceGrain, threads,
                [&](int64_t task, int64_t begin, int64_t end) { parts[size_t(task)] = part(begin, end); });
    Acc total = init;
    for (const Acc& acc : parts) combine(total, acc);
    return finish(0, total);
  }
  ReducePlan inner = plan;
  inner.ndim = plan.leading;
  inner.numel = plan.outputs ? plan.numel / plan.outputs : 0;
  const int64_t grain = std::max<int64_t>(1, kReduceGrain / std::max<int64_t>(1, inner.numel));
  parallel_for(0, plan.outputs, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [out, in] = plan.output_at(i);
      Acc acc = init;
      serial_for_each(inner, 0, inner.numel, [&, start = in](int64_t, int64_t offset, const ReduceShape& shape) {
        fold(acc, start + offset, shape);
      });
      finish(out, acc);
    }
  });
}

}  // namespace flambeau::ops
