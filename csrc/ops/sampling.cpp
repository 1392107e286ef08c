// The random operators that return new tensors (ops/random.h): torch.rand and its relatives, normal with tensor
// arguments, bernoulli and multinomial. Follows aten/src/ATen/native/{TensorFactories,Distributions}.cpp and
// cpu/MultinomialKernel.cpp.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/copy.h"
#include "ops/memory_format.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/views.h"
#include "random/distributions.h"

namespace flambeau::ops {
namespace {

Tensor with_grad(Tensor out, const Options& options) {
  if (options.requires_grad) out.set_requires_grad(true);
  return out;
}

}  // namespace

Tensor rand(const Dims& size, const Ref<Generator>& generator, const Options& options) {
  return with_grad(uniform_(empty(size, options.dtype_or_default()), 0, 1, generator), options);
}

Tensor randn(const Dims& size, const Ref<Generator>& generator, const Options& options) {
  return with_grad(normal_(empty(size, options.dtype_or_default()), 0, 1, generator), options);
}

Tensor randint_high(int64_t high, const Dims& size, const Ref<Generator>& generator, const Options& options) {
  return randint(0, high, size, generator, options);
}

Tensor randint(int64_t low, int64_t high, const Dims& size, const Ref<Generator>& generator, const Options& options) {
  return with_grad(random_from_(empty(size, options.dtype_or(DType::Int64)), low, high, generator), options);
}

Tensor rand_like(const Tensor& self, const Ref<Generator>& generator, const Options& options) {
  return with_grad(uniform_(empty_like(self, options), 0, 1, generator), options);
}

Tensor randn_like(const Tensor& self, const Ref<Generator>& generator, const Options& options) {
  return with_grad(normal_(empty_like(self, options), 0, 1, generator), options);
}

Tensor randint_like_high(const Tensor& self, int64_t high, const Ref<Generator>& generator, const Options& options) {
  return randint_like(self, 0, high, generator, options);
}

Tensor randint_like(const Tensor& self, int64_t low, int64_t high, const Ref<Generator>& generator,
                    const Options& options) {
  return with_grad(random_from_(empty_like(self, options), low, high, generator), options);
}

Tensor randint_like_tensor(const Tensor& self, const Tensor& high, const Ref<Generator>& generator,
                           const Options& options) {
  FLAMBEAU_CHECK(high.numel() == 1 && high.dim() == 0, "high must be a scalar tensor and on CPU");
  const Tensor value = raw_cast(high, DType::Int64);
  return randint_like(self, 0, *value.data<int64_t>(), generator, options);
}

// Fisher-Yates from the front. Above 2^32 / 20 elements the remainder of a 32-bit word would be visibly uneven.
Tensor randperm(int64_t n, const Ref<Generator>& generator, const Options& options) {
  const DType dtype = options.dtype_or(DType::Int64);
  FLAMBEAU_CHECK(n >= 0, "Trying to create tensor with negative dimension ", n, ": [", n, "]");
  if (dtype == DType::Bool) not_implemented_for("randperm", dtype);
  FLAMBEAU_CHECK(dtype != DType::Float16 || n <= (1 << 11) + 1, "n cannot be greater than 2049 for Half type.");
  FLAMBEAU_CHECK(dtype != DType::Float32 || n <= (1 << 24) + 1, "n cannot be greater than 2^24+1 for Float type.");
  FLAMBEAU_CHECK(dtype != DType::Float64 || n <= (int64_t(1) << 53) + 1,
                 "n cannot be greater than 2^53+1 for Double type.");
  if (n > 0 && is_integral(dtype)) Scalar(n).check_fits(dtype);
  Tensor out = empty({n}, dtype);
  const Ref<Generator> g = generator_or_default(generator);
  std::lock_guard lock(g->mutex);
  visit_all("randperm", dtype, [&]<class T>(Type<T>) {
    T* p = out.data<T>();
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) p[i] = T(i);
      else p[i] = T(float(i));
    }
    if constexpr (std::is_same_v<T, double>) std::iota(p, p + n, 0.0);
    const bool narrow = n < int64_t(UINT32_MAX / 20);
    for (int64_t i = 0; i < n - 1; ++i) {
      const int64_t left = n - i;
      const int64_t z = narrow ? int64_t(g->random() % uint32_t(left)) : int64_t(g->random64() % uint64_t(left));
      std::swap(p[i], p[i + z]);
    }
  });
  return with_grad(out, options);
}

Tensor normal(double mean, double std, const Dims& size, const Ref<Generator>& generator, const Options& options) {
  return with_grad(normal_(empty(size, options.dtype_or_default()), mean, std, generator), options);
}

namespace {

// standard * std + mean in the dtype `dtype`; the gradients of mean and std are zero.
Tensor normal_of(const Operand& mean, const Operand& std, const Dims& size, DType dtype,
                 const Ref<Generator>& generator) {
  GradMode off(false);
  const Tensor standard = normal_(empty(size, dtype), 0, 1, generator);
  return raw_cast(add(raw_cast(mul(standard, std), dtype), mean), dtype);
}

TensorList zeros_as(const Tensor& grad, std::initializer_list<Dims> sizes) {
  TensorList out;
  for (const Dims& size : sizes) out.push_back(zeros(size, grad.dtype()));
  return out;
}

void check_std(const Tensor& std) {
  if (!std.numel()) return;
  const Tensor smallest = raw_cast(amin(detach(std)), DType::Float64);
  FLAMBEAU_CHECK(*smallest.data<double>() >= 0.0, "normal expects all elements of std >= 0.0");
}

}  // namespace

