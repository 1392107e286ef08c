// Dropout: native names, forward and in-place forms. Draws from the default generator.
#pragma once

#include <tuple>

#include "tensor/tensor.h"

namespace flambeau::ops {

Tensor dropout(const Tensor& input, double p, bool train);
Tensor dropout_(const Tensor& self, double p, bool train);
Tensor feature_dropout(const Tensor& input, double p, bool train);  // zeroes whole channels
Tensor feature_dropout_(const Tensor& self, double p, bool train);
Tensor alpha_dropout(const Tensor& input, double p, bool train);  // keeps mean and variance after SELU
Tensor alpha_dropout_(const Tensor& self, double p, bool train);
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train);
Tensor feature_alpha_dropout_(const Tensor& self, double p, bool train);
std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train);  // and its mask

}  // namespace flambeau::ops
