// Random numbers (ops/random.h). Follows aten/src/ATen/native/Distributions.cpp, DistributionTemplates.h and
// cpu/DistributionTemplates.h: one stream, drawn serially in the order in which an iteration plan walks the memory.
#include "ops/random.h"

#include <bit>

#include "kernels/random.h"
#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/views.h"
#include "random/distributions.h"
#include "tensor/plan.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kBlock = 256;  // samples drawn before they are stored with the tensor's dtype

// The frame of the in-place distributions: PyTorch's refusals, one draw under the generator's lock, and a history
// that passes no gradient on.
template <class Draw>
Tensor fill_randomly(std::string_view node, const Tensor& self, const Ref<Generator>& generator, Draw&& draw) {
  check_inplace(self);
  check_no_internal_overlap(self);
  const Ref<Generator> g = generator_or_default(generator);
  {
    std::lock_guard lock(g->mutex);
    draw(*g);
  }
  if (!needs_grad(self)) {
    self.bump_version();
    return self;
  }
  Tensor drawn = empty_like(self, self.dtype());
  raw_copy(drawn, self);
  return assign_inplace(self, record(node, drawn, {self}, [] {
                          return [](const Tensor& grad, Needs) { return TensorList{zeros_like(grad)}; };
                        }));
}

template <class Value>
void store(const Tensor& self, int64_t offset, int64_t stride, const Value* values, int64_t count) {
  visit_all("random", self.dtype(), [&]<class T>(Type<T>) {
    T* out = self.data<T>() + offset;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) out[i * stride] = T(float(values[i]));
      else out[i * stride] = T(values[i]);
    }
  });
}

// Runs of `self` in the plan's order: f(offset, stride, count), at most kBlock at a time.
template <class F>
void for_each_block(const Plan& plan, F&& f) {
  Cursor cursor(plan, 0);
  for (int64_t done = 0; done < plan.numel;) {
    const int64_t left = plan.ndim ? plan.sizes[0] - cursor.index[0] : 1;
    const int64_t count = std::min(left, kBlock);
    f(cursor, count);
    cursor.advance(plan, count);
    done += count;
  }
}

// Every element gets a sample; F returns double or int64_t.
template <class F>
void draw_each(const Tensor& self, Generator& g, const F& sample) {
  using Value = decltype(sample(g));
  if (!self.numel()) return;
  const Tensor* operands[] = {&self};
  Plan plan(self.sizes(), operands);
  plan.merge();
  for_each_block(plan, [&](const Cursor& cursor, int64_t count) {
    Value values[kBlock];
    for (int64_t i = 0; i < count; ++i) values[i] = sample(g);
    store(self, cursor.offset(plan, 0), plan.ndim ? plan.strides[0][0] : 1, values, count);
  });
}

const char* cpp_name(DType dtype) {  // as PyTorch's messages about ranges say
  switch (dtype) {
    case DType::UInt8: return "unsigned char";
    case DType::Int8: return "signed char";
    case DType::Int16: return "short int";
    case DType::Int32: return "int";
    case DType::Int64: return "long int";
    case DType::Float16: return "c10::Half";
    case DType::BFloat16: return "c10::BFloat16";
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    default: return "bool";
  }
}

int mantissa_digits(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 11;
    case DType::BFloat16: return 8;
    case DType::Float32: return 24;
    default: return 53;
  }
}

double largest(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 65504.0;
    case DType::BFloat16: return 0x1.fep127;
    case DType::Float32: return double(std::numeric_limits<float>::max());
    case DType::Float64: return std::numeric_limits<double>::max();
    case DType::UInt8: return 255;
    case DType::Int8: return 127;
    case DType::Int16: return 32767;
    case DType::Int32: return 2147483647;
    case DType::Bool: return 1;
    default: return 0x1p63;
  }
}
double smallest(DType dtype) {
  if (is_floating(dtype)) return -largest(dtype);
  if (dtype == DType::Bool || dtype == DType::UInt8) return 0;
  return dtype == DType::Int64 ? -0x1p63 : -largest(dtype) - 1;
}

// ---- uniform

// Half and bfloat16: computed in float; what rounds up to `to` becomes `from`.
template <class T>
void draw_uniform_reduced(const Tensor& self, Generator& g, float from, float to) {
  const float range = to - from, end = float(T(to));
  draw_each(self, g, [=](Generator& gen) {
    const float value = float(T(std::fma(uniform_float(gen), range, from)));
    return double(value == end ? float(T(from)) : value);
  });
}

