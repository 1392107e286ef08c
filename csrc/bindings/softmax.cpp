#include "ops/softmax.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

void bind_softmax() {
  def<&ops::softmax>("softmax(self, dim, dtype=None)", kPlain | kOut);
  def<&ops::log_softmax>("log_softmax(self, dim, dtype=None)", kPlain | kOut);
  def<&ops::softmax>("special_softmax(self, dim, dtype=None)", kSpecial);
  def<&ops::log_softmax>("special_log_softmax(self, dim, *, dtype=None)", kSpecial);
  def<&ops::softmax_backward_data>("_softmax_backward_data(grad_output, output, dim, input_dtype)", kFunction);
  def<&ops::log_softmax_backward_data>("_log_softmax_backward_data(grad_output, output, dim, input_dtype)", kFunction);
}

}  // namespace flambeau::bind
