// Attention without the matrix of scores: PyTorch's CPU flash kernel, forward and backward, float32.
#pragma once

#include "tensor/tensor.h"

namespace flambeau::ops {

// Whether PyTorch would take the flash kernel for these arguments (no dropout, 4-D, plain last dimension ...).
bool takes_flash(const Tensor& query, const Tensor& key, const Tensor& value, const OptTensor& mask, double dropout_p,
                 bool enable_gqa);
// torch.backends.cuda.enable_flash_sdp: while off, nothing takes it.
bool flash_enabled();
void set_flash_enabled(bool enabled);
// query (B, H, L, D), key and value (B, Hkv, S, D); mask (L, S) or (B, H, L, S) or broadcast to it, float.
Tensor flash_attention(const Tensor& query, const Tensor& key, const Tensor& value, const OptTensor& mask,
                       bool is_causal, std::optional<double> scale);

}  // namespace flambeau::ops
