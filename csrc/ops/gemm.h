// One matrix product over raw memory, in the order of the profile, on as many threads as there are: what mm, bmm,
// convolution and attention call. Operands as BLAS takes them (kernels/gemm.h): of each of A and B, one stride is 1.
#pragma once

#include "kernels/gemm.h"

namespace flambeau::ops {

// one_thread: the order of one logical thread, as each matrix of a batch and products inside parallel regions have.
void gemm(const GemmArgs<float>& g, bool one_thread = false);
void gemm(const GemmArgs<double>& g, bool one_thread = false);

// The ordinary order with given blocks on the calling thread; scratch as gemm_scratch says.
void gemm_serial(const GemmArgs<float>& g, const KBlocks& blocks, float* scratch);
void gemm_serial(const GemmArgs<double>& g, const KBlocks& blocks, double* scratch);
// The same on as many threads as there are.
void gemm_ordinary(const GemmArgs<float>& g, const KBlocks& blocks);

// Multiplies C by beta where it is added to; the same product with beta 1.
GemmArgs<float> scale_c(const GemmArgs<float>& g);

// The dot product of two contiguous vectors.
float dot(const float* x, const float* y, int64_t k);
double dot(const double* x, const double* y, int64_t k);

}  // namespace flambeau::ops
