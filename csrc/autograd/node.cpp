#include "autograd/node.h"

#include <algorithm>
#include <mutex>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/views.h"

namespace flambeau {
namespace {

thread_local bool grad_mode = true;
thread_local bool inference = false;
thread_local Node* running = nullptr;
bool anomaly = false;
thread_local uint64_t next_sequence = 0;
std::mutex accumulator_mutex;  // guards AutogradMeta::accumulator, a weak pointer

// CopySlices: the history of a base after one of its views was changed in place.
Ref<Node> copy_slices(const Tensor& base, const Tensor& view, const Tensor& result) {
  auto backward = [sizes = view.sizes(), strides = view.strides(), offset = view.storage_offset(),
                   base_sizes = base.sizes(), base_strides = base.strides(),
                   base_offset = base.storage_offset()](const Tensor& grad, Needs need) {
    // The gradient laid out as the base is, so that the view's window can be cut from it.
    Tensor laid_out = empty_strided(base_sizes, base_strides, grad.dtype());
    laid_out = ops::copy_(laid_out, grad);
    const Tensor window = ops::as_strided(laid_out, sizes, strides, offset - base_offset);
    TensorList out(2);
    if (need[1]) out[1] = ops::clone(window);
    if (need[0]) {
      ops::fill_(window, 0.0);
      out[0] = laid_out;
    }
    return out;
  };
  auto node = make_ref<LambdaNode<decltype(backward)>>("CopySlices", backward);
  node->next = {gradient_edge(base), gradient_edge(result)};
  node->outputs.push_back({base.sizes(), base.dtype()});
  return node;
}

// A view whose base was changed in place since: its history starts anew from the base.
void refresh_view(const Tensor& view, AutogradMeta& meta) {
  const Tensor base(view.impl()->base_);
  const auto* base_meta = base.impl()->autograd_.get();
  const uint64_t epoch = base_meta ? base_meta->base_epoch : 0;
  if (meta.base_epoch == epoch) return;
  meta.base_epoch = epoch;
  GradMode enable(true);
  const Tensor again = ops::as_strided(base, view.sizes(), view.strides(), view.storage_offset());
  meta.grad_fn = grad_fn(again);
  meta.output_index = 0;
}

}  // namespace

Node::Node(std::string_view name) : sequence(next_sequence++), name_(name) {}
Node::~Node() = default;

void Node::dispose() {
  // Destroying a node releases its edges, whose nodes land in the queue: the depth stays constant.
  static thread_local std::vector<Node*>* queue = nullptr;
  if (queue) {
    queue->push_back(this);
    return;
  }
  std::vector<Node*> pending{this};
  queue = &pending;
  while (!pending.empty()) {
    Node* node = pending.back();
    pending.pop_back();
    delete node;
  }
  queue = nullptr;
}

bool Needs::operator[](size_t input) const { return input < node_.next.size() && bool(node_.next[input]); }

AccumulateGrad::AccumulateGrad(TensorImpl* leaf) : Node("AccumulateGrad"), variable(leaf) {
  sequence = UINT64_MAX;  // runs as soon as it is ready
  outputs.push_back({variable.sizes(), variable.dtype()});
}

AccumulateGrad::~AccumulateGrad() {
  std::lock_guard lock(accumulator_mutex);
  auto* meta = variable.impl()->autograd_.get();
  if (meta && meta->accumulator == this) meta->accumulator = nullptr;
}

AutogradMeta& autograd_meta(const Tensor& t) {
  auto& meta = t.impl()->autograd_;
  if (!meta) meta = std::make_unique<AutogradMeta>();
  return *meta;
}

Ref<Node> grad_fn(const Tensor& t) {
  TensorImpl* impl = t.impl();
  if (impl->base_) {
    const auto* base_meta = impl->base_->autograd_.get();
    const uint64_t epoch = base_meta ? base_meta->base_epoch : 0;
    if (epoch != (impl->autograd_ ? impl->autograd_->base_epoch : 0)) refresh_view(t, autograd_meta(t));
  }
  return impl->autograd_ ? impl->autograd_->grad_fn : Ref<Node>();
}

Edge gradient_edge(const Tensor& t) {
  if (!t.defined()) return {};
  if (Ref<Node> node = grad_fn(t)) return {std::move(node), t.impl()->autograd_->output_index};
  auto* meta = t.impl()->autograd_.get();
  if (!meta || !meta->requires_grad) return {};
  std::lock_guard lock(accumulator_mutex);
  if (meta->accumulator && meta->accumulator->try_retain()) return {Ref<Node>(meta->accumulator, Adopt{}), 0};
  Ref<Node> made(new AccumulateGrad(t.impl()));
  meta->accumulator = made.get();
  return {std::move(made), 0};
}

void set_history(const Tensor& out, const Ref<Node>& node) {
  auto& meta = autograd_meta(out);
  meta.grad_fn = node;
  meta.output_index = uint32_t(node->outputs.size());
  if (const TensorImpl* base = out.impl()->base_) meta.base_epoch = base->autograd_ ? base->autograd_->base_epoch : 0;
  node->outputs.push_back({out.sizes(), out.dtype()});
}

void connect(Node& node, std::span<const Tensor* const> inputs) {
  node.next.reserve(inputs.size());
  for (const Tensor* t : inputs) node.next.push_back(gradient_edge(*t));
}

bool Tensor::requires_grad() const {
  if (!impl_->autograd_ && !impl_->base_) return false;
  if (impl_->autograd_ && impl_->autograd_->requires_grad) return true;
  return bool(grad_fn(*this));
}

bool Tensor::is_leaf() const { return !grad_fn(*this); }

const Tensor& Tensor::set_requires_grad(bool value) const {
  FLAMBEAU_CHECK(!value || is_floating() || is_complex(dtype()),
                 "only Tensors of floating point and complex dtype can require gradients");
  FLAMBEAU_CHECK(
      value || is_leaf(),
      "you can only change requires_grad flags of leaf variables. If you want to use a "
      "computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  if (!value && !impl_->autograd_) return *this;
  if (is_leaf()) autograd_meta(*this).requires_grad = value;
  return *this;
}

Tensor Tensor::grad() const { return impl_->autograd_ ? impl_->autograd_->grad : Tensor(); }
void Tensor::set_grad(Tensor grad) const {
  if (!grad.defined() && !impl_->autograd_) return;
  autograd_meta(*this).grad = std::move(grad);
}

void check_inplace(const Tensor& self) {
  FLAMBEAU_CHECK(
      !self.impl()->inference_ || inference,
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
      "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
  if (!grad_mode) return;
  if (const TensorImpl* base = self.impl()->base_) {
    const auto* meta = base->autograd_.get();
    FLAMBEAU_CHECK(!(meta && meta->requires_grad && !meta->grad_fn),
                   "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  const auto* meta = self.impl()->autograd_.get();
  FLAMBEAU_CHECK(!(meta && meta->requires_grad && !meta->grad_fn),
                 "a leaf Variable that requires grad is being used in an in-place operation.");
}

Tensor assign_inplace(const Tensor& self, const Tensor& given) {
  check_inplace(self);
  FLAMBEAU_CHECK(can_cast(given.dtype(), self.dtype()), "result type ", given.dtype(),
                 " can't be cast to the desired output type ", self.dtype());
  FLAMBEAU_CHECK(given.sizes() == self.sizes(), "output with shape ", self.sizes(),
                 " doesn't match the broadcast shape ", given.sizes());
  check_no_internal_overlap(self);
  const Tensor result = ops::to_dtype(given, self.dtype());
  const bool tracked = grad_mode && result.requires_grad();
  // The history is made before the data changes: the base's old edge must be the one before this operation.
  if (tracked && self.impl()->base_) {
    const Tensor base(self.impl()->base_);
    Ref<Node> node = copy_slices(base, self, result);
    auto& meta = autograd_meta(base);
    meta.requires_grad = false;
    meta.grad_fn = std::move(node);
    meta.output_index = 0;
    ++meta.base_epoch;
  } else if (tracked) {
    Ref<Node> node = grad_fn(result);
    auto& meta = autograd_meta(self);
    meta.grad_fn = std::move(node);
    meta.output_index = result.impl()->autograd_->output_index;
    ++meta.base_epoch;  // views of self see the change
  }
  if (!same_memory(self, result)) ops::raw_copy(self, result);
  self.bump_version();
  return self;
}

Tensor stand_in(const Tensor& self) {
  Tensor out = alias(self);
  if (Edge edge = gradient_edge(self); edge.node) {
    auto& meta = autograd_meta(out);
    meta.grad_fn = std::move(edge.node);
    meta.output_index = edge.index;
  }
  return out;
}

void keep_value(const Tensor& stand_in) {
  TensorImpl* impl = stand_in.impl();
  // The caller's handle and the Python object are one count each.
  if (impl->use_count() <= (impl->object_ ? 2u : 1u)) return;
  const uint32_t version = stand_in.version();
  const Tensor copy = ops::raw_clone(stand_in);
  impl->storage_ = copy.storage();
  impl->storage_->set_version(version);
  impl->set_geometry(Dims(impl->sizes_), copy.strides(), copy.storage_offset());
}

bool grad_enabled() { return grad_mode; }
void set_grad_enabled(bool enabled) { grad_mode = enabled; }
bool inference_mode_enabled() { return inference; }
void set_inference_mode(bool enabled) { inference = enabled; }
bool anomaly_enabled() { return anomaly; }
void set_anomaly(bool enabled) { anomaly = enabled; }
Node* current_node() { return running; }
RunningNode::RunningNode(Node* node) : before(std::exchange(running, node)) {}
RunningNode::~RunningNode() { running = before; }

SavedHooks saved_hooks;
thread_local int saved_hooks_depth = 0;

Saved::Saved(const Tensor& t, bool is_output, uint32_t index) : output_index_(index), is_output_(is_output) {
  if (!t.defined()) return;
  FLAMBEAU_CHECK(!t.impl()->inference_,
                 "Inference tensors cannot be saved for backward. Please do not use Tensors "
                 "created in inference mode in computation tracked by autograd. To work around this, "
                 "you can make a clone to get a normal tensor and use it in autograd, or use "
                 "`torch.no_grad()` instead of `torch.inference_mode()`.");
  version_ = t.version();
  if (saved_hooks_depth && saved_hooks.pack) packed_ = saved_hooks.pack(is_output ? alias(t) : t);
  if (!packed_) data_ = is_output ? alias(t) : t;
}

Tensor Saved::get(Node* owner) const {
  if (packed_) return saved_hooks.unpack(*packed_);
  if (!data_.defined()) return {};
  if (!owner) owner = running;
  if (data_.version() != version_) {
    const Ref<Node> source = is_output_ ? Ref<Node>(owner) : grad_fn(data_);
    const uint32_t index = is_output_                ? output_index_
                           : data_.impl()->autograd_ ? data_.impl()->autograd_->output_index
                                                     : 0;
    throw Error(
        str("one of the variables needed for gradient computation has been modified by an inplace operation: [torch.",
            legacy_name(data_.dtype()), "Tensor ", data_.sizes(), "]",
            source ? str(", which is output ", int64_t(index), " of ", source->name(), ",") : std::string(","),
            " is at version ", int64_t(data_.version()), "; expected version ", int64_t(version_), " instead. Hint: ",
            anomaly ? "the backtrace further above shows the operation that failed to compute its gradient. The "
                      "variable in question was changed in there or anywhere later. Good luck!"
                    : "enable anomaly detection to find the operation that failed to compute its gradient, with "
                      "torch.autograd.set_detect_anomaly(True)."));
  }
  if (!is_output_ || !owner || !grad_mode) return data_;
  Tensor out = alias(data_);
  auto& meta = autograd_meta(out);
  meta.grad_fn = Ref<Node>(owner);
  meta.output_index = output_index_;
  return out;
}

}  // namespace flambeau
