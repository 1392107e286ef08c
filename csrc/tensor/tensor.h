// Tensor: a counted reference to a TensorImpl, which is a strided window onto a Storage, with autograd's metadata.
// Follows c10/core/TensorImpl.h in meaning. Offsets and strides are in elements.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tensor/dims.h"
#include "tensor/dtype.h"
#include "tensor/intrusive.h"
#include "tensor/scalar.h"
#include "tensor/storage.h"

namespace flambeau {

class Tensor;
class TensorImpl;
struct AutogradMeta;  // autograd/node.h
using TensorList = std::vector<Tensor>;
using OptTensor = std::optional<Tensor>;

// What the bindings add: keeps a tensor's Python object alive while C++ holds the tensor, too.
struct PythonHooks {
  void (*retain)(void* object) = nullptr;
  void (*release)(void* object) = nullptr;
};
extern PythonHooks python_hooks;

class TensorImpl {
 public:
  TensorImpl(Ref<Storage> storage, DType dtype, IntSpan sizes, IntSpan strides, int64_t offset);
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;

  // One count belongs to the Python object if there is one. While C++ holds more, it holds the object in turn:
  // so the same object comes back, with its attributes, and dies with the tensor.
  void retain() {
    if (refs_.fetch_add(1, std::memory_order_relaxed) == 1 && object_) python_hooks.retain(object_);
  }
  void release() {
    const uint32_t before = refs_.fetch_sub(1, std::memory_order_acq_rel);
    if (before == 1) delete this;
    else if (before == 2 && object_) python_hooks.release(object_);
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_relaxed); }

  void set_geometry(IntSpan sizes, IntSpan strides, int64_t offset);

  Ref<Storage> storage_;
  Dims sizes_, strides_;
  int64_t offset_ = 0;
  int64_t numel_ = 0;
  DType dtype_;
  bool contiguous_ = true;
  bool untracked_ = false;        // made by .data: its in-place changes are not counted
  bool inference_ = false;        // made in inference mode
  std::unique_ptr<AutogradMeta> autograd_;
  TensorImpl* base_ = nullptr;    // owned; the tensor this is a differentiable view of
  void* object_ = nullptr;        // the Python object, not owned (see retain)

 private:
  std::atomic<uint32_t> refs_{0};
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorImpl* impl) : impl_(impl) {
    if (impl_) impl_->retain();
  }
  Tensor(const Tensor& other) : Tensor(other.impl_) {}
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    Tensor copy(other);
    std::swap(impl_, copy.impl_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      reset();
      impl_ = std::exchange(other.impl_, nullptr);
    }
    return *this;
  }
  ~Tensor() { reset(); }
  void reset() {
    if (impl_) std::exchange(impl_, nullptr)->release();
  }

  TensorImpl* detach() { return std::exchange(impl_, nullptr); }  // gives the count away

  bool defined() const { return impl_ != nullptr; }
  explicit operator bool() const { return defined(); }
  TensorImpl* impl() const { return impl_; }
  bool is(const Tensor& other) const { return impl_ == other.impl_; }

  int64_t dim() const { return int64_t(impl_->sizes_.size()); }
  const Dims& sizes() const { return impl_->sizes_; }
  const Dims& strides() const { return impl_->strides_; }
  int64_t size(int64_t d) const { return impl_->sizes_[wrap_dim(d, dim(), false)]; }
  int64_t stride(int64_t d) const { return impl_->strides_[wrap_dim(d, dim(), false)]; }
  int64_t storage_offset() const { return impl_->offset_; }
  int64_t numel() const { return impl_->numel_; }
  DType dtype() const { return impl_->dtype_; }
  size_t itemsize() const { return flambeau::itemsize(impl_->dtype_); }
  bool is_contiguous() const { return impl_->contiguous_; }
  bool is_floating() const { return flambeau::is_floating(impl_->dtype_); }
  const Ref<Storage>& storage() const { return impl_->storage_; }

  void* raw() const { return impl_->storage_->data() + impl_->offset_ * int64_t(itemsize()); }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw());
  }

  // Autograd (autograd/node.cpp).
  bool requires_grad() const;
  bool is_leaf() const;
  const Tensor& set_requires_grad(bool value) const;
  Tensor grad() const;
  void set_grad(Tensor grad) const;
  uint32_t version() const { return impl_->storage_->version(); }
  void bump_version() const {
    if (!impl_->untracked_) impl_->storage_->bump_version();
  }

 private:
  TensorImpl* impl_ = nullptr;
};

inline Tensor deref(const OptTensor& t) { return t ? *t : Tensor(); }

// Making tensors: uninitialised, without history. Negative or overflowing sizes are errors in PyTorch's words.
Tensor empty(IntSpan sizes, DType dtype);
Tensor empty_strided(IntSpan sizes, IntSpan strides, DType dtype);
Tensor empty_like(const Tensor& like, DType dtype);  // dense, strides in the order of `like` (preserve_format)
Tensor from_storage(Ref<Storage> storage, DType dtype, IntSpan sizes, IntSpan strides,
                    int64_t offset);  // bounds checked
Tensor scalar_tensor(Scalar value, DType dtype);     // 0-dim
// The same memory and geometry without history; shares the version.
Tensor alias(const Tensor& t);
// Is every element of the storage window met exactly once (some permutation of contiguous)?
bool is_dense(const Tensor& t);
// PyTorch's refusals of outputs that overlap themselves or, partly, an input.
void check_no_internal_overlap(const Tensor& t);
void check_no_partial_overlap(const Tensor& out, const Tensor& in);
bool same_memory(const Tensor& a, const Tensor& b);  // same storage, offset, sizes, strides
bool may_overlap(const Tensor& a, const Tensor& b);  // share any byte range

}  // namespace flambeau
