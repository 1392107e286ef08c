// Where an elementwise operator shall put its result: set by the frame for in-place and out= calls of operators that
// are one pass (element i of the inputs is read before element i of the output is written) and take their output from
// `make_output`. Everything else computes first and copies.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

// The destination if one is set and fits (it is used up), else a new tensor; `like` gives the order of strides.
Tensor make_output(IntSpan sizes, DType dtype, const Tensor* like = nullptr);
// The same with the strides a new tensor shall have.
Tensor make_output_strided(IntSpan sizes, IntSpan strides, DType dtype);

class Destination {  // RAII
 public:
  explicit Destination(const Tensor& out);
  ~Destination();

 private:
  const Tensor* before_;
};

}  // namespace flambeau
