#include "ops/attention.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

void bind_attention() {
  def<&ops::scaled_dot_product_attention>(
      "scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, "
      "enable_gqa=False)",
      kNN);
}

}  // namespace flambeau::bind
