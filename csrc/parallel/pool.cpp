#include "parallel/pool.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "numerics/profile.h"

namespace flambeau {
namespace {

thread_local bool inside = false;

// One job at a time; a second caller runs its own work itself.
class Pool {
 public:
  void run(int64_t chunks, void (*task)(void*, int64_t), void* context, int threads) {
    std::unique_lock<std::mutex> busy(busy_, std::try_to_lock);
    if (!busy.owns_lock()) return run_alone(chunks, task, context);
    grow(threads - 1);
    {
      std::lock_guard lock(mutex_);
      task_ = task;
      context_ = context;
      chunks_ = chunks;
      next_.store(0, std::memory_order_relaxed);
      error_ = nullptr;
      wanted_ = std::min<int64_t>(threads - 1, chunks - 1);
      running_ = wanted_;
      ++generation_;
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  static void run_alone(int64_t chunks, void (*task)(void*, int64_t), void* context) {
    for (int64_t i = 0; i < chunks; ++i) task(context, i);
  }

 private:
  void grow(int count) {
    std::lock_guard lock(mutex_);
    while (int(threads_) < count) {
      // It has not seen the coming job, whose generation is the next one.
      std::thread([this, id = threads_, seen = generation_] { loop(id, seen); }).detach();
      ++threads_;
    }
  }

  void loop(int id, uint64_t seen) {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (id >= wanted_) continue;
      lock.unlock();
      work();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  void work() {
    const bool before = std::exchange(inside, true);
    for (;;) {
      const int64_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= chunks_) break;
      try {
        task_(context_, i);
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_.store(chunks_, std::memory_order_relaxed);
      }
    }
    inside = before;
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_, done_;
  void (*task_)(void*, int64_t) = nullptr;
  void* context_ = nullptr;
  int64_t chunks_ = 0, wanted_ = 0, running_ = 0;
  std::atomic<int64_t> next_{0};
  uint64_t generation_ = 0;
  int threads_ = 0;
  std::exception_ptr error_;
};

// Replaced in a forked child, where the parent's threads do not exist. The old one is left behind: its locks may be
// held.
std::atomic<Pool*> pool_{nullptr};
int threads_ = 0;

Pool& pool() {
  Pool* p = pool_.load(std::memory_order_acquire);
  if (!p) {
    auto* made = new Pool;
    if (pool_.compare_exchange_strong(p, made)) {
      static const int registered = pthread_atfork(nullptr, nullptr, [] { pool_.store(nullptr); });
      (void)registered;
      return *made;
    }
    delete made;
  }
  return *p;
}

}  // namespace

int num_threads() {
  if (!threads_) threads_ = profile().threads;
  return threads_;
}

void set_num_threads(int count) {
  threads_ = count;
  Profile p = profile();
  if (!p.invariant) p.threads = count;
  set_profile(p);
}

bool in_parallel_region() { return inside; }

void run_chunks(int64_t chunks, void (*run)(void*, int64_t), void* context) {
  if (chunks <= 0) return;
  const int real = num_threads();
  if (chunks == 1 || real == 1 || inside) return Pool::run_alone(chunks, run, context);
  pool().run(chunks, run, context, real);
}

}  // namespace flambeau
