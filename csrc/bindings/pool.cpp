#include "ops/pool.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

void bind_pool() {
  def<&ops::max_pool1d>("max_pool1d(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)",
                        kFunction);
  def<&ops::max_pool2d>("max_pool2d(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)",
                        kFunction);
  def<&ops::max_pool3d>("max_pool3d(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)",
                        kFunction);
  def<&ops::max_pool1d_with_indices>(
      "max_pool1d_with_indices(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)", kFunction);
  def<&ops::max_pool2d_with_indices>(
      "max_pool2d_with_indices(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)", kNN | kOut);
  def<&ops::max_pool3d_with_indices>(
      "max_pool3d_with_indices(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False)", kNN | kOut);
  def<&ops::avg_pool1d>(
      "avg_pool1d(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)", kFunction);
  def<&ops::avg_pool2d>(
      "avg_pool2d(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None)",
      kNN | kOut);
  def<&ops::avg_pool3d>(
      "avg_pool3d(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None)",
      kNN | kOut);
  def<&ops::adaptive_avg_pool1d>("adaptive_avg_pool1d(self, output_size)", kFunction);
  def<&ops::adaptive_avg_pool2d>("adaptive_avg_pool2d(self, output_size)", kNN | kOut);
  def<&ops::adaptive_avg_pool3d>("adaptive_avg_pool3d(self, output_size)", kNN | kOut);
  def<&ops::adaptive_max_pool1d>("adaptive_max_pool1d(self, output_size)", kFunction);
  def<&ops::adaptive_max_pool2d>("adaptive_max_pool2d(self, output_size)", kNN | kOut);
  def<&ops::adaptive_max_pool3d>("adaptive_max_pool3d(self, output_size)", kNN | kOut);
  def<&ops::max_unpool2d>("max_unpool2d(self, indices, output_size)", kNN | kOut);
  def<&ops::max_unpool3d>("max_unpool3d(self, indices, output_size, stride, padding)", kNN | kOut);
}

}  // namespace flambeau::bind