void draw_uniform_f32(const Tensor& self, Generator& g, float from, float range) {
  if (self.is_contiguous()) {
    uint32_t words[4 * kBlock];
    float* out = self.data<float>();
    for (int64_t i = 0; i < self.numel(); i += 4 * kBlock) {
      const int64_t count = std::min(4 * kBlock, self.numel() - i);
      g.random_words(words, count);
      kernels::random().uniform_f32(words, out + i, count, from, range);
    }
    return;
  }
  draw_each(self, g, [=](Generator& gen) { return double(std::fma(uniform_float(gen), range, from)); });
}

}  // namespace

Tensor uniform_(const Tensor& self, double from, double to, const Ref<Generator>& generator) {
  const DType dtype = self.dtype();
  if (!is_floating(dtype)) not_implemented_for("check_uniform_bounds", dtype);
  const double max = largest(dtype);
  FLAMBEAU_CHECK(from >= -max && from <= max, "from is out of bounds for ", cpp_name(dtype));
  FLAMBEAU_CHECK(to >= -max && to <= max, "to is out of bounds for ", cpp_name(dtype));
  FLAMBEAU_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", streamed(from),
                 " > to=", streamed(to));
  FLAMBEAU_CHECK(to - from <= max, "uniform_ expects to-from <= std::numeric_limits<", legacy_name(dtype),
                 ">::max(), but found to=", streamed(to), " and from=", streamed(from),
                 " which result in to-from to exceed the limit");
  return fill_randomly("UniformBackward0", self, generator, [&](Generator& g) {
    switch (dtype) {
      case DType::Float32: return draw_uniform_f32(self, g, float(from), float(to) - float(from));
      case DType::Float64: return draw_each(self, g, Uniform{from, to});
      case DType::Float16: return draw_uniform_reduced<Half>(self, g, float(from), float(to));
      default: return draw_uniform_reduced<BFloat16>(self, g, float(from), float(to));
    }
  });
}

// ---- normal

namespace {

// 16 and more contiguous elements: all are first uniform, then each group of 16 is transformed; the last 16 are drawn
// anew when the count is no multiple of 16.
void normal_fill(float* data, int64_t n, Generator& g, float mean, float std) {
  uint32_t words[4 * kBlock];
  for (int64_t i = 0; i < n; i += 4 * kBlock) {
    const int64_t count = std::min(4 * kBlock, n - i);
    g.random_words(words, count);
    kernels::random().uniform_f32(words, data + i, count, 0.0f, 1.0f);
  }
  kernels::random().normal16_f32(data, n / 16, mean, std);
  if (n % 16) {
    for (int64_t i = n - 16; i < n; ++i) data[i] = uniform_float(g);
    kernels::random().normal16_f32(data + n - 16, 1, mean, std);
  }
}

void normal16(double* data, double mean, double std) {
  for (int j = 0; j < 8; ++j) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - data[j])), theta = 2.0 * std::numbers::pi * data[j + 8];
    data[j] = std::fma(radius * std::cos(theta), std, mean);
    data[j + 8] = std::fma(radius * std::sin(theta), std, mean);
  }
}

void normal_fill(double* data, int64_t n, Generator& g, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) data[i] = uniform_double(g);
  for (int64_t i = 0; i + 16 <= n; i += 16) normal16(data + i, mean, std);
  if (n % 16) {
    for (int64_t i = n - 16; i < n; ++i) data[i] = uniform_double(g);
    normal16(data + n - 16, mean, std);
  }
}

// Half and bfloat16: as float, but group by group, with nothing drawn for the rest before its own 16.
template <class T>
void normal_fill_reduced(T* data, int64_t n, Generator& g, float mean, float std) {
  auto fill16 = [&](T* out) {
    float group[16];
    for (float& value : group) value = uniform_float(g);
    kernels::random().normal16_f32(group, 1, mean, std);
    for (int j = 0; j < 16; ++j) out[j] = T(group[j]);
  };
  for (int64_t i = 0; i + 16 <= n; i += 16) fill16(data + i);
  if (n % 16) fill16(data + n - 16);
}

