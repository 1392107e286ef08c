// An argument that is a tensor or a number, as in x * 2, and the promotion of several of them.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor) {}
  Operand(Scalar scalar) : scalar_(scalar) {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Operand(N value) : scalar_(value) {}
  bool is_tensor() const { return tensor_ != nullptr; }
  const Tensor& tensor() const { return *tensor_; }  // borrowed: the argument outlives the call
  Scalar scalar() const { return scalar_; }
  IntSpan sizes() const { return tensor_ ? IntSpan(tensor_->sizes()) : IntSpan(); }
  bool requires_grad() const { return tensor_ && tensor_->requires_grad(); }

 private:
  const Tensor* tensor_ = nullptr;
  Scalar scalar_;
};

// torch.result_type: dimensioned tensors, then 0-dim tensors, then numbers, each only raising the category.
DType result_type(std::initializer_list<std::reference_wrapper<const Operand>> operands);
DType result_type(const TensorList& tensors);

}  // namespace flambeau
