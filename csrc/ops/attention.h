// scaled_dot_product_attention (native/transformers/attention.cpp): softmax(q k^T * scale + mask) v.
#pragma once

#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

// query (..., L, E), key (..., S, E), value (..., S, Ev). A bool mask says who takes part; a float one is added.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const OptTensor& attn_mask = {}, double dropout_p = 0.0, bool is_causal = false,
                                    std::optional<double> scale = {}, bool enable_gqa = false);
// The composed path: what is taken with dropout, with masks that need a gradient, and in odd shapes.
std::tuple<Tensor, Tensor> scaled_dot_product_attention_math(const Tensor& query, const Tensor& key,
                                                             const Tensor& value, const OptTensor& attn_mask,
                                                             double dropout_p, bool is_causal,
                                                             std::optional<double> scale, bool enable_gqa);

}  // namespace flambeau::ops
