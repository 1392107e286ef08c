// Regular elementwise operators as rows: the loop that gives the value, and the slopes beside it.
#pragma once

#include "kernels/vml.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/pointwise.h"

namespace flambeau::ops {

inline DType float_dtype(DType dtype) { return is_integral(dtype, true) ? default_dtype() : dtype; }

// MKL's loops for float32, `others` for other dtypes.
inline const Loops& mkl_or(const ByMklPath& mkl, const Loops& others, DType dtype) {
  return dtype == DType::Float32 ? mkl[profile().mkl] : others;
}

// What the graph sees of an operand: no edge for a number.
inline const Tensor& input_of(const Operand& o) {
  static const Tensor none;
  return o.is_tensor() ? o.tensor() : none;
}

enum class Promotion : uint8_t { Keep, Float };  // Float: integers and bools become the default dtype

// Gradient of one input, from that of the result and the inputs.
using Slope = Tensor (*)(const Tensor& grad, const Operand& self, const Operand& other);

struct BinaryRow {
  const char* node;     // autograd's name
  const char* kernel;   // the name in "not implemented for"
  const Loops& (*loops)();
  Promotion promotion;
  Slope self, other;    // null: not differentiable
  const char* node_of_number = nullptr;  // where `other` is a number, if that has a name of its own
};
Tensor binary(const BinaryRow& row, const Operand& self, const Operand& other);

// Result of dtype bool, or of the operands' common dtype, without gradient.
Tensor binary_plain(const Loops& loops, const char* kernel, const Operand& self, const Operand& other);

enum class Keeps : uint8_t { Nothing, Self, Result };
struct UnaryRow {
  const char* node;
  const char* kernel;
  const Loops& (*loops)(DType dtype);
  Promotion promotion;
  Keeps keeps;
  Tensor (*slope)(const Tensor& grad, const Tensor& kept);
};
Tensor unary(const UnaryRow& row, const Tensor& self);

}  // namespace flambeau::ops
