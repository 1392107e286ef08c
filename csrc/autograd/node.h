// The graph: a node per recorded operation, edges to the nodes that made its inputs, and a tensor's metadata.
// Follows torch/csrc/autograd/{function,variable,saved_variable}.h in behaviour. The engine is in engine.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tensor/tensor.h"

namespace flambeau {

class Node;

// Where a gradient goes: input number `index` of `node`.
struct Edge {
  Ref<Node> node;
  uint32_t index = 0;
  explicit operator bool() const { return bool(node); }
};

// What a node knows of an output: enough to make zeros for it and to check a gradient's shape.
struct OutputMeta {
  Dims sizes;
  DType dtype = DType::Float32;
};

// A hook on gradients; `call` returns false to leave them as they are. Implemented by the bindings.
class GradHook : public RefCounted {
 public:
  virtual void call(TensorList& grads) = 0;  // may replace entries
  virtual void* object() { return nullptr; }  // the Python object behind it, for the garbage collector
};
// Runs after a node: sees grad_inputs (may replace them) and grad_outputs.
class PostHook : public RefCounted {
 public:
  virtual void call(TensorList& grad_inputs, const TensorList& grad_outputs) = 0;
  virtual void* object() { return nullptr; }
};

// Which inputs of an operation need a gradient.
class Needs {
 public:
  explicit Needs(const Node& node) : node_(node) {}
  bool operator[](size_t input) const;

 private:
  const Node& node_;
};

class Node : public RefCounted {
 public:
  explicit Node(std::string_view name);
  ~Node() override;

  std::string_view name() const { return name_; }
  // Gradients of the outputs (undefined where none arrived) to gradients of the inputs.
  virtual TensorList apply(TensorList grads) = 0;
  virtual void release_variables() {}
  virtual bool is_accumulator() const { return false; }
  // Python objects reachable through this node, for the garbage collector (bindings only).
  virtual int traverse(int (*)(void* object, void* arg), void*) { return 0; }

  std::vector<Edge> next;            // one an input
  std::vector<OutputMeta> outputs;   // one an output
  uint64_t sequence;                 // the order of recording: later nodes run first
  std::vector<std::pair<uint32_t, Ref<GradHook>>> pre_hooks;       // tensor hooks, by output
  std::vector<std::pair<uint32_t, TensorImpl*>> retained;          // outputs with retain_grad, not owned
  std::vector<Ref<PostHook>> post_hooks;
  std::vector<Ref<GradHook>> node_pre_hooks;
  std::unique_ptr<std::string> forward_trace;                      // anomaly mode

 protected:
  void dispose() override;           // iterative: long chains must not recurse
  std::string_view name_;
};

// Adds to a leaf's .grad.
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(TensorImpl* leaf);
  ~AccumulateGrad() override;
  TensorList apply(TensorList grads) override;
  bool is_accumulator() const override { return true; }
  Tensor variable;
};

struct AutogradMeta {
  bool requires_grad = false;        // of a leaf
  bool retains_grad = false;
  uint32_t output_index = 0;
  Ref<Node> grad_fn;
  Tensor grad;
  Node* accumulator = nullptr;       // not owned: the graph owns it
  std::vector<Ref<GradHook>> hooks;  // of a leaf; others live on grad_fn
  std::vector<Ref<GradHook>> post_accumulate_hooks;
  uint64_t base_epoch = 0;           // of a base: counts such changes; of a view: the count when grad_fn was made
};

AutogradMeta& autograd_meta(const Tensor& t);    // made on first use
// The edge along which a gradient reaches this tensor; empty when it needs none.
Edge gradient_edge(const Tensor& t);
Ref<Node> grad_fn(const Tensor& t);              // of a view changed in place: remade first
void set_history(const Tensor& out, const Ref<Node>& node);  // as the next output of node

// Makes `result` (a functional operator's output) the new value of `self`: checks, data, version and history, with
// CopySlices on the base of a view. Every in-place operator ends here.
Tensor assign_inplace(const Tensor& self, const Tensor& result);
// What an in-place operator works on instead of `self`: the same memory and history. If the operator kept it for
// backward, keep_value gives it memory of its own before self's changes (PyTorch saves self.clone()).
Tensor stand_in(const Tensor& self);
void keep_value(const Tensor& stand_in);
// PyTorch's refusals before an in-place change: leaves that require grad, views of them, inference tensors.
void check_inplace(const Tensor& self);
Node* current_node();                            // whose backward runs on this thread
struct RunningNode {  // RAII
  explicit RunningNode(Node* node);
  ~RunningNode();
  Node* before;
};

// Modes, per thread.
bool grad_enabled();
void set_grad_enabled(bool enabled);
bool inference_mode_enabled();
void set_inference_mode(bool enabled);
bool anomaly_enabled();
void set_anomaly(bool enabled);
struct GradMode {  // RAII
  explicit GradMode(bool enabled) : before(grad_enabled()) { set_grad_enabled(enabled); }
  ~GradMode() { set_grad_enabled(before); }
  bool before;
};

// A tensor kept for backward. Checks on use that nothing changed it in place. A saved output holds no reference
// to the node that owns it (no cycle); its history is put back on use.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& input) : Saved(input, false, 0) {}
  static Saved output(const Tensor& t, uint32_t index = 0) { return Saved(t, true, index); }
  // `owner` puts a saved output's history back; by default the node whose backward is running.
  Tensor get(Node* owner = nullptr) const;
  operator Tensor() const { return get(); }
  bool defined() const { return data_.defined() || packed_; }

 private:
  Saved(const Tensor& t, bool is_output, uint32_t index);
  Tensor data_;
  uint32_t version_ = 0;
  uint32_t output_index_ = 0;
  bool is_output_ = false;
  Ref<RefCounted> packed_;  // what a saved-tensor hook made of it
};

// torch.autograd.graph.saved_tensors_hooks: set by the bindings, per thread.
struct SavedHooks {
  Ref<RefCounted> (*pack)(const Tensor&) = nullptr;     // returns null when no hook is active
  Tensor (*unpack)(RefCounted&) = nullptr;
};
extern SavedHooks saved_hooks;
extern thread_local int saved_hooks_depth;

}  // namespace flambeau
