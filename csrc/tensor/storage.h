// Memory under tensors: aligned as PyTorch aligns it (64 bytes), from a cache of freed blocks, or foreign memory
// kept alive by a deleter (NumPy, DLPack, mmap). The version counts in-place changes for autograd's checks.
#pragma once

#include <atomic>
#include <functional>

#include "tensor/intrusive.h"

namespace flambeau {

class Storage final : public RefCounted {
 public:
  explicit Storage(size_t nbytes);  // uninitialised
  Storage(void* data, size_t nbytes, std::function<void()> deleter, bool writable = true);
  ~Storage() override;

  char* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  bool owned() const { return !deleter_; }
  // Keeps the contents; error for foreign memory and while others look at it. Shrinking keeps the memory, too: tensors
  // that still look at its end must not read what was freed.
  void resize(size_t nbytes);
  // Whoever holds the address across calls (a memoryview, NumPy) keeps the memory where it is.
  void pin() { pins_.fetch_add(1, std::memory_order_relaxed); }
  void unpin() { pins_.fetch_sub(1, std::memory_order_relaxed); }
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  void set_version(uint32_t version) { version_.store(version, std::memory_order_relaxed); }

 private:
  char* data_ = nullptr;
  size_t nbytes_ = 0, capacity_ = 0;
  std::function<void()> deleter_;
  std::atomic<uint32_t> version_{0};
  std::atomic<uint32_t> pins_{0};
};

// The cache of freed blocks: sizes rounded to a power-of-two fraction, bounded in total.
void* allocate(size_t nbytes);
void deallocate(void* memory, size_t nbytes);
void empty_cache();

}  // namespace flambeau
