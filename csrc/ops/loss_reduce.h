// What all losses end with.
#pragma once

#include "ops/loss.h"
#include "ops/reduce.h"

namespace flambeau::ops {

inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return mean(loss);
  if (reduction == kSum) return sum(loss);
  return loss;
}

}  // namespace flambeau::ops
