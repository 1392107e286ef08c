// Copies, casts and fills (ops/copy.h). Follows aten/src/ATen/native/{Copy,Fill}.cpp and cpu/CopyKernel.cpp; the paths
// are: one memcpy or dense conversion, tiles where one side is transposed, else runs of the innermost dimension.
#include "ops/copy.h"

#include <cstring>

#include "kernels/copy.h"
#include "ops/op.h"
#include "ops/reduce.h"
#include "ops/views.h"
#include "parallel/pool.h"
#include "tensor/plan.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kGrain = 32768;  // at::internal::GRAIN_SIZE
constexpr int64_t kBlock = 512;    // elements converted at a time where a side is strided

using Convert = void (*)(void*, const void*, int64_t);

Convert converter(DType from, DType to) {
  const Convert convert = kernels::copy().convert[int(from)][int(to)];
  if (!convert) not_implemented_for("copy_", is_complex(from) ? from : to);
  return convert;
}

char* at(void* base, int64_t elements, size_t width) { return static_cast<char*>(base) + elements * int64_t(width); }

// Runs of the innermost dimension: f(dst offset, src offset, count).
template <class F>
void for_each_run(const Plan& plan, F&& f) {
  parallel_for(0, plan.numel, kGrain, [&](int64_t begin, int64_t end) {
    Cursor cursor(plan, begin);
    for (int64_t i = begin; i < end;) {
      const int64_t left = plan.ndim ? plan.sizes[0] - cursor.index[0] : 1;
      const int64_t count = std::min(left, end - i);
      f(cursor.offset(plan, 0), cursor.offset(plan, 1), count);
      cursor.advance(plan, count);
      i += count;
    }
  });
}

void copy_dense(void* dst, const void* src, int64_t n, size_t width) {
  parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) {
    std::memcpy(at(dst, begin, width), at(const_cast<void*>(src), begin, width), size_t(end - begin) * width);
  });
}

void convert_dense(void* dst, DType to, const void* src, DType from, int64_t n) {
  const Convert convert = converter(from, to);
  parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) {
    convert(at(dst, begin, itemsize(to)), at(const_cast<void*>(src), begin, itemsize(from)), end - begin);
  });
}

// Level of the plan along which src is dense while dst is dense along level 0; 0 if there is none worth tiling.
int transposed_level(const Plan& plan) {
  if (plan.ndim < 2 || plan.strides[0][0] != 1 || plan.strides[1][0] <= 1 || plan.sizes[0] < 8) return 0;
  for (int i = 1; i < plan.ndim; ++i)
    if (plan.strides[1][i] == 1 && plan.sizes[i] >= 8) return i;
  return 0;
}

// Level 0 are the columns of a tile, `level` its rows; the remaining levels and bands of rows are the tasks.
void copy_transposed(const Tensor& dst, const Tensor& src, const Plan& plan, int level) {
  constexpr int64_t kBand = 64;
  const int64_t rows = plan.sizes[level], bands = (rows + kBand - 1) / kBand;
  const int64_t outer = plan.numel / plan.sizes[0] / rows;
  const size_t width = dst.itemsize();
  parallel_for(0, outer * bands, std::max<int64_t>(1, kGrain / (kBand * plan.sizes[0])),
               [&](int64_t begin, int64_t end) {
                 for (int64_t task = begin; task < end; ++task) {
                   const int64_t row = task % bands * kBand;
                   int64_t d = row * plan.strides[0][level], s = row * plan.strides[1][level], rest = task / bands;
                   for (int i = 1; i < plan.ndim; ++i) {
                     if (i == level) continue;
                     d += rest % plan.sizes[i] * plan.strides[0][i];
                     s += rest % plan.sizes[i] * plan.strides[1][i];
                     rest /= plan.sizes[i];
                   }
                   kernels::copy().transpose(at(dst.raw(), d, width), plan.strides[0][level], at(src.raw(), s, width),
                                             plan.strides[1][0], std::min(kBand, rows - row), plan.sizes[0], width);
                 }
               });
}

