#include "ops/pool_plan.h"

#include "ops/copy.h"
#include "ops/linear_map.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

DType computing(DType dtype) { return is_reduced_float(dtype) ? DType::Float32 : dtype; }

// f(first plane, count) over all planes; a plane costs `work` elements.
template <class F>
void over_planes(int64_t planes, int64_t work, F&& f) {
  parallel_for(0, planes, std::max<int64_t>(1, 32768 / std::max<int64_t>(work, 1)),
               [&](int64_t begin, int64_t end) { f(begin, end - begin); });
}

int64_t plane(const int64_t (&sizes)[3]) { return sizes[0] * sizes[1] * sizes[2]; }

// Between outputs and the places their maxima have: grad to grad_x, or x to y.
std::shared_ptr<const LinearMap> places_map(const std::shared_ptr<PoolPlan>& plan, const Tensor& where,
                                            std::string_view op, std::string_view node) {
  auto map = std::make_shared<LinearMap>();
  map->name = map->backward_name = node;
  map->forward = [plan, where, op](const Tensor& grad) {
    const Tensor g = raw_contiguous(raw_cast(grad, computing(grad.dtype()))), out = empty(plan->sizes_in, g.dtype());
    visit_real(op, g.dtype(), [&]<class T>(Type<T>) {
      const int64_t in = plane(plan->in), count = plane(plan->out);
      over_planes(plan->planes, in, [&](int64_t p, int64_t n) {
        kernels::pool().of<T>().scatter(n, in, count, g.data<T>() + p * count, where.data<int64_t>() + p * count,
                                        out.data<T>() + p * in);
      });
    });
    return raw_cast(out, grad.dtype());
  };
  map->adjoint = [plan, where, op](const Tensor& x) {
    const Tensor a = raw_contiguous(raw_cast(x, computing(x.dtype()))), out = empty(plan->sizes_out, a.dtype());
    visit_real(op, a.dtype(), [&]<class T>(Type<T>) {
      const int64_t in = plane(plan->in), count = plane(plan->out);
      over_planes(plan->planes, count, [&](int64_t p, int64_t n) {
        kernels::pool().of<T>().gather(n, in, count, a.data<T>() + p * in, where.data<int64_t>() + p * count,
                                       out.data<T>() + p * count);
      });
    });
    return raw_cast(out, x.dtype());
  };
  return map;
}

}  // namespace

PoolWindows PoolPlan::windows() const {
  PoolWindows w;
  for (int i = 0; i < 3; ++i) {
    w.in[i] = in[i], w.out[i] = out[i], w.step[i] = step[i];
    w.begin[i] = begin[i].data(), w.end[i] = end[i].data(), w.count[i] = count[i].data();
  }
  w.once = once;
  return w;
}

std::shared_ptr<PoolPlan> make_pool_plan(const Tensor& self, int64_t spatial, const Dims& out) {
  auto plan = std::make_shared<PoolPlan>();
  const int64_t lead = self.dim() - spatial, missing = 3 - spatial;
  plan->lead = Dims(IntSpan(self.sizes().data(), size_t(lead)));
  plan->planes = numel_of(plan->lead);
  plan->sizes_in = self.sizes();
  plan->sizes_out = plan->lead;
  for (int64_t i = 0; i < 3; ++i) {
    if (i < missing) {
      plan->begin[i] = {0}, plan->end[i] = {1}, plan->count[i] = {1};
      continue;
    }
    plan->in[i] = self.size(lead + i - missing);
    plan->out[i] = out[size_t(i - missing)];
    plan->sizes_out.push_back(plan->out[i]);
  }
  return plan;
}

std::shared_ptr<PoolPlan> adaptive_plan(const Tensor& self, int64_t spatial, const Dims& out) {
  auto plan = make_pool_plan(self, spatial, out);
  plan->once = false;
  for (int64_t i = 3 - spatial; i < 3; ++i)
    for (int64_t o = 0; o < plan->out[i]; ++o) {
      const int64_t begin = o * plan->in[i] / plan->out[i];
      const int64_t end = ((o + 1) * plan->in[i] + plan->out[i] - 1) / plan->out[i];
      plan->begin[i].push_back(begin);
      plan->end[i].push_back(end);
      plan->count[i].push_back(end - begin);
    }
  return plan;
}

std::tuple<Tensor, Tensor> max_over(const Tensor& self, const std::shared_ptr<PoolPlan>& plan, std::string_view op,
                                    std::string_view node) {
  const Tensor where = empty(plan->sizes_out, DType::Int64);
  const Tensor x = raw_contiguous(raw_cast(self, computing(self.dtype()))), out = empty(plan->sizes_out, x.dtype());
  visit_real(op, x.dtype(), [&]<class T>(Type<T>) {
    const PoolWindows windows = plan->windows();
    const int64_t in = plane(plan->in), count = plane(plan->out);
    if (count > 0)
      over_planes(plan->planes, in, [&](int64_t p, int64_t n) {
        kernels::pool().of<T>().max(windows, n, x.data<T>() + p * in, out.data<T>() + p * count,
                                    where.data<int64_t>() + p * count);
      });
  });
  const Tensor values = record(node, raw_cast(out, self.dtype()), {self}, [&] {
    return [map = places_map(plan, where, op, node)](const Tensor& grad, Needs) {
      return TensorList{apply_linear_map(map, grad)};
    };
  });
  return {values, where};
}

Tensor mean_over(const Tensor& self, const std::shared_ptr<PoolPlan>& plan, std::string_view op, std::string_view node,
                 std::string_view backward_node) {
  auto map = std::make_shared<LinearMap>();
  map->name = node;
  map->backward_name = backward_node;
  map->forward = [plan, op](const Tensor& in) {
    const Tensor x = raw_contiguous(raw_cast(in, computing(in.dtype()))), out = empty(plan->sizes_out, x.dtype());
    visit_real(op, x.dtype(), [&]<class T>(Type<T>) {
      const PoolWindows windows = plan->windows();
      over_planes(plan->planes, plane(plan->in), [&](int64_t p, int64_t n) {
        kernels::pool().of<T>().mean(windows, n, x.data<T>() + p * plane(plan->in),
                                     out.data<T>() + p * plane(plan->out));
      });
    });
    return raw_cast(out, in.dtype());
  };
  map->adjoint = [plan, op](const Tensor& grad) {
    const Tensor g = raw_contiguous(raw_cast(grad, computing(grad.dtype()))), out = empty(plan->sizes_in, g.dtype());
    visit_real(op, g.dtype(), [&]<class T>(Type<T>) {
      const PoolWindows windows = plan->windows();
      over_planes(plan->planes, plane(plan->in), [&](int64_t p, int64_t n) {
        kernels::pool().of<T>().mean_adjoint(windows, n, g.data<T>() + p * plane(plan->out),
                                             out.data<T>() + p * plane(plan->in));
      });
    });
    return raw_cast(out, grad.dtype());
  };
  return apply_linear_map(map, self);
}

}  // namespace flambeau::ops
