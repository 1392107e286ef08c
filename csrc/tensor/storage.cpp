#include "tensor/storage.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tensor/error.h"

namespace flambeau {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kCacheLimit = size_t(256) << 20;  // bytes kept for reuse, over all sizes
constexpr int kClasses = 160;

// Sizes are rounded up to a multiple of an eighth of their power of two, so that at most 1/8 is wasted.
size_t rounded(size_t nbytes) {
  if (nbytes <= kAlignment) return kAlignment;
  const size_t step = std::max<size_t>(kAlignment, std::bit_floor(nbytes - 1) / 8);
  return (nbytes + step - 1) / step * step;
}

int size_class(size_t size) {
  const int log = std::bit_width(size) - 1;
  return log < 6 ? 0 : (log - 6) * 8 + int((size >> (log - 3)) & 7);
}

struct Cache {
  std::mutex mutex;
  std::vector<void*> blocks[kClasses];
  size_t held = 0;
};
// Never destroyed: tensors may outlive static destruction.
Cache& cache() {
  static Cache* instance = new Cache;
  return *instance;
}

}  // namespace

void* allocate(size_t nbytes) {
  const size_t size = rounded(nbytes);
  FLAMBEAU_CHECK_AS(OutOfMemoryError, size >= nbytes && nbytes < (size_t(1) << 62),
                    "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", nbytes, " bytes.");
  const int index = size_class(size);
  if (index < kClasses) {
    auto& c = cache();
    std::lock_guard lock(c.mutex);
    if (!c.blocks[index].empty()) {
      void* block = c.blocks[index].back();
      c.blocks[index].pop_back();
      c.held -= size;
      return block;
    }
  }
  void* block = std::aligned_alloc(kAlignment, size);
  if (!block) {
    empty_cache();
    block = std::aligned_alloc(kAlignment, size);
  }
  FLAMBEAU_CHECK_AS(OutOfMemoryError, block, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ",
                    nbytes, " bytes.");
  return block;
}

void deallocate(void* memory, size_t nbytes) {
  const size_t size = rounded(nbytes);
  const int index = size_class(size);
  auto& c = cache();
  if (index < kClasses) {
    std::lock_guard lock(c.mutex);
    if (c.held + size <= kCacheLimit) {
      c.blocks[index].push_back(memory);
      c.held += size;
      return;
    }
  }
  std::free(memory);
}

void empty_cache() {
  auto& c = cache();
  std::lock_guard lock(c.mutex);
  for (auto& blocks : c.blocks) {
    for (void* block : blocks) std::free(block);
    blocks.clear();
  }
  c.held = 0;
}

Storage::Storage(size_t nbytes) : data_(static_cast<char*>(allocate(nbytes))), nbytes_(nbytes), capacity_(nbytes) {}

Storage::Storage(void* data, size_t nbytes, std::function<void()> deleter, bool)
    : data_(static_cast<char*>(data)), nbytes_(nbytes), deleter_(std::move(deleter)) {}

Storage::~Storage() {
  if (deleter_) deleter_();
  else deallocate(data_, capacity_);
}

void Storage::resize(size_t nbytes) {
  FLAMBEAU_CHECK(owned() && pins_.load(std::memory_order_relaxed) == 0,
                 "Trying to resize storage that is not resizable");
  if (nbytes > capacity_) {
    auto* grown = static_cast<char*>(allocate(nbytes));
    std::memcpy(grown, data_, nbytes_);
    deallocate(data_, capacity_);
    data_ = grown;
    capacity_ = nbytes;
  }
  nbytes_ = nbytes;
}

}  // namespace flambeau