void copy_runs(const Tensor& dst, const Tensor& src, const Plan& plan) {
  const size_t width = dst.itemsize();
  const int64_t ds = plan.ndim ? plan.strides[0][0] : 1, ss = plan.ndim ? plan.strides[1][0] : 1;
  for_each_run(plan, [&](int64_t d, int64_t s, int64_t count) {
    kernels::copy().strided(at(dst.raw(), d, width), ds, at(src.raw(), s, width), ss, count, width);
  });
}

void convert_runs(const Tensor& dst, const Tensor& src, const Plan& plan) {
  const Convert convert = converter(src.dtype(), dst.dtype());
  const size_t dw = dst.itemsize(), sw = src.itemsize();
  const int64_t ds = plan.ndim ? plan.strides[0][0] : 1, ss = plan.ndim ? plan.strides[1][0] : 1;
  const auto& kernels = kernels::copy();
  for_each_run(plan, [&](int64_t d, int64_t s, int64_t count) {
    alignas(64) char from[kBlock * 8], to[kBlock * 8];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t n = std::min(kBlock, count - i);
      char* source = at(src.raw(), s + i * ss, sw);
      char* target = at(dst.raw(), d + i * ds, dw);
      if (ss != 1) kernels.strided(from, 1, source, ss, n, sw);
      convert(ds == 1 ? target : to, ss == 1 ? source : from, n);
      if (ds != 1) kernels.strided(target, ds, to, 1, n, dw);
    }
  });
}

}  // namespace

void raw_copy(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) return;
  const bool same_dtype = dst.dtype() == src.dtype();
  if (IntSpan(dst.sizes()) == IntSpan(src.sizes())) {
    if (same_dtype && dst.raw() == src.raw() && dst.strides() == src.strides()) return;
    if (dst.is_contiguous() && src.is_contiguous()) {
      if (same_dtype) copy_dense(dst.raw(), src.raw(), dst.numel(), dst.itemsize());
      else convert_dense(dst.raw(), dst.dtype(), src.raw(), src.dtype(), dst.numel());
      return;
    }
  }
  const Tensor* operands[] = {&dst, &src};
  Plan plan(dst.sizes(), operands);
  plan.merge();
  if (plan.is_dense(0) && plan.is_dense(1)) {
    if (same_dtype) copy_dense(dst.raw(), src.raw(), plan.numel, dst.itemsize());
    else convert_dense(dst.raw(), dst.dtype(), src.raw(), src.dtype(), plan.numel);
  } else if (!same_dtype) {
    convert_runs(dst, src, plan);
  } else if (const int level = transposed_level(plan)) {
    copy_transposed(dst, src, plan, level);
  } else {
    copy_runs(dst, src, plan);
  }
}

void raw_fill(const Tensor& dst, Scalar value) {
  if (dst.numel() == 0) return;
  alignas(16) char element[16] = {};
  if (is_complex(dst.dtype())) {
    const double real = value.to_double();
    const float narrow = float(real);
    if (dst.dtype() == DType::Complex128) std::memcpy(element, &real, sizeof(real));
    else std::memcpy(element, &narrow, sizeof(narrow));
  } else {
    visit_all("fill_", dst.dtype(), [&]<class T>(Type<T>) {
      const T typed = value.to<T>();
      std::memcpy(element, &typed, sizeof(T));
    });
  }
  const size_t width = dst.itemsize();
  const auto& kernels = kernels::copy();
  if (dst.is_contiguous()) {
    parallel_for(0, dst.numel(), kGrain, [&](int64_t begin, int64_t end) {
      kernels.fill(at(dst.raw(), begin, width), element, end - begin, width);
    });
    return;
  }
  const Tensor* operands[] = {&dst, &dst};
  Plan plan(dst.sizes(), operands);
  plan.merge();
  for_each_run(plan, [&](int64_t d, int64_t, int64_t count) {
    kernels.strided(at(dst.raw(), d, width), plan.ndim ? plan.strides[0][0] : 1, element, 0, count, width);
  });
}

Tensor raw_contiguous(const Tensor& t) {
  if (t.is_contiguous()) return t;
  Tensor out = empty(t.sizes(), t.dtype());
  raw_copy(out, t);
  return out;
}

