#include "ops/create.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace create = ops::create;

void bind_create() {
  def<&create::empty>("empty(size, *, **options)", kFunction | kOut);
  def<&create::empty_strided>("empty_strided(size, stride, *, **options)", kFunction);
  def<&create::empty_permuted>("empty_permuted(size, physical_layout, *, **options)", kFunction);
  def<&create::zeros>("zeros(size, *, **options)", kFunction | kOut);
  def<&create::ones>("ones(size, *, **options)", kFunction | kOut);
  def<&create::full>("full(size, fill_value, *, **options)", kFunction | kOut);
  def<&create::scalar_tensor>("scalar_tensor(s, *, **options)", kFunction);

  def<&create::empty_like>("empty_like(self, *, **options)", kFunction);
  def<&create::zeros_like>("zeros_like(self, *, **options)", kFunction);
  def<&create::ones_like>("ones_like(self, *, **options)", kFunction);
  def<&create::full_like>("full_like(self, fill_value, *, **options)", kFunction);

  def<&create::new_empty>("new_empty(self, size, *, **options)", kMethod);
  def<&create::new_empty_strided>("new_empty_strided(self, size, stride, *, **options)", kMethod);
  def<&create::new_zeros>("new_zeros(self, size, *, **options)", kMethod);
  def<&create::new_ones>("new_ones(self, size, *, **options)", kMethod);
  def<&create::new_full>("new_full(self, size, fill_value, *, **options)", kMethod);

  def<&create::arange_end>("arange(end, *, **options)", kFunction | kOut);
  def<&create::arange>("arange(start, end, step=1, *, **options)", kFunction | kOut);
  def<&create::range>("range(start, end, step=1, *, **options)", kFunction | kOut);
  def<&create::linspace>("linspace(start, end, steps, *, **options)", kFunction | kOut);
  def<&create::logspace>("logspace(start, end, steps, base=10.0, *, **options)", kFunction | kOut);
  def<&create::eye>("eye(n, *, **options)", kFunction | kOut);
  def<&create::eye_m>("eye(n, m, *, **options)", kFunction | kOut);

  def<&create::bartlett_window>("bartlett_window(window_length, periodic=True, *, **options)", kFunction);
  def<&create::hann_window>("hann_window(window_length, periodic=True, *, **options)", kFunction);
  def<&create::hamming_window>("hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, **options)",
                               kFunction);
  def<&create::blackman_window>("blackman_window(window_length, periodic=True, *, **options)", kFunction);
}

}  // namespace flambeau::bind
