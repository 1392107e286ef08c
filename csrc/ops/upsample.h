// Resizing of (N, C, ...) images by interpolation (UpSample*.cpp). Sizes are given, or scale factors, from which sizes
// follow; scales that are known go into the positions.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace flambeau::ops {

enum class Interpolation { Nearest, NearestExact, Linear, Cubic };

struct ResizeRequest {
  std::optional<Dims> output_size;
  std::vector<std::optional<double>> scales;  // one a spatial dimension
  bool align_corners = false;
};
Tensor upsample(const Tensor& self, int64_t spatial, Interpolation mode, const ResizeRequest& request);

}  // namespace flambeau::ops
