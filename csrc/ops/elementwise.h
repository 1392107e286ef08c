// Runs a dense loop (kernels/elementwise.h) over operands of any shape, strides and dtype. Dense operands of the right
// dtype are used where they lie; the others pass through blocks that stay in the first-level cache.
#pragma once

#include <span>

#include "kernels/elementwise.h"
#include "numerics/profile.h"
#include "tensor/operand.h"

namespace flambeau::ops {

using Params = std::initializer_list<Scalar>;  // at most kLoopParams

// One input and the dtype in which the loop reads it.
struct Input {
  const Operand* operand;
  DType dtype;
};

// What runs over the elements: the loop, and for float32 the one for elements that PyTorch takes singly (Loops::tail).
struct Pass {
  Loop loop;
  Loop tail = nullptr;
  bool narrow = false;
  bool one_chunk_a_thread = false;
  Pass(Loop loop) : loop(loop) {}
  Pass(const Loops& loops, DType dtype)
      : loop(loops.by_dtype[int(dtype)]),
        tail(dtype == DType::Float32 && !profile().invariant ? loops.tail : nullptr),
        narrow(loops.narrow),
        one_chunk_a_thread(loops.one_chunk_a_thread) {}
};

// The pass writes elements of `produced`, which are stored as `out`.
Tensor elementwise(Pass pass, DType produced, DType out, std::span<const Input> inputs, Params params = {});

// The usual case: every input in `dtype` (half precision in float, rounded once), and a result of that dtype or bool.
// `name` is PyTorch's kernel name for its "not implemented" message.
Tensor elementwise(const Loops& loops, std::string_view name, DType dtype, std::initializer_list<const Operand*> inputs,
                   Params params = {});

}  // namespace flambeau::ops
