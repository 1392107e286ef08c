// Matrix products in the orders of MKL on Intel processors (numerics/gemm_order.h chooses, kernels/gemm_intel.h has
// what is not the ordinary order).
#pragma once

#include "kernels/gemm.h"

namespace flambeau::ops {

void gemm_intel(const GemmArgs<float>& g, const GemmOrder& order);  // no size is 0

}  // namespace flambeau::ops
