#include "autograd/engine.h"

#include <algorithm>
#include <mutex>
#include <queue>
#include <unordered_map>

#include "ops/copy.h"
#include "ops/destination.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"

namespace flambeau {

void (*report_anomaly)(const Node& node) = nullptr;
void (*check_interrupt)() = nullptr;

namespace {

// What is known of a node during one backward pass.
struct Task {
  int64_t dependencies = 0;  // gradients still to come
  bool needed = true;        // leads to an input asked for
  bool started = false;
  TensorList buffer;         // gradients of its outputs, summed in order of arrival
  std::vector<std::pair<uint32_t, size_t>> captures;  // (output, place in the result)
};

struct Ready {
  Node* node;
  uint64_t arrival;
};
struct Later {
  bool operator()(const Ready& a, const Ready& b) const {
    return a.node->sequence != b.node->sequence ? a.node->sequence < b.node->sequence : a.arrival > b.arrival;
  }
};

class Pass {
 public:
  Pass(const std::vector<Edge>& inputs, BackwardOptions options) : options_(options), result_(inputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i]) tasks_[inputs[i].node.get()].captures.push_back({inputs[i].index, i});
    selective_ = !inputs.empty();
  }

  TensorList run(const std::vector<Edge>& roots, const TensorList& grads) {
    GradMode mode(options_.create_graph);
    discover(roots);
    if (selective_) mark_needed(roots);
    for (size_t i = 0; i < roots.size(); ++i) deliver(roots[i], grads[i]);
    // Roots are ready once all their own dependents ran; those without any start now.
    for (const Edge& root : roots) enqueue_if_ready(root.node.get());
    while (!ready_.empty()) {
      Node* node = ready_.top().node;
      ready_.pop();
      if ((++evaluated_ & 63) == 0 && check_interrupt) check_interrupt();
      evaluate(node);
    }
    return std::move(result_);
  }

 private:
  // Counts how many gradients each reachable node will receive, and keeps every node alive until the end of the pass.
  void discover(const std::vector<Edge>& roots) {
    std::vector<Node*> stack;
    for (const Edge& root : roots)
      if (visit(root.node)) stack.push_back(root.node.get());
    while (!stack.empty()) {
      Node* node = stack.back();
      stack.pop_back();
      for (const Edge& edge : node->next) {
        if (!edge) continue;
        if (visit(edge.node)) stack.push_back(edge.node.get());
        ++tasks_[edge.node.get()].dependencies;
      }
    }
  }
  bool visit(const Ref<Node>& node) {
    auto& task = tasks_[node.get()];
    if (!task.buffer.empty()) return false;
    task.buffer.resize(std::max<size_t>(node->outputs.size(), 1));
    order_.push_back(node);
    return true;
  }

