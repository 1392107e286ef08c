// Random numbers: what torch.rand and its relatives draw, in PyTorch's order from PyTorch's stream.
#pragma once

#include "ops/options.h"
#include "random/generator.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// In place. Each draws in the order of memory, as PyTorch's serial loops over its iterator do.
Tensor uniform_(const Tensor& self, double from = 0, double to = 1, const Ref<Generator>& generator = {});
Tensor normal_(const Tensor& self, double mean = 0, double std = 1, const Ref<Generator>& generator = {});
Tensor random_(const Tensor& self, const Ref<Generator>& generator = {});
Tensor random_to_(const Tensor& self, int64_t to, const Ref<Generator>& generator = {});
Tensor random_from_(const Tensor& self, int64_t from, std::optional<int64_t> to, const Ref<Generator>& generator = {});
Tensor bernoulli_(const Tensor& self, double p = 0.5, const Ref<Generator>& generator = {});
Tensor bernoulli_tensor_(const Tensor& self, const Tensor& p, const Ref<Generator>& generator = {});
Tensor exponential_(const Tensor& self, double lambd = 1, const Ref<Generator>& generator = {});
Tensor geometric_(const Tensor& self, double p, const Ref<Generator>& generator = {});
Tensor log_normal_(const Tensor& self, double mean = 1, double std = 2, const Ref<Generator>& generator = {});
Tensor cauchy_(const Tensor& self, double median = 0, double sigma = 1, const Ref<Generator>& generator = {});

Tensor rand(const Dims& size, const Ref<Generator>& generator, const Options& options);
Tensor randn(const Dims& size, const Ref<Generator>& generator, const Options& options);
Tensor randint_high(int64_t high, const Dims& size, const Ref<Generator>& generator, const Options& options);
Tensor randint(int64_t low, int64_t high, const Dims& size, const Ref<Generator>& generator, const Options& options);
Tensor randperm(int64_t n, const Ref<Generator>& generator, const Options& options);
Tensor rand_like(const Tensor& self, const Ref<Generator>& generator, const Options& options);
Tensor randn_like(const Tensor& self, const Ref<Generator>& generator, const Options& options);
Tensor randint_like_high(const Tensor& self, int64_t high, const Ref<Generator>& generator, const Options& options);
Tensor randint_like_tensor(const Tensor& self, const Tensor& high, const Ref<Generator>& generator,
                           const Options& options);
Tensor randint_like(const Tensor& self, int64_t low, int64_t high, const Ref<Generator>& generator,
                    const Options& options);

Tensor normal(double mean, double std, const Dims& size, const Ref<Generator>& generator, const Options& options);
Tensor normal_tensor_float(const Tensor& mean, double std, const Ref<Generator>& generator);
Tensor normal_float_tensor(double mean, const Tensor& std, const Ref<Generator>& generator);
Tensor normal_tensor_tensor(const Tensor& mean, const Tensor& std, const Ref<Generator>& generator);
Tensor bernoulli(const Tensor& self, const Ref<Generator>& generator);  // self holds the probabilities
Tensor bernoulli_p(const Tensor& self, double p, const Ref<Generator>& generator);
// What dropout multiplies with, drawn into a new tensor: bernoulli_(p), then div(p), in one pass.
Tensor draw_dropout_noise(const Tensor& noise, double p);
Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement, const Ref<Generator>& generator);

}  // namespace flambeau::ops
