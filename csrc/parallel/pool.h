// Worker threads. Work is cut into logical chunks, as PyTorch's parallel_for cuts it; how many threads run the chunks
// changes the speed only. Small work stays on the calling thread.
#pragma once

#include <cstdint>
#include <type_traits>

namespace flambeau {

int num_threads();                 // real threads in use, set_num_threads
void set_num_threads(int count);   // also the profile's logical count, as torch.set_num_threads means both
bool in_parallel_region();

// Calls run(context, i) for i in [0, chunks), on the pool when chunks > 1. Exceptions are rethrown on the caller.
void run_chunks(int64_t chunks, void (*run)(void* context, int64_t chunk), void* context);

template <class F>
void for_each_chunk(int64_t chunks, F&& f) {
  using Fn = std::remove_reference_t<F>;
  run_chunks(chunks, [](void* context, int64_t i) { (*static_cast<Fn*>(context))(i); }, (void*)&f);
}

// Where the order inside a range does not reach the bits: cuts [begin, end) for the real threads.
// f(begin, end); one call when the range is at most `grain`.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  const int64_t count = end - begin;
  if (count <= 0) return;
  if (count <= grain || num_threads() == 1 || in_parallel_region()) return f(begin, end);
  const int64_t by_grain = (count + grain - 1) / grain;
  const int64_t tasks = by_grain < num_threads() ? by_grain : num_threads();
  const int64_t step = (count + tasks - 1) / tasks;
  for_each_chunk((count + step - 1) / step, [&](int64_t i) {
    const int64_t from = begin + i * step;
    f(from, from + step < end ? from + step : end);
  });
}

// Where the cut does reach the bits: PyTorch's own cut for `threads` logical threads (at::parallel_for):
// f(task, begin, end). threads comes from the profile. at::parallel_for: tasks = min(threads, ceil(n / grain)),
// each ceil(n / tasks) long; one task when n <= grain (or threads == 1).
struct LogicalCut {
  int64_t tasks, step;
};
inline LogicalCut logical_cut(int64_t count, int64_t grain, int threads) {
  if (count <= 0) return {0, 1};
  if (threads <= 1 || count <= grain) return {1, count};
  int64_t tasks = grain > 0 ? (count + grain - 1) / grain : threads;
  if (tasks > threads) tasks = threads;
  const int64_t step = (count + tasks - 1) / tasks;
  return {(count + step - 1) / step, step};
}
template <class F>
void logical_for(int64_t count, int64_t grain, int threads, F&& f) {
  const LogicalCut cut = logical_cut(count, grain, threads);
  for_each_chunk(cut.tasks, [&](int64_t i) {
    const int64_t from = i * cut.step;
    f(i, from, from + cut.step < count ? from + cut.step : count);
  });
}

}  // namespace flambeau
