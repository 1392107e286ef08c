// Making tensors (ops/create.h). Follows aten/src/ATen/native/{TensorFactories,RangeFactories}.cpp and
// cpu/RangeFactoriesKernel.cpp, whose AVX2 build is the only vectorised one. Windows are in ops/windows.cpp.
#include "ops/create.h"

#include <cmath>

#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/memory_format.h"
#include "parallel/pool.h"

namespace flambeau::ops::create {
namespace {

constexpr int64_t kGrain = 32768;  // at::internal::GRAIN_SIZE

Tensor with_grad(Tensor out, const Options& options) {
  if (options.requires_grad) {
    FLAMBEAU_CHECK(out.is_floating(), "Only Tensors of floating point and complex dtype can require gradients");
    out.set_requires_grad(true);
  }
  return out;
}

Tensor filled(Tensor out, Scalar value, const Options& options) {
  value.check_fits(out.dtype());
  raw_fill(out, value);
  return with_grad(out, options);
}

Tensor like(const Tensor& self, const Options& options) { return ops::empty_like(self, options); }

}  // namespace

Tensor empty(const Dims& size, const Options& options) {
  const MemoryFormat format = options.memory_format.value_or(MemoryFormat::Contiguous);
  return with_grad(ops::empty(size, options.dtype_or_default(), format), options);
}

Tensor empty_strided(const Dims& size, const Dims& stride, const Options& options) {
  return with_grad(flambeau::empty_strided(size, stride, options.dtype_or_default()), options);
}

// The dimensions in the order of memory, outermost first.
Tensor empty_permuted(const Dims& size, const Dims& physical_layout, const Options& options) {
  const int64_t ndim = int64_t(size.size());
  FLAMBEAU_CHECK(ndim == int64_t(physical_layout.size()),
                 "Number of dimensions in size does not match the length of the "
                 "physical_layout; i.e. len(size) = ",
                 ndim, " is not equal to len(physical_layout) = ", physical_layout.size());
  Dims strides(size_t(ndim), -1);
  int64_t step = 1;
  for (int64_t i = ndim; i-- > 0;) {
    const int64_t d = physical_layout[size_t(i)];
    FLAMBEAU_CHECK(d >= 0 && d < ndim, "Dimension out of range (expected to be between 0 and ", ndim - 1, ", but got ",
                   d, " at index ", i, ").  NB: negative dims not currently supported; file an issue if you want it.");
    FLAMBEAU_CHECK(strides[size_t(d)] == -1, "Duplicate dim not allowed");
    strides[size_t(d)] = step;
    step *= std::max<int64_t>(size[size_t(d)], 1);
  }
  return empty_strided(size, strides, options);
}

Tensor zeros(const Dims& size, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or_default()), 0, options);
}

Tensor ones(const Dims& size, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or_default()), 1, options);
}

Tensor full(const Dims& size, Scalar fill_value, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or(fill_value.natural_dtype())), fill_value, options);
}

Tensor scalar_tensor(Scalar s, const Options& options) {
  return filled(flambeau::empty({}, options.dtype_or_default()), s, options);
}

Tensor empty_like(const Tensor& self, const Options& options) { return with_grad(like(self, options), options); }
Tensor zeros_like(const Tensor& self, const Options& options) { return filled(like(self, options), 0, options); }
Tensor ones_like(const Tensor& self, const Options& options) { return filled(like(self, options), 1, options); }
Tensor full_like(const Tensor& self, Scalar fill_value, const Options& options) {
  return filled(like(self, options), fill_value, options);
}

Tensor new_empty(const Tensor& self, const Dims& size, const Options& options) {
  return with_grad(flambeau::empty(size, options.dtype_or(self.dtype())), options);
}

Tensor new_empty_strided(const Tensor& self, const Dims& size, const Dims& stride, const Options& options) {
  return with_grad(flambeau::empty_strided(size, stride, options.dtype_or(self.dtype())), options);
}

Tensor new_zeros(const Tensor& self, const Dims& size, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or(self.dtype())), 0, options);
}

Tensor new_ones(const Tensor& self, const Dims& size, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or(self.dtype())), 1, options);
}

Tensor new_full(const Tensor& self, const Dims& size, Scalar fill_value, const Options& options) {
  return filled(flambeau::empty(size, options.dtype_or(self.dtype())), fill_value, options);
}

// ---- sequences

namespace {

void check_range(double start, double end, double step) {
  FLAMBEAU_CHECK(step > 0 || step < 0, "step must be nonzero");
  FLAMBEAU_CHECK(std::isfinite(start) && std::isfinite(end), "unsupported range: ", streamed(start), " -> ",
                 streamed(end));
  FLAMBEAU_CHECK((step > 0 && end >= start) || (step < 0 && end <= start),
                 "upper bound and lower bound inconsistent with step sign");
}

int64_t checked_size(double size) {
  FLAMBEAU_CHECK(size >= 0 && size <= 0x1p63, "invalid size, possible overflow?");
  return int64_t(size);
}

bool any_floating(Scalar start, Scalar end, Scalar step) {
  return start.is_floating() || end.is_floating() || step.is_floating();
}

// In blocks of two vectors, each built from its own first element; single elements after them. A chunk of
// parallel_for starts its blocks anew.
template <class T, int W>
void fill_arange(T* out, int64_t count, double start, double step) {
  logical_for(count, kGrain, profile().threads, [&](int64_t, int64_t begin, int64_t end) {
    int64_t i = begin;
    for (; end - i >= 2 * W; i += 2 * W)
      for (int half = 0; half < 2; ++half) {
        const int64_t first = i + half * W;
        const double base = T(std::fma(step, double(first), start));
        for (int k = 0; k < W; ++k) out[first + k] = T(std::fma(double(k), step, base));
      }
    for (; i < end; ++i) out[i] = T(std::fma(step, double(i), start));
  });
}

Tensor sequence(int64_t count, Scalar start, Scalar step, DType dtype) {
  const Tensor out = flambeau::empty({count}, dtype);
  visit_all("arange_cpu", dtype, [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      fill_arange<T, 32 / int(sizeof(T))>(data, count, start.to_double(), step.to_double());
    } else if constexpr (std::is_integral_v<T>) {
      const uint64_t first = uint64_t(start.to_int()), each = uint64_t(step.to_int());
      for (int64_t i = 0; i < count; ++i) data[i] = T(first + each * uint64_t(i));
    } else {
      for (int64_t i = 0; i < count; ++i) data[i] = T(std::fma(step.to<float>(), float(i), start.to<float>()));
    }
  });
  return out;
}

}  // namespace