  // A node is needed when it, or something its gradients reach, is asked for. Post-order, iterative.
  void mark_needed(const std::vector<Edge>& roots) {
    for (auto& [node, task] : tasks_) task.needed = false;
    std::vector<std::pair<Node*, size_t>> stack;
    std::unordered_map<Node*, bool> seen;
    for (const Edge& root : roots) {
      if (seen.emplace(root.node.get(), true).second) stack.push_back({root.node.get(), 0});
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next < node->next.size()) {
          Node* child = node->next[next++].node.get();
          if (child && seen.emplace(child, true).second) stack.push_back({child, 0});
          continue;
        }
        Task& task = tasks_[node];
        task.needed = !task.captures.empty();
        for (const Edge& edge : node->next)
          if (edge && tasks_[edge.node.get()].needed) task.needed = true;
        stack.pop_back();
      }
    }
  }

  void deliver(const Edge& edge, const Tensor& grad) {
    Tensor& slot = tasks_[edge.node.get()].buffer[edge.index];
    if (!grad.defined()) return;
    slot = slot.defined() ? ops::add(slot, grad) : grad;
  }

  void enqueue_if_ready(Node* node) {
    Task& task = tasks_[node];
    if (task.dependencies != 0 || task.started || !task.needed) return;
    task.started = true;
    ready_.push({node, arrivals_++});
  }

  void evaluate(Node* node) {
    Task& task = tasks_[node];
    TensorList grads = std::move(task.buffer);
    task.buffer.assign(1, Tensor());
    run_tensor_hooks(*node, grads);
    for (auto& hook : node->node_pre_hooks) hook->call(grads);
    for (const auto& [index, place] : task.captures) result_[place] = grads[index];
    if (selective_ && !leads_further(*node)) return;
    TensorList out = call(node, std::move(grads));
    check(*node, out);
    if (!options_.keep_graph) node->release_variables();
    for (size_t i = 0; i < node->next.size(); ++i) {
      const Edge& edge = node->next[i];
      if (!edge) continue;
      Task& next = tasks_[edge.node.get()];
      if (next.needed) deliver(edge, std::exchange(out[i], Tensor()));
      --next.dependencies;
      enqueue_if_ready(edge.node.get());
    }
  }

  // Hooks may register or remove hooks: each loop runs over a copy.
  static void run_tensor_hooks(Node& node, TensorList& grads) {
    auto run = [&](uint32_t index, GradHook& hook) {
      if (!grads[index].defined()) return;
      TensorList one{grads[index]};
      hook.call(one);
      grads[index] = one[0];
    };
    if (node.is_accumulator()) {
      const auto hooks = autograd_meta(static_cast<AccumulateGrad&>(node).variable).hooks;
      for (const auto& hook : hooks) run(0, *hook);
    }
    const auto hooks = node.pre_hooks;
    for (const auto& [index, hook] : hooks) run(index, *hook);
    for (const auto& [index, impl] : node.retained) {
      if (!grads[index].defined()) continue;
      const Tensor owner(impl);
      owner.set_grad(owner.grad().defined() ? ops::add(owner.grad(), grads[index]) : ops::clone(grads[index]));
    }
  }

  bool leads_further(const Node& node) {
    for (const Edge& edge : node.next)
      if (edge && tasks_[edge.node.get()].needed) return true;
    return false;
  }

  TensorList call(Node* node, TensorList grads) {
    RunningNode running(node);
    try {
      if (node->post_hooks.empty()) return node->apply(std::move(grads));
      TensorList out = node->apply(grads);
      for (auto& hook : node->post_hooks) hook->call(out, grads);
      return out;
    } catch (...) {
      if (anomaly_enabled() && report_anomaly) report_anomaly(*node);
      throw;
    }
  }

  // Gradients take the shape and dtype of what they belong to; broadcasting is undone here if an operator did not.
  void check(Node& node, TensorList& out) {
    FLAMBEAU_CHECK(out.size() >= node.next.size(), "Function ", node.name(),
                   " returned an incorrect number of gradients (expected ", node.next.size(), ", got ", out.size(),
                   ")");
    for (size_t i = 0; i < node.next.size(); ++i) {
      const Edge& edge = node.next[i];
      if (!edge || !out[i].defined()) continue;
      const OutputMeta& meta = edge.node->outputs[edge.index];
      if (!(out[i].sizes() == meta.sizes)) {
        FLAMBEAU_CHECK(expandable(meta.sizes, out[i].sizes()), "Function ", node.name(),
                       " returned an invalid gradient at index ", i, " - got ", out[i].sizes(),
                       " but expected shape compatible with ", meta.sizes);
        out[i] = ops::sum_to(out[i], meta.sizes);
      }
      if (out[i].dtype() != meta.dtype) out[i] = ops::to_dtype(out[i], meta.dtype);
      if (anomaly_enabled() && has_nan(out[i])) {
        if (report_anomaly) report_anomaly(node);
        throw Error(str("Function '", node.name(), "' returned nan values in its ", i, "th output."));
      }
    }
  }
  static bool expandable(IntSpan from, IntSpan to) {
    if (from.size() > to.size()) return false;
    for (size_t i = 0; i < from.size(); ++i) {
      const int64_t have = from[from.size() - 1 - i];
      if (have != 1 && have != to[to.size() - 1 - i]) return false;
    }
    return true;
  }
  static bool has_nan(const Tensor& t) {
    GradMode off(false);
    const Tensor x = ops::raw_contiguous(ops::raw_cast(t, DType::Float64));
    const double* values = x.data<double>();
    return std::any_of(values, values + x.numel(), [](double v) { return v != v; });
  }

  BackwardOptions options_;
  TensorList result_;
  bool selective_ = false;
  std::unordered_map<Node*, Task> tasks_;  // looked up only; the order of running comes from the queue
  std::vector<Ref<Node>> order_;
  std::priority_queue<Ready, std::vector<Ready>, Later> ready_;
  uint64_t arrivals_ = 0, evaluated_ = 0;
};

}  // namespace

TensorList run_backward(const std::vector<Edge>& roots, const TensorList& grads, const std::vector<Edge>& inputs,
                        BackwardOptions options) {
  return Pass(inputs, options).run(roots, grads);
}

TensorList AccumulateGrad::apply(TensorList grads) {
  static std::mutex mutex;  // two threads may run backward into the same leaf
  Tensor grad = std::move(grads[0]);
  if (!grad.defined()) return {};
  {
    std::lock_guard lock(mutex);
    const Tensor before = variable.grad();
    if (!before.defined()) {
      // A fresh gradient nobody else holds is taken as it is; else it is copied into the leaf's own layout.
      const bool fresh = !grad_enabled() && grad.impl()->use_count() == 1 && grad.storage()->use_count() == 1 &&
                         grad.strides() == variable.strides();
      if (!fresh && grad_enabled()) {
        grad = ops::clone(grad);
      } else if (!fresh) {
        Tensor copy = is_dense(variable) ? empty_strided(variable.sizes(), variable.strides(), grad.dtype())
                                         : empty(grad.sizes(), grad.dtype());
        ops::raw_copy(copy, grad);
        grad = copy;
      } else if (grad.impl()->autograd_) {
        grad = alias(grad);
      }
      variable.set_grad(grad);
    } else if (grad_enabled()) {
      variable.set_grad(ops::add(before, grad));
    } else {
      Tensor sum;
      {
        Destination destination(before);
        sum = ops::add(before, grad);
      }
      if (!same_memory(before, sum)) ops::raw_copy(before, sum);
      before.bump_version();
    }
  }
  if (auto* meta = variable.impl()->autograd_.get()) {
    const auto hooks = meta->post_accumulate_hooks;
    for (const auto& hook : hooks) {
      TensorList one{variable};
      hook->call(one);
    }
  }
  return {};
}

}  // namespace flambeau