Tensor normal_tensor_float(const Tensor& mean, double std, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", streamed(std));
  Tensor out;
  {
    GradMode off(false);
    out = raw_cast(add(normal_(empty(mean.sizes(), mean.dtype()), 0, std, generator), mean), mean.dtype());
  }
  return record("NormalBackward1", out, {mean},
                [&] { return [size = mean.sizes()](const Tensor& grad, Needs) { return zeros_as(grad, {size}); }; });
}

Tensor normal_float_tensor(double mean, const Tensor& std, const Ref<Generator>& generator) {
  check_std(std);
  const Tensor out = normal_of(mean, std, std.sizes(), std.dtype(), generator);
  return record("NormalBackward2", out, {std},
                [&] { return [size = std.sizes()](const Tensor& grad, Needs) { return zeros_as(grad, {size}); }; });
}

Tensor normal_tensor_tensor(const Tensor& mean, const Tensor& std, const Ref<Generator>& generator) {
  check_std(std);
  const Tensor out = normal_of(mean, std, broadcast_shapes(mean.sizes(), std.sizes()), mean.dtype(), generator);
  return record("NormalBackward3", out, {mean, std}, [&] {
    return [mean = mean.sizes(), std = std.sizes()](const Tensor& grad, Needs) { return zeros_as(grad, {mean, std}); };
  });
}

Tensor bernoulli(const Tensor& self, const Ref<Generator>& generator) {
  Tensor out = bernoulli_tensor_(empty(self.sizes(), self.dtype()), self, generator);
  return record("BernoulliBackward0", out, {self},
                [] { return [](const Tensor& grad, Needs) { return TensorList{zeros_like(grad)}; }; });
}

Tensor bernoulli_p(const Tensor& self, double p, const Ref<Generator>& generator) {
  return bernoulli_(empty(self.sizes(), self.dtype()), p, generator);
}

namespace {

// Each row: the running sum, scaled to end at 1; one uniform number a sample, searched in it.
template <class T>
void sample_with_replacement(const T* p, int64_t* out, int64_t rows, int64_t n, int64_t samples, Generator& g) {
  std::vector<T> cumulative(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r, p += n, out += samples) {
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      FLAMBEAU_CHECK(p[j] >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
      FLAMBEAU_CHECK(std::isfinite(p[j]),
                     "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
      sum += p[j];
      cumulative[size_t(j)] = sum;
    }
    FLAMBEAU_CHECK(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
    for (T& c : cumulative) c /= sum;
    cumulative.back() = 1;
    for (int64_t s = 0; s < samples; ++s) {
      const double u = uniform_double(g);
      const auto at =
          std::lower_bound(cumulative.begin(), cumulative.end(), u, [](T c, double x) { return double(c) < x; });
      out[s] = at - cumulative.begin();
    }
  }
}

// Every candidate gets an exponential time, and the first ones to arrive are taken: the largest p / q.
template <class T>
void sample_without_replacement(const T* p, int64_t* out, int64_t rows, int64_t n, int64_t samples, Generator& g,
                                T (*rounded)(double)) {
  const Exponential exponential{1.0};
  std::vector<T> score(static_cast<size_t>(rows * n));
  for (T& q : score) q = rounded(exponential(g));
  for (int64_t i = 0; i < rows * n; ++i) score[size_t(i)] = rounded(double(p[i] / score[size_t(i)]));
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r, out += samples) {
    const T* row = score.data() + r * n;
    std::iota(order.begin(), order.end(), int64_t(0));
    std::partial_sort(order.begin(), order.begin() + samples, order.end(),
                      [&](int64_t a, int64_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    std::copy_n(order.begin(), samples, out);
  }
}

template <class T>
void check_probabilities(const T* p, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows * n; ++i)
    FLAMBEAU_CHECK(p[i] >= 0 && p[i] < std::numeric_limits<T>::infinity(),
                   "probability tensor contains either `inf`, `nan` or element < 0");
  for (int64_t r = 0; r < rows; ++r)
    FLAMBEAU_CHECK(std::any_of(p + r * n, p + (r + 1) * n, [](T x) { return x != 0; }),
                   "invalid multinomial distribution (sum of probabilities <= 0)");
}

}  // namespace

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement, const Ref<Generator>& generator) {
  FLAMBEAU_CHECK(self.dim() == 1 || self.dim() == 2, "prob_dist must be 1 or 2 dim");
  FLAMBEAU_CHECK(self.is_floating(), "multinomial only supports floating-point dtypes for input, got: ", self.dtype());
  const int64_t n = self.size(-1), rows = self.dim() == 2 ? self.size(0) : 1;
  FLAMBEAU_CHECK(num_samples > 0, "cannot sample n_sample <= 0 samples");
  FLAMBEAU_CHECK(replacement || num_samples <= n,
                 "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  const Tensor out = self.dim() == 2 ? empty({rows, num_samples}, DType::Int64) : empty({num_samples}, DType::Int64);
  if (!out.numel()) return out;

  const DType dtype = self.dtype();
  const Tensor p = raw_contiguous(raw_cast(self, is_reduced_float(dtype) ? DType::Float32 : dtype));
  const Ref<Generator> g = generator_or_default(generator);
  std::lock_guard lock(g->mutex);
  visit_real("multinomial", p.dtype(), [&]<class T>(Type<T>) {
    const T* data = p.data<T>();
    int64_t* to = out.data<int64_t>();
    if (replacement && num_samples > 1) return sample_with_replacement(data, to, rows, n, num_samples, *g);
    check_probabilities(data, rows, n);
    T (*rounded)(double) = [](double x) { return T(x); };
    if (dtype == DType::Float16) rounded = [](double x) { return T(float(Half(float(x)))); };
    if (dtype == DType::BFloat16) rounded = [](double x) { return T(float(BFloat16(float(x)))); };
    sample_without_replacement(data, to, rows, n, num_samples, *g, rounded);
  });
  return out;
}

}  // namespace flambeau::ops