Tensor arange_end(Scalar end, const Options& options) { return arange(0, end, 1, options); }

Tensor arange(Scalar start, Scalar end, Scalar step, const Options& options) {
  const DType dtype = options.dtype_or(any_floating(start, end, step) ? default_dtype() : DType::Int64);
  if (dtype == DType::Bool) not_implemented_for("arange_cpu", dtype);
  double size;
  if (dtype == DType::Int64) {
    if (start.is_floating() || end.is_floating()) check_range(start.to_double(), end.to_double(), step.to_double());
    const int64_t first = start.to_int(), last = end.to_int(), each = step.to_int();
    check_range(double(first), double(last), double(each));
    const __int128 span = __int128(last) - first + each - (each > 0 ? 1 : -1);
    FLAMBEAU_CHECK(span <= INT64_MAX && span >= INT64_MIN, "invalid size, possible overflow?");
    size = double(int64_t(span) / each);
  } else {
    check_range(start.to_double(), end.to_double(), step.to_double());
    size = std::ceil((end.to_double() - start.to_double()) / step.to_double());
  }
  return with_grad(sequence(checked_size(size), start, step, dtype), options);
}

Tensor range(Scalar start, Scalar end, Scalar step, const Options& options) {
  const DType dtype = options.dtype_or_default();
  if (dtype == DType::Bool) not_implemented_for("range_cpu", dtype);
  check_range(start.to_double(), end.to_double(), step.to_double());
  const double size = std::floor((end.to_double() - start.to_double()) / step.to_double() + 1);
  const Tensor out = flambeau::empty({checked_size(size)}, dtype);
  visit_all("range_cpu", dtype, [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    for (int64_t i = 0; i < out.numel(); ++i) {
      if constexpr (std::is_integral_v<T>) data[i] = T(start.to_int() + step.to_int() * i);
      else if constexpr (std::is_same_v<T, double>) data[i] = start.to_double() + double(i) * step.to_double();
      else data[i] = T(float(start.to_double() + double(i) * step.to_double()));
    }
  });
  return with_grad(out, options);
}

namespace {

// Element i counts from the nearer end, so that the last one is exactly `end`.
template <class Number, class F>
void from_both_ends(int64_t steps, Number start, Number end, F&& put) {
  const Number step = (end - start) / Number(steps - 1);
  for (int64_t i = 0; i < steps; ++i) put(i, i < steps / 2, step);
}

}  // namespace

Tensor linspace(Scalar start, Scalar end, int64_t steps, const Options& options) {
  FLAMBEAU_CHECK(steps >= 0, "number of steps must be non-negative");
  const DType dtype = options.dtype_or_default();
  if (dtype == DType::Bool) not_implemented_for("linspace_cpu", dtype);
  const Tensor out = flambeau::empty({steps}, dtype);
  if (steps == 1) return filled(out, start, options);
  visit_all("linspace_cpu", dtype, [&]<class T>(Type<T>) {
    using Number = std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;
    T* data = out.data<T>();
    const Number first = Number(start.to<T>()), last = Number(end.to<T>());
    from_both_ends(steps, first, last, [&](int64_t i, bool front, Number step) {
      data[i] = T(front ? std::fma(step, Number(i), first) : std::fma(-step, Number(steps - i - 1), last));
    });
  });
  return with_grad(out, options);
}

Tensor logspace(Scalar start, Scalar end, int64_t steps, double base, const Options& options) {
  FLAMBEAU_CHECK(steps >= 0, "number of steps must be non-negative");
  const DType dtype = options.dtype_or_default();
  if (dtype == DType::Bool) not_implemented_for("logspace_cpu", dtype);
  const Tensor out = flambeau::empty({steps}, dtype);
  if (steps == 1) return filled(out, std::pow(base, start.to_double()), options);
  visit_all("logspace_cpu", dtype, [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    // PyTorch's scalar loop; its vectorised one, for 32 and more numbers, is up to 2 ULP away.
    const double first = double(start.to<T>()), last = double(end.to<T>());
    from_both_ends(steps, first, last, [&](int64_t i, bool front, double step) {
      const double exponent = front ? first + step * double(i) : last - step * double(steps - i - 1);
      if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) data[i] = T(std::pow(base, exponent));
      else data[i] = T(float(std::pow(base, exponent)));
    });
  });
  return with_grad(out, options);
}

Tensor eye(int64_t n, const Options& options) { return eye_m(n, n, options); }

Tensor eye_m(int64_t n, int64_t m, const Options& options) {
  FLAMBEAU_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  FLAMBEAU_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  const Tensor out = flambeau::empty({n, m}, options.dtype_or_default());
  raw_fill(out, 0);
  visit_all("eye", out.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < std::min(n, m); ++i) out.data<T>()[i * (m + 1)] = T(1);
  });
  return with_grad(out, options);
}

}  // namespace flambeau::ops::create
