// Sizes and strides: a small vector of int64 that lives inline up to five entries, and a view of such numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "tensor/error.h"

namespace flambeau {

inline constexpr int64_t kMaxDim = 64;

struct IntSpan : std::span<const int64_t> {
  using Base = std::span<const int64_t>;
  using Base::Base;
  IntSpan() = default;
  IntSpan(Base base) : Base(base) {}
  IntSpan(std::initializer_list<int64_t> list) : Base(list.begin(), list.size()) {}
  friend bool operator==(IntSpan a, IntSpan b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
};

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> list) { assign(IntSpan(list)); }
  Dims(IntSpan values) { assign(values); }
  Dims(std::span<const int64_t> values) { assign(IntSpan(values)); }
  Dims(size_t count, int64_t value) {
    resize(count);
    std::fill(begin(), end(), value);
  }
  Dims(const Dims& other) { assign(other); }
  Dims(Dims&& other) noexcept { steal(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~Dims() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return data_; }
  const int64_t* data() const { return data_; }
  int64_t* begin() { return data_; }
  int64_t* end() { return data_ + size_; }
  const int64_t* begin() const { return data_; }
  const int64_t* end() const { return data_ + size_; }
  int64_t& operator[](size_t i) { return data_[i]; }
  int64_t operator[](size_t i) const { return data_[i]; }
  int64_t& back() { return data_[size_ - 1]; }
  int64_t back() const { return data_[size_ - 1]; }
  operator IntSpan() const { return IntSpan(data_, size_); }

  void resize(size_t count) {
    reserve(count);
    for (size_t i = size_; i < count; ++i) data_[i] = 0;
    size_ = uint32_t(count);
  }
  void push_back(int64_t value) {
    reserve(size_ + 1);
    data_[size_++] = value;
  }
  void insert(size_t at, int64_t value) {
    reserve(size_ + 1);
    std::copy_backward(data_ + at, data_ + size_, data_ + size_ + 1);
    data_[at] = value;
    ++size_;
  }
  void erase(size_t at) {
    std::copy(data_ + at + 1, data_ + size_, data_ + at);
    --size_;
  }
  void clear() { size_ = 0; }
  friend bool operator==(const Dims& a, const Dims& b) { return IntSpan(a) == IntSpan(b); }

 private:
  static constexpr uint32_t kInline = 5;
  void assign(IntSpan values) {
    size_ = 0;
    reserve(values.size());
    std::copy(values.begin(), values.end(), data_);
    size_ = uint32_t(values.size());
  }
  void reserve(size_t count) {
    if (count <= capacity_) return;
    const uint32_t wanted = uint32_t(std::max<size_t>(count, 2 * capacity_));
    auto* grown = new int64_t[wanted];
    std::copy(data_, data_ + size_, grown);
    const uint32_t kept = size_;
    release();
    data_ = grown;
    capacity_ = wanted;
    size_ = kept;
  }
  void steal(Dims& other) {
    if (other.data_ == other.inline_) {
      data_ = inline_;
      std::copy(other.inline_, other.inline_ + other.size_, inline_);
      capacity_ = kInline;
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_;
      other.capacity_ = kInline;
    }
    size_ = other.size_;
    other.size_ = 0;
  }
  void release() {
    if (data_ != inline_) delete[] data_;
    data_ = inline_;
    capacity_ = kInline;
    size_ = 0;
  }

  int64_t* data_ = inline_;
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  int64_t inline_[kInline];
};

inline void append(std::string& out, const Dims& dims) {
  append(out, std::span<const int64_t>(dims.data(), dims.size()));
}
inline void append(std::string& out, IntSpan dims) { append(out, std::span<const int64_t>(dims)); }

// A dimension in [-ndim, ndim) as one in [0, ndim); a scalar counts as having one dimension when wrap_scalar.
int64_t wrap_dim(int64_t dim, int64_t ndim, bool wrap_scalar = true);
// Sorted-free list of wrapped dims; PyTorch's error when one appears twice.
Dims wrap_dims(IntSpan dims, int64_t ndim);
// Product with an overflow check; PyTorch's message when it does not fit.
int64_t numel_of(IntSpan sizes);
Dims contiguous_strides(IntSpan sizes);
// NumPy's broadcasting of two shapes, with PyTorch's message on mismatch.
Dims broadcast_shapes(IntSpan a, IntSpan b);

}  // namespace flambeau
