// Memory for the length of a block, from the cache that tensors use.
#pragma once

#include "tensor/storage.h"

namespace flambeau::ops {

template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count) : bytes_(size_t(count) * sizeof(T)), memory_(static_cast<T*>(allocate(bytes_))) {}
  ~Scratch() { deallocate(memory_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() { return memory_; }

 private:
  size_t bytes_;
  T* memory_;
};

}  // namespace flambeau::ops