void draw_normal(const Tensor& self, Generator& g, double mean, double std) {
  const int64_t n = self.numel();
  if (n < 16 || !self.is_contiguous()) return draw_each(self, g, Normal{mean, std});
  switch (self.dtype()) {
    case DType::Float32: return normal_fill(self.data<float>(), n, g, float(mean), float(std));
    case DType::Float64: return normal_fill(self.data<double>(), n, g, mean, std);
    case DType::Float16: return normal_fill_reduced(self.data<Half>(), n, g, float(mean), float(std));
    default: return normal_fill_reduced(self.data<BFloat16>(), n, g, float(mean), float(std));
  }
}

}  // namespace

Tensor normal_(const Tensor& self, double mean, double std, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", streamed(std));
  if (!is_floating(self.dtype())) not_implemented_for("normal_kernel_cpu", self.dtype());
  return fill_randomly("NormalBackward0", self, generator, [&](Generator& g) { draw_normal(self, g, mean, std); });
}

// ---- integers

namespace {

// Integers near `from` and `to` that a floating dtype cannot hold are moved inside the interval.
int64_t inside_from(int64_t from, DType dtype) {
  const int64_t next = visit_floating("random_", dtype, [&]<class T>(Type<T>) { return int64_t(T(float(from + 1))); });
  if (next >= from) return from;
  const int exponent = 63 - std::countl_zero(uint64_t(std::abs(from + 1)));
  return next + (int64_t(1) << (exponent - mantissa_digits(dtype) + 1));
}
int64_t inside_to(int64_t to, DType dtype) {
  const int64_t last = visit_floating("random_", dtype, [&]<class T>(Type<T>) { return int64_t(T(float(to - 1))); });
  if (last < to) return to;
  const int exponent = 63 - std::countl_zero(uint64_t(std::abs(to - 1)));
  return last - (int64_t(1) << (exponent - mantissa_digits(dtype) + 1));
}

void check_bounds(int64_t from, int64_t last, DType dtype) {
  const double min = smallest(dtype), max = largest(dtype);
  FLAMBEAU_CHECK(double(from) >= min && double(from) <= max, "from is out of bounds for ", cpp_name(dtype));
  FLAMBEAU_CHECK(double(last) >= min && double(last) <= max, "to - 1 is out of bounds for ", cpp_name(dtype));
}

}  // namespace

Tensor random_(const Tensor& self, const Ref<Generator>& generator) {
  return fill_randomly("RandomBackward2", self, generator, [&](Generator& g) {
    switch (self.dtype()) {
      case DType::Float64: return draw_each(self, g, WideInt{(1ull << 53) + 1});
      case DType::Int64: return draw_each(self, g, WideInt{1ull << 63});
      case DType::Bool: return draw_each(self, g, NarrowInt{2});
      case DType::Float32:
      case DType::Float16:
      case DType::BFloat16: return draw_each(self, g, NarrowInt{(1u << mantissa_digits(self.dtype())) + 1});
      default: return draw_each(self, g, NarrowInt{uint32_t(largest(self.dtype())) + 1});
    }
  });
}

Tensor random_to_(const Tensor& self, int64_t to, const Ref<Generator>& generator) {
  return random_from_(self, 0, to, generator);
}

