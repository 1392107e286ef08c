// The order in which a tensor's dimensions lie in memory: copies into a wanted one.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

enum class MemoryFormat : uint8_t { Preserve, Contiguous, ChannelsLast, ChannelsLast3d };

namespace ops {

// NHWC and NDHWC: strides of a (N, C, ...) tensor whose channels are innermost.
Dims channels_last_strides(IntSpan sizes);
bool is_contiguous(const Tensor& self, MemoryFormat format);
Tensor contiguous(const Tensor& self, MemoryFormat format);  // itself when it is
Tensor clone(const Tensor& self, MemoryFormat format);

}  // namespace ops
}  // namespace flambeau
