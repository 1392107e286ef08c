// Searches and running results along contiguous rows: `rows` runs of n adjacent elements.
// Follows native/cpu/{ReduceOpsKernel,TensorCompareKernel}.cpp and ReduceOps.cpp (cummax) in PyTorch.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau {

// Positions of the first largest (smallest) elements; a NaN beats everything.
using ExtremeRows = void (*)(const void* in, int64_t rows, int64_t n, int64_t* indices);
// out[i] combines in[0..i].
using ScanRows = void (*)(void* out, const void* in, int64_t rows, int64_t n);
// Down columns: n rows of `columns` adjacent elements.
using ScanColumns = void (*)(void* out, const void* in, int64_t n, int64_t stride, int64_t columns);
// The same with the position of the last element equal to the extreme so far.
using ScanExtremeRows = void (*)(void* out, int64_t* indices, const void* in, int64_t rows, int64_t n);

struct RowKernels {
  ExtremeRows argmax[3], argmin[3];  // float, double, int64
  ScanRows cumsum[3], cumprod[3];    // floats accumulate in double and round each result
  ScanColumns cumsum_columns[3], cumprod_columns[3];
  ScanRows logcumsumexp[2];  // float, double; in double
  ScanExtremeRows cummax[3], cummin[3];
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(RowKernels, rows)