Tensor random_from_(const Tensor& self, int64_t from, std::optional<int64_t> to, const Ref<Generator>& generator) {
  const DType dtype = self.dtype();
  const bool floating = is_floating(dtype);
  uint64_t range = 0;
  if (to) {
    int64_t end = *to;
    FLAMBEAU_CHECK(from < end, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", end);
    if (floating) {
      from = inside_from(from, dtype);
      end = inside_to(end, dtype);
      FLAMBEAU_CHECK(from < end,
                     "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=", from,
                     " >= to=", end);
    }
    check_bounds(from, end - 1, dtype);
    range = uint64_t(end) - uint64_t(from);
  } else if (from != INT64_MIN) {
    int64_t last;  // included
    if (floating) {
      last = int64_t(1) << mantissa_digits(dtype);
      from = inside_from(from, dtype);
      FLAMBEAU_CHECK(from < last,
                     "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                     "dtype, but got from=",
                     from, " > to_inc=", last);
    } else {
      last = dtype == DType::Int64 ? INT64_MAX : int64_t(largest(dtype));
    }
    check_bounds(from, last, dtype);
    range = uint64_t(last) - uint64_t(from) + 1;
  } else {
    FLAMBEAU_CHECK(
        dtype == DType::Int64 || dtype == DType::Float64 || dtype == DType::Float32 || dtype == DType::BFloat16,
        "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16");
    return fill_randomly("RandomBackward0", self, generator, [&](Generator& g) { draw_each(self, g, FullInt{}); });
  }
  return fill_randomly("RandomBackward0", self, generator,
                       [&](Generator& g) { draw_each(self, g, UniformInt{uint64_t(from), range}); });
}

// ---- the others

namespace {

// u < p for u = k * 2^-53 says the same as k < ceil(p * 2^53).
void draw_bernoulli_f32(float* out, int64_t n, Generator& g, double p, float one) {
  const uint64_t threshold = uint64_t(std::ceil(p * 0x1p53));
  uint32_t words[2 * kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    g.random_words(words, 2 * count);
    kernels::random().bernoulli_f32(words, out + i, count, threshold, one);
  }
}

}  // namespace

Tensor bernoulli_(const Tensor& self, double p, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", streamed(p));
  return fill_randomly("BernoulliBackward2", self, generator, [&](Generator& g) {
    if (self.dtype() != DType::Float32 || !self.is_contiguous()) return draw_each(self, g, Bernoulli{p});
    draw_bernoulli_f32(self.data<float>(), self.numel(), g, p, 1.0f);
  });
}

Tensor draw_dropout_noise(const Tensor& noise, double p) {
  if (noise.dtype() != DType::Float32 || !noise.is_contiguous()) return div(bernoulli_(noise, p), p);
  const Ref<Generator> g = default_generator();
  std::lock_guard lock(g->mutex);
  draw_bernoulli_f32(noise.data<float>(), noise.numel(), *g, p, 1.0f / float(p));
  return noise;
}

// Probabilities of float64 are compared with 53 random bits, all others with 24.
Tensor bernoulli_tensor_(const Tensor& self, const Tensor& p, const Ref<Generator>& generator) {
  if (!is_floating(p.dtype())) not_implemented_for("bernoulli_tensor_cpu_p_", p.dtype());
  const bool wide = p.dtype() == DType::Float64;
  const Tensor chances = expand(raw_cast(detach(p), DType::Float64), self.sizes());
  return fill_randomly("BernoulliBackward1", self, generator, [&](Generator& g) {
    if (!self.numel()) return;
    const Tensor* operands[] = {&self, &chances};
    Plan plan(self.sizes(), operands);
    plan.merge();
    for_each_block(plan, [&](const Cursor& cursor, int64_t count) {
      double values[kBlock];
      const double* chance = chances.data<double>() + cursor.offset(plan, 1);
      const int64_t step = plan.ndim ? plan.strides[1][0] : 0;
      for (int64_t i = 0; i < count; ++i) {
        const double q = chance[i * step];
        FLAMBEAU_CHECK(q >= 0 && q <= 1,
                       "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
                       "message be improved?  If so, please report an enhancement request to PyTorch.)");
        values[i] = (wide ? uniform_double(g) : double(uniform_float(g))) < q;
      }
      store(self, cursor.offset(plan, 0), plan.ndim ? plan.strides[0][0] : 1, values, count);
    });
  });
}

Tensor exponential_(const Tensor& self, double lambd, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(lambd > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", streamed(lambd));
  FLAMBEAU_CHECK(is_floating(self.dtype()),
                 "Exponential distribution is a continuous probability distribution. dtype "
                 "must be a floating point but you specified ",
                 self.dtype());
  return fill_randomly("ExponentialBackward0", self, generator,
                       [&](Generator& g) { draw_each(self, g, Exponential{lambd}); });
}

Tensor geometric_(const Tensor& self, double p, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", streamed(p));
  if (self.dtype() == DType::Bool) not_implemented_for("geometric_cpu", self.dtype());
  return fill_randomly("GeometricBackward0", self, generator, [&](Generator& g) { draw_each(self, g, Geometric{p}); });
}

Tensor log_normal_(const Tensor& self, double mean, double std, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", streamed(std));
  if (!is_floating(self.dtype())) not_implemented_for("log_normal_cpu", self.dtype());
  return fill_randomly("LogNormalBackward0", self, generator,
                       [&](Generator& g) { draw_each(self, g, LogNormal{{mean, std}}); });
}

Tensor cauchy_(const Tensor& self, double median, double sigma, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", streamed(sigma));
  FLAMBEAU_CHECK(is_floating(self.dtype()),
                 "Cauchy distribution is a continuous probability distribution. dtype must be "
                 "a floating point but you specified ",
                 cpp_name(self.dtype()));
  return fill_randomly("CauchyBackward0", self, generator,
                       [&](Generator& g) { draw_each(self, g, Cauchy{median, sigma}); });
}

}  // namespace flambeau::ops
