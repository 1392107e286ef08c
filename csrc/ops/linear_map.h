// An operator that is a fixed linear map of its input (average pooling, interpolation, unpooling): forward and adjoint
// are each the other's gradient, so derivatives of any order need nothing more.
#pragma once

#include <functional>
#include <memory>

#include "ops/op.h"

namespace flambeau::ops {

struct LinearMap {
  std::string_view name;                            // of the forward's node
  std::string_view backward_name;                   // of the node when the adjoint itself is recorded
  std::function<Tensor(const Tensor&)> forward, adjoint;  // without history
};

inline Tensor apply_linear_map(const std::shared_ptr<const LinearMap>& map, const Tensor& x, bool adjoint = false) {
  const Tensor out = adjoint ? map->adjoint(x) : map->forward(x);
  return record(adjoint ? map->backward_name : map->name, out, {x}, [&] {
    return [map, adjoint](const Tensor& grad, Needs) { return TensorList{apply_linear_map(map, grad, !adjoint)}; };
  });
}

}  // namespace flambeau::ops
