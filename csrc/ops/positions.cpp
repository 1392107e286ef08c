#include "ops/positions.h"

#include <bit>

#include "ops/copy.h"
#include "ops/destination.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kGrain = 32768;  // elements a task should move at least
constexpr int64_t kLane = 16;      // columns are cut at multiples, so that tasks share no cache line of floats

template <class T>
const T* table_or_null(const std::vector<T>& table) {
  return table.empty() ? nullptr : table.data();
}

kernels::Blocks blocks_of(const BlockPlan& p) {
  const int64_t outers = int64_t(p.outer.size()), rows = int64_t(p.rows.size());
  return {p.outer.data(), p.rows.data(), table_or_null(p.inner), rows, p.inner_count,
          {0, outers},    {0, rows},     {0, p.inner_count}};
}

int64_t grain_of(int64_t total, int64_t units) {
  return std::max<int64_t>(1, kGrain * units / std::max<int64_t>(1, total));
}

// Two values may belong to one place, and then their order counts: only outer blocks and columns are independent.
template <class Part, class F>
void cut_ordered(Part part, int64_t total, F f) {
  if (part.outer_part.end > 1 || part.inner_count < 2 * kLane) {
    parallel_for(0, part.outer_part.end, grain_of(total, part.outer_part.end), [&](int64_t begin, int64_t end) {
      Part mine = part;
      mine.outer_part = {begin, end};
      f(mine);
    });
  } else {
    const int64_t lanes = (part.inner_count + kLane - 1) / kLane;
    parallel_for(0, lanes, grain_of(total, lanes), [&](int64_t begin, int64_t end) {
      Part mine = part;
      mine.inner_part = {begin * kLane, std::min(end * kLane, part.inner_count)};
      f(mine);
    });
  }
}

void run_ordered(kernels::BlockMove move, const BlockPlan& plan, const Tensor& table, const Tensor& values, bool one) {
  if (plan.value_count() == 0) return;
  cut_ordered(blocks_of(plan), plan.value_count(),
              [&](const kernels::Blocks& part) { move(part, table.raw(), values.raw(), one); });
}

kernels::Lines lines_of(const LinePlan& p) {
  return {p.outer.data(), p.index,       table_or_null(p.inner),       p.stride,
          p.length,       p.inner_count, {0, int64_t(p.outer.size())}, {0, p.inner_count}};
}

void run_lines(kernels::LineMove move, const LinePlan& plan, const Tensor& table, const Tensor& values, bool one) {
  const int64_t total = int64_t(plan.outer.size()) * plan.length * plan.inner_count;
  if (total == 0) return;
  cut_ordered(lines_of(plan), total, [&](const kernels::Lines& part) { move(part, table.raw(), values.raw(), one); });
}

int width_of(const Tensor& t) { return std::countr_zero(t.itemsize()); }

}  // namespace

std::vector<int64_t> offsets_of(IntSpan sizes, IntSpan strides) {
  std::vector<int64_t> out(size_t(numel_of(sizes)), 0);
  if (out.empty()) return out;
  size_t filled = 1;  // the offsets of the last dims seen so far, repeated once for each step of the next dim
  for (size_t d = sizes.size(); d-- > 0;) {
    for (int64_t i = 1; i < sizes[d]; ++i)
      for (size_t k = 0; k < filled; ++k) out[size_t(i) * filled + k] = out[k] + i * strides[d];
    filled *= size_t(sizes[d]);
  }
  return out;
}

bool is_run(IntSpan sizes, IntSpan strides) {
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Tensor writable_copy(const Tensor& self) {
  Tensor out = make_output(self.sizes(), self.dtype(), &self);
  if (!same_memory(out, self)) raw_copy(out, self);
  return out;
}

Tensor apart(const Tensor& values, const Tensor& written) {
  if (!may_overlap(values, written)) return values;
  Tensor out = empty(values.sizes(), values.dtype());
  raw_copy(out, values);
  return out;
}

Tensor as_int64(const Tensor& index, IntSpan sizes) {
  if (index.dtype() == DType::Int64 && index.is_contiguous() && IntSpan(index.sizes()) == sizes) return index;
  Tensor out = empty(sizes, DType::Int64);
  raw_copy(out, index);
  return out;
}

void BlockPlan::set_inner(IntSpan sizes, IntSpan strides) {
  inner_count = numel_of(sizes);
  if (is_run(sizes, strides)) inner.clear();
  else inner = offsets_of(sizes, strides);
}

BlockPlan plan_rows(const Tensor& self, int64_t dim) {
  BlockPlan plan;
  const IntSpan sizes = self.sizes(), strides = self.strides();
  plan.set_outer(sizes.first(size_t(dim)), strides.first(size_t(dim)));
  const size_t after = self.dim() ? size_t(dim) + 1 : 0;
  plan.set_inner(sizes.subspan(after), strides.subspan(after));
  return plan;
}

LinePlan plan_lines(const Tensor& self, int64_t dim, const Tensor& index) {
  LinePlan plan;
  plan.index = index.data<const int64_t>();
  if (self.dim() == 0 || index.dim() == 0) {
    plan.outer = {0};
    plan.length = index.numel();
    plan.stride = self.dim() ? self.stride(0) : 0;
    return plan;
  }
  const size_t before = size_t(dim), after = size_t(dim) + 1;
  const IntSpan sizes = index.sizes(), strides = self.strides();
  plan.outer = offsets_of(sizes.first(before), strides.first(before));
  plan.length = sizes[before];
  plan.stride = strides[before];
  plan.inner_count = numel_of(sizes.subspan(after));
  if (!is_run(sizes.subspan(after), strides.subspan(after)))
    plan.inner = offsets_of(sizes.subspan(after), strides.subspan(after));
  return plan;
}

void read_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values) {
  const int64_t total = plan.value_count();
  if (total == 0) return;
  const auto move = kernels::index().read[width_of(table)];
  const kernels::Blocks all = blocks_of(plan);
  if (plan.outer.size() > 1)
    return cut_ordered(all, total, [&](const kernels::Blocks& part) { move(part, table.raw(), values.raw(), false); });
  parallel_for(0, all.row_count, grain_of(total, all.row_count), [&](int64_t begin, int64_t end) {
    kernels::Blocks part = all;
    part.row_part = {begin, end};
    move(part, table.raw(), values.raw(), false);
  });
}

void write_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values, bool one_value) {
  run_ordered(kernels::index().write[width_of(table)], plan, table, values, one_value);
}

void add_blocks(const BlockPlan& plan, const Tensor& table, const Tensor& values, bool one_value) {
  const auto move = kernels::index().add[int(table.dtype())];
  if (!move) not_implemented_for("index_add", table.dtype());
  run_ordered(move, plan, table, values, one_value);
}

void gather_lines(const LinePlan& plan, const Tensor& table, const Tensor& values) {
  run_lines(kernels::index().gather[width_of(table)], plan, table, values, false);
}

void scatter_lines(const LinePlan& plan, const Tensor& table, const Tensor& values, bool one_value) {
  run_lines(kernels::index().scatter[width_of(table)], plan, table, values, one_value);
}

void reduce_lines(kernels::Reduction reduction, const LinePlan& plan, const Tensor& table, const Tensor& values,
                  bool one_value) {
  const auto move = kernels::index().reduce[int(reduction)][int(table.dtype())];
  if (!move) not_implemented_for("scatter_reduce", table.dtype());
  run_lines(move, plan, table, values, one_value);
}

}  // namespace flambeau::ops
