// Second derivatives of operators that have a backward kernel of their own: the backward is composed once more from
// differentiable operators, and the engine differentiates that.
#pragma once

#include <functional>

#include "tensor/tensor.h"

namespace flambeau {

using Composition = std::function<TensorList(const TensorList& inputs)>;

// Gradients of `inputs` (undefined ones stay so) when the outputs of `compose` get `grads` (undefined: none).
TensorList differentiate(const Composition& compose, const TensorList& inputs, const TensorList& grads);

// Makes `outs`, which a kernel computed from `inputs`, differentiable by that.
void record_recomposed(std::string_view name, const TensorList& outs, const TensorList& inputs, Composition compose);

}  // namespace flambeau