Tensor raw_clone(const Tensor& t) {
  Tensor out = empty_like(t, t.dtype());
  raw_copy(out, t);
  return out;
}

Tensor raw_cast(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  Tensor out = empty_like(t, dtype);
  raw_copy(out, t);
  return out;
}

Tensor zeros(IntSpan sizes, DType dtype) { return full(sizes, 0, dtype); }
Tensor ones(IntSpan sizes, DType dtype) { return full(sizes, 1, dtype); }

Tensor full(IntSpan sizes, Scalar value, DType dtype) {
  Tensor out = empty(sizes, dtype);
  raw_fill(out, value);
  return out;
}

Tensor zeros_like(const Tensor& t) {
  Tensor out = empty_like(t, t.dtype());
  raw_fill(out, 0);
  return out;
}

Tensor copy_(const Tensor& self, const Tensor& src) {
  const Dims sizes = broadcast_shapes(self.sizes(), src.sizes());
  FLAMBEAU_CHECK(sizes == self.sizes(), "output with shape ", self.sizes(), " doesn't match the broadcast shape ",
                 sizes);
  check_inplace(self);
  check_no_internal_overlap(self);
  if (!needs_grad(self, src)) {
    // A source that overlaps in part is read whole before anything is written.
    raw_copy(self, may_overlap(self, src) && !same_memory(self, src) ? raw_clone(src) : src);
    self.bump_version();
    return self;
  }
  Tensor out = empty_like(self, self.dtype());
  raw_copy(out, src);
  out = record("CopyBackwards", out, {self, src}, [&] {
    return [dtype = src.dtype(), sizes = src.sizes()](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? zeros_like(grad) : Tensor(),
                        need[1] ? to_dtype(sum_to(grad, sizes), dtype) : Tensor()};
    };
  });
  return assign_inplace(self, out);
}

namespace {

Tensor fill_inplace(std::string_view node, const Tensor& self, Scalar value) {
  check_inplace(self);
  check_no_internal_overlap(self);
  if (!needs_grad(self)) {
    raw_fill(self, value);
    self.bump_version();
    return self;
  }
  Tensor out = empty_like(self, self.dtype());
  raw_fill(out, value);
  return assign_inplace(self, record(node, out, {self}, [] {
                          return [](const Tensor& grad, Needs) { return TensorList{zeros_like(grad)}; };
                        }));
}

}  // namespace

Tensor fill_(const Tensor& self, Scalar value) { return fill_inplace("FillBackward0", self, value); }
Tensor zero_(const Tensor& self) { return fill_inplace("ZeroBackward0", self, 0); }

Tensor clone(const Tensor& self) {
  return record("CloneBackward0", raw_clone(self), {self},
                [] { return [](const Tensor& grad, Needs) { return TensorList{grad}; }; });
}

Tensor contiguous(const Tensor& self) {
  if (self.is_contiguous()) return self;
  return record("CloneBackward0", raw_contiguous(self), {self},
                [] { return [](const Tensor& grad, Needs) { return TensorList{grad}; }; });
}

Tensor to_dtype(const Tensor& self, DType dtype) {
  if (self.dtype() == dtype) return self;
  Tensor out = raw_cast(self, dtype);
  if (!is_floating(dtype)) return out;
  return record("ToCopyBackward0", out, {self}, [&] {
    return [dtype = self.dtype()](const Tensor& grad, Needs) { return TensorList{to_dtype(grad, dtype)}; };
  });
}

Tensor sum_to(const Tensor& grad, const Dims& sizes) {
  if (grad.sizes() == sizes) return grad;
  const int64_t leading = grad.dim() - int64_t(sizes.size());
  Dims dims;
  for (int64_t d = 0; d < grad.dim(); ++d)
    if (d < leading || (sizes[d - leading] == 1 && grad.sizes()[d] != 1)) dims.push_back(d);
  Tensor out = dims.empty() ? grad : sum(grad, dims, true);
  return leading > 0 ? view(out, sizes) : out;
}

}  // namespace flambeau::ops
