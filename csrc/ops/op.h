// The frame every differentiable operator uses: does anything need a gradient, then one node whose backward is a
// lambda standing right below the forward.
//
//   Tensor mul(const Tensor& a, const Tensor& b) {
//     Tensor out = binary_kernel(...);                         // knows nothing of autograd
//     return record("MulBackward0", out, {a, b}, [&] {       // runs only when a gradient is needed
//       return [a = Saved(a), b = Saved(b), sa = a.sizes(), sb = b.sizes()](const Tensor& grad, Needs need) {
//         return TensorList{need[0] ? sum_to(mul(grad, b.get()), sa) : Tensor(),
//                           need[1] ? sum_to(mul(grad, a.get()), sb) : Tensor()};
//       };
//     });
//   }
//
// * Several outputs, lists or optional inputs: `if (needs_grad(...)) record_all(name, outs, Inputs{...}.add(x),
// closure)`.
// * A backward returns one tensor an input, in order; undefined means "none". It gets the gradient of the output, or,
//   for operators with several outputs, a `const TensorList&` with one each (undefined where none arrived).
// * Save an input by Saved(x), the result by Saved::output(out, index). Shapes, dtypes, scalars: plain captures.
// * Backward is written with differentiable operators (ops.h) so that create_graph works; where PyTorch itself has a
//   named backward operator (softmax_backward_data, layer_norm_backward ...), call ours and record its own node.
#pragma once

#include <optional>
#include <type_traits>

#include "autograd/node.h"
#include "tensor/tensor.h"

namespace flambeau {

template <class F>
class LambdaNode final : public Node {
 public:
  LambdaNode(std::string_view name, F f) : Node(name), f_(std::move(f)) {}
  TensorList apply(TensorList grads) override {
    FLAMBEAU_CHECK(
        f_.has_value(),
        "Trying to backward through the graph a second time (or directly access saved tensors after they have "
        "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
        "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
        "if you need to access saved tensors after calling backward.");
    if constexpr (std::is_invocable_v<F&, const Tensor&, Needs>) {
      if (!grads[0].defined()) return TensorList(next.size());
      return (*f_)(grads[0], Needs(*this));
    } else {
      return (*f_)(grads, Needs(*this));
    }
  }
  void release_variables() override { f_.reset(); }

 private:
  std::optional<F> f_;
};

inline bool needs_grad_one(const Tensor& t) { return t.defined() && t.requires_grad(); }
inline bool needs_grad_one(const OptTensor& t) { return t && needs_grad_one(*t); }
inline bool needs_grad_one(const TensorList& list) {
  for (const auto& t : list)
    if (needs_grad_one(t)) return true;
  return false;
}
template <class... Ts>
bool needs_grad(const Ts&... tensors) {
  return grad_enabled() && (needs_grad_one(tensors) || ...);
}

void connect(Node& node, std::span<const Tensor* const> inputs);

// Builds the list of inputs from tensors, optional tensors (empty edge when absent) and lists.
class Inputs {
 public:
  Inputs(std::initializer_list<std::reference_wrapper<const Tensor>> list) {
    for (const Tensor& t : list) pointers_.push_back(&t);
  }
  Inputs(const TensorList& list) {
    for (const Tensor& t : list) pointers_.push_back(&t);
  }
  Inputs& add(const Tensor& t) {
    pointers_.push_back(&t);
    return *this;
  }
  std::span<const Tensor* const> span() const { return pointers_; }

 private:
  std::vector<const Tensor*> pointers_;
};

template <class F>
void record_all(std::string_view name, std::span<const Tensor> outs, const Inputs& inputs, F&& backward) {
  auto node = make_ref<LambdaNode<std::decay_t<F>>>(name, std::forward<F>(backward));
  connect(*node, inputs.span());
  for (const Tensor& out : outs) set_history(out, node);
}

// One output. `make` is called only when a gradient is needed; it returns the backward closure.
template <class Make>
Tensor record(std::string_view name, Tensor out, std::initializer_list<std::reference_wrapper<const Tensor>> inputs,
              Make&& make) {
  bool needed = false;
  if (grad_enabled())
    for (const Tensor& t : inputs) needed |= needs_grad_one(t);
  if (needed) record_all(name, {&out, 1}, Inputs(inputs), make());
  return out;
}

}  // namespace flambeau
