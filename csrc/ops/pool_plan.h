// Windows of a pooling operator as tables, and the operators over given windows: shared by pool.cpp (windows of a
// given size) and pool_adaptive.cpp.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "kernels/pool.h"
#include "tensor/tensor.h"

namespace flambeau::ops {

struct PoolPlan {
  Dims lead, sizes_in, sizes_out;      // leading dimensions, and whole sizes
  int64_t planes = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, step[3] = {1, 1, 1};
  std::vector<int64_t> begin[3], end[3], count[3];
  bool once = true;
  PoolWindows windows() const;
};

// A plan of `spatial` dimensions whose missing ones have one window of one element.
std::shared_ptr<PoolPlan> make_pool_plan(const Tensor& self, int64_t spatial, const Dims& out);
// Fills dimension i (0 to 2) with the adaptive windows.
std::shared_ptr<PoolPlan> adaptive_plan(const Tensor& self, int64_t spatial, const Dims& out);

std::tuple<Tensor, Tensor> max_over(const Tensor& self, const std::shared_ptr<PoolPlan>& plan, std::string_view op,
                                    std::string_view node);
Tensor mean_over(const Tensor& self, const std::shared_ptr<PoolPlan>& plan, std::string_view op, std::string_view node,
                 std::string_view backward_node);

}  // namespace flambeau::ops
