#include "ops/random.h"

#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/dropout.h"

namespace flambeau::bind {

void bind_random() {
  def<&ops::uniform_>("uniform_(self, from=0, to=1, *, generator=None)", kMethod);
  def<&ops::normal_>("normal_(self, mean=0, std=1, *, generator=None)", kMethod);
  def<&ops::random_>("random_(self, *, generator=None)", kMethod);
  def<&ops::random_to_>("random_(self, to, *, generator=None)", kMethod);
  def<&ops::random_from_>("random_(self, from, to, *, generator=None)", kMethod);
  def<&ops::bernoulli_tensor_>("bernoulli_(self, p, *, generator=None)", kMethod);
  def<&ops::bernoulli_>("bernoulli_(self, p=0.5, *, generator=None)", kMethod);
  def<&ops::exponential_>("exponential_(self, lambd=1, *, generator=None)", kMethod);
  def<&ops::geometric_>("geometric_(self, p, *, generator=None)", kMethod);
  def<&ops::log_normal_>("log_normal_(self, mean=1, std=2, *, generator=None)", kMethod);
  def<&ops::cauchy_>("cauchy_(self, median=0, sigma=1, *, generator=None)", kMethod);

  def<&ops::rand>("rand(size, *, generator=None, **options)", kFunction | kOut);
  def<&ops::randn>("randn(size, *, generator=None, **options)", kFunction | kOut);
  def<&ops::randint_high>("randint(high, size, *, generator=None, **options)", kFunction | kOut);
  def<&ops::randint>("randint(low, high, size, *, generator=None, **options)", kFunction | kOut);
  def<&ops::randperm>("randperm(n, *, generator=None, **options)", kFunction | kOut);
  def<&ops::rand_like>("rand_like(self, *, generator=None, **options)", kFunction);
  def<&ops::randn_like>("randn_like(self, *, generator=None, **options)", kFunction);
  def<&ops::randint_like_tensor>("randint_like(self, high, *, generator=None, **options)", kFunction);
  def<&ops::randint_like_high>("randint_like(self, high, *, generator=None, **options)", kFunction);
  def<&ops::randint_like>("randint_like(self, low, high, *, generator=None, **options)", kFunction);

  def<&ops::normal_tensor_tensor>("normal(mean, std, *, generator=None)", kFunction | kOut);
  def<&ops::normal_tensor_float>("normal(mean, std=1, *, generator=None)", kFunction | kOut);
  def<&ops::normal_float_tensor>("normal(mean, std, *, generator=None)", kFunction | kOut);
  def<&ops::normal>("normal(mean, std, size, *, generator=None, **options)", kFunction | kOut);
  def<&ops::bernoulli>("bernoulli(self, *, generator=None)", kPlain | kOut);
  def<&ops::bernoulli_p>("bernoulli(self, p, *, generator=None)", kPlain);
  def<&ops::multinomial>("multinomial(self, num_samples, replacement=False, *, generator=None)", kPlain | kOut);
}

void bind_dropout() {
  def<&ops::dropout>("dropout(input, p, train)", kFunction);
  def<&ops::dropout_>("dropout_(self, p, train)", kFunction);
  def<&ops::feature_dropout>("feature_dropout(input, p, train)", kFunction);
  def<&ops::feature_dropout_>("feature_dropout_(self, p, train)", kFunction);
  def<&ops::alpha_dropout>("alpha_dropout(input, p, train)", kFunction);
  def<&ops::alpha_dropout_>("alpha_dropout_(self, p, train)", kFunction);
  def<&ops::feature_alpha_dropout>("feature_alpha_dropout(input, p, train)", kFunction);
  def<&ops::feature_alpha_dropout_>("feature_alpha_dropout_(self, p, train)", kFunction);
  def<&ops::native_dropout>("native_dropout(input, p, train)", kFunction);
}

}  // namespace flambeau::bind
