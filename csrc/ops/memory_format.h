// The order in which a tensor's dimensions lie in memory: copies into a wanted one.
#pragma once

#include "ops/options.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

// NHWC and NDHWC: strides of a (N, C, ...) tensor whose channels are innermost.
Dims channels_last_strides(IntSpan sizes);
Tensor empty(IntSpan sizes, DType dtype, MemoryFormat format);  // not Preserve
// As `like` where the options say nothing else.
Tensor empty_like(const Tensor& like, const Options& options);
bool is_contiguous(const Tensor& self, MemoryFormat format);
Tensor contiguous(const Tensor& self, MemoryFormat format);  // itself when it is
Tensor clone(const Tensor& self, MemoryFormat format);

}  // namespace flambeau::ops
