#include "tensor/operand.h"

namespace flambeau {
namespace {

// Mirrors at::native::ResultTypeState: the best dtype of each priority, combined at the end.
struct State {
  std::optional<DType> dim, zero, wrapped;

  static void raise(std::optional<DType>& into, DType dtype) { into = into ? promote(*into, dtype) : dtype; }
  static int category(DType d) { return d == DType::Bool ? 0 : is_integral(d) ? 1 : is_floating(d) ? 2 : 3; }
  static std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
    if (!higher) return lower;
    if (!lower || category(*lower) <= category(*higher)) return higher;
    return promote(*higher, *lower);
  }

  void add(const Tensor& t) { raise(t.dim() ? dim : zero, t.dtype()); }
  void add(Scalar s) { raise(wrapped, s.natural_dtype()); }
  DType result() const { return combine(dim, combine(zero, wrapped)).value_or(default_dtype()); }
};

}  // namespace

DType result_type(std::initializer_list<std::reference_wrapper<const Operand>> operands) {
  State state;
  for (const Operand& o : operands) {
    if (o.is_tensor()) state.add(o.tensor());
    else state.add(o.scalar());
  }
  return state.result();
}

DType result_type(const TensorList& tensors) {
  State state;
  for (const Tensor& t : tensors) state.add(t);
  return state.result();
}

}  // namespace flambeau
