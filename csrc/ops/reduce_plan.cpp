// Plans and drivers of reductions (ops/reduce_plan.h).
#include "ops/reduce_plan.h"

#include <cstring>

namespace flambeau::ops {

ReducedDims::ReducedDims(const Tensor& self, IntSpan dim) : sizes_(self.sizes()) {
  const int64_t ndim = self.dim();
  FLAMBEAU_CHECK(ndim <= kMaxDim, "only tensors with up to 64 dims are supported");
  all_ = dim.empty();
  if (all_) {
    mask_ = ~uint64_t(0);
    return;
  }
  for (const int64_t given : dim) {
    const int64_t d = wrap_dim(given, ndim);
    FLAMBEAU_CHECK(!(mask_ >> d & 1), "dim ", d, " appears multiple times in the list of dims");
    mask_ |= uint64_t(1) << d;
  }
}

Dims ReducedDims::sizes(bool keepdim) const {
  Dims out;
  for (size_t d = 0; d < sizes_.size(); ++d) {
    if (!marked(int64_t(d))) out.push_back(sizes_[d]);
    else if (keepdim) out.push_back(1);
  }
  return out;
}

int64_t ReducedDims::count() const {
  int64_t n = 1;
  for (size_t d = 0; d < sizes_.size(); ++d)
    if (marked(int64_t(d))) n *= sizes_[d];
  return n;
}

namespace {

// Positive: dim b belongs inside dim a. Reduced ones first, then by the output's strides, then the input's.
int compare(const int64_t* sizes, const int64_t* out, const int64_t* in, int a, int b) {
  if ((out[a] == 0) != (out[b] == 0)) return out[b] == 0 ? 1 : -1;
  for (const int64_t* strides : {out, in}) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] > strides[b] ? 1 : -1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

ReducePlan::ReducePlan(const Tensor& tensor, const ReducedDims& dims) {
  const int n = int(tensor.dim());
  int64_t size[kMaxDim], out_stride[kMaxDim], in_stride[kMaxDim];
  int order[kMaxDim];
  int64_t dense = 1;
  for (int d = n - 1; d >= 0; --d) {
    size[d] = tensor.sizes()[d];
    in_stride[d] = tensor.strides()[d];
    const bool reduced = dims.marked(d);
    out_stride[d] = reduced ? 0 : dense;
    if (!reduced) dense *= std::max<int64_t>(1, size[d]);
    numel *= size[d];
    if (!reduced) outputs *= size[d];
  }
  for (int i = 0; i < n; ++i) order[i] = n - 1 - i;
  for (int i = 1; i < n; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      const int verdict = compare(size, out_stride, in_stride, order[j], order[moving]);
      if (verdict > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      } else if (verdict < 0) {
        break;
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    const int d = order[i];
    if (ndim > 0) {
      const int last = ndim - 1;
      const bool joins = sizes[last] * out[last] == out_stride[d] && sizes[last] * in[last] == in_stride[d];
      if (sizes[last] == 1 || size[d] == 1 || joins) {
        if (sizes[last] == 1) {
          out[last] = out_stride[d];
          in[last] = in_stride[d];
        }
        sizes[last] *= size[d];
        continue;
      }
    }
    sizes[ndim] = size[d];
    out[ndim] = out_stride[d];
    in[ndim] = in_stride[d];
    ++ndim;
  }
  while (leading < ndim && reduced(leading)) ++leading;
  single = outputs == 1;
}

namespace {

char* at(const void* base, int64_t elements, size_t width) {
  return static_cast<char*>(const_cast<void*>(base)) + elements * int64_t(width);
}

void run(const ReducePlan& plan, int64_t begin, int64_t end, ReduceLoop loop, void* out, const void* in, size_t width) {
  serial_for_each(plan, begin, end, [&](int64_t o, int64_t i, const ReduceShape& shape) {
    loop(at(out, o, width), at(in, i, width), shape);
  });
}

// The largest outer level that is not reduced, or the outermost that gives every thread something.
int split_level(const ReducePlan& plan, int threads) {
  int best = plan.ndim - 1;
  for (int level = best; level >= 0 && !plan.reduced(level); --level) {
    if (plan.sizes[level] >= threads) return level;
    if (plan.sizes[level] > plan.sizes[best]) best = level;
  }
  return best;
}

void reduce_in_parts(const ReducePlan& plan, ReduceLoop loop, void* out, const void* in, size_t width,
                     const void* identity, int threads) {
  std::vector<char> parts(size_t(threads) * width);
  for (int t = 0; t < threads; ++t) std::memcpy(parts.data() + size_t(t) * width, identity, width);
  logical_for(plan.numel, kReduceGrain, threads, [&](int64_t task, int64_t begin, int64_t end) {
    run(plan, begin, end, loop, parts.data() + size_t(task) * width, in, width);
  });
  loop(out, parts.data(), {threads, 1, 0, 0, 1, 0});
}

void reduce_by_columns(const ReducePlan& plan, ReduceLoop loop, void* out, const void* in, size_t width, int threads) {
  const int level = split_level(plan, threads);
  const int64_t columns = plan.sizes[level];
  // Adjacent columns are cut at multiples of 128 bytes.
  const int64_t unit = plan.in[level] == 1 ? int64_t(128 / width) : 1;
  logical_for(columns, 1, threads, [&](int64_t, int64_t begin, int64_t end) {
    begin -= begin % unit;
    if (end != columns) end -= end % unit;
    if (begin == end) return;
    ReducePlan part = plan;
    part.sizes[level] = end - begin;
    part.numel = plan.numel / columns * (end - begin);
    run(part, 0, part.numel, loop, at(out, begin * plan.out[level], width), at(in, begin * plan.in[level], width),
        width);
  });
}

}  // namespace

void parallel_reduce(const ReducePlan& plan, ReduceLoop loop, void* out, const void* in, size_t width,
                     const void* identity) {
  const int threads = profile().threads;
  if (plan.numel < kReduceGrain || threads == 1 || in_parallel_region()) run(plan, 0, plan.numel, loop, out, in, width);
  else if (plan.single) reduce_in_parts(plan, loop, out, in, width, identity, threads);
  else reduce_by_columns(plan, loop, out, in, width, threads);
}

}  // namespace flambeau::ops
