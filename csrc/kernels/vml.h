// Unary functions that PyTorch gives to MKL's vector math, contiguous or not and on every capability of ATen: float32
// loops by MKL's path. Other dtypes are not MKL's in float16 and bfloat16, and not exact in float64:
// kernels/elementwise.h.
#pragma once

#include "kernels/elementwise.h"
#include "numerics/profile.h"

namespace flambeau {

struct ByMklPath {
  Loops loops[3];
  const Loops& operator[](MklPath path) const { return loops[int(path)]; }
};

#define FLAMBEAU_VML(_) _(sqrt) _(exp) _(log) _(tanh) _(sin) _(cos) _(tan) _(erf)

#define FLAMBEAU_FIELD(name) ByMklPath name;
struct VmlKernels {
  FLAMBEAU_VML(FLAMBEAU_FIELD)
};
#undef FLAMBEAU_FIELD

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(VmlKernels, vml)
