// Largest and smallest elements (ops/reduce.h). Follows aten/src/ATen/native/{ReduceOps,TensorCompare}.cpp.
#include "kernels/rows.h"
#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce_common.h"
#include "ops/views.h"

#include <limits>

namespace flambeau::ops {
namespace {

enum class Which { Largest, Smallest };

Tensor raw_extreme(Which which, const Tensor& self, const ReducedDims& dims, bool keepdim) {
  const Tensor x = raw_cast(self, compute_dtype(self.dtype()));
  const bool largest = which == Which::Largest;
  Scalar identity = largest ? -HUGE_VAL : HUGE_VAL;
  if (x.dtype() == DType::Int64)
    identity = largest ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  const auto& loops = largest ? kernels::reduce().max : kernels::reduce().min;
  return raw_cast(reduce_with(loops, x, dims, keepdim, identity), self.dtype());
}

// In equal parts to all elements equal to the result.
Tensor scale_grad_by_count(const Tensor& grad, const Tensor& mask, const ReducedDims& dims, int64_t ndim) {
  Dims reduced;
  for (int64_t d = 0; d < ndim; ++d)
    if (dims.marked(d)) reduced.push_back(d);
  return div(mul(grad, mask), sum(mask, reduced, true));
}

Tensor extreme_over(std::string_view name, std::string_view node, Which which, const Tensor& self, const Dims& dim,
                    bool keepdim) {
  check_nonempty_dims(name, self, dim);
  const ReducedDims dims(self, dim);
  Tensor out = raw_extreme(which, self, dims, keepdim);
  return record(node, out, {self}, [&] {
    return [dims, keepdim, self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      const Tensor x = self.get();
      const Tensor mask = eq(unreduce(result.get(), dims, x.dim(), keepdim), x);
      return TensorList{scale_grad_by_count(unreduce(grad, dims, x.dim(), keepdim), mask, dims, x.dim())};
    };
  });
}

}  // namespace

Tensor amax(const Tensor& self, const Dims& dim, bool keepdim) {
  return extreme_over("amax()", "AmaxBackward0", Which::Largest, self, dim, keepdim);
}

Tensor amin(const Tensor& self, const Dims& dim, bool keepdim) {
  return extreme_over("amin()", "AminBackward0", Which::Smallest, self, dim, keepdim);
}

TwoTensors aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  if (dim) check_nonempty_dim("aminmax", self, *dim);
  else
    FLAMBEAU_CHECK(self.numel() > 0,
                   "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
  const ReducedDims dims = dim ? ReducedDims(self, {*dim}) : ReducedDims(self, {});
  Tensor outs[] = {raw_extreme(Which::Smallest, self, dims, keepdim), raw_extreme(Which::Largest, self, dims, keepdim)};
  if (needs_grad(self)) {
    record_all("AminmaxBackward0", outs, Inputs{self},
               [dims, keepdim, self = Saved(self), low = Saved::output(outs[0], 0), high = Saved::output(outs[1], 1)](
                   const TensorList& grads, Needs) {
                 const Tensor x = self.get();
                 const Saved* results[] = {&low, &high};
                 Tensor grad_x;
                 for (int i = 0; i < 2; ++i) {
                   if (!grads[size_t(i)].defined()) continue;
                   const Tensor mask = eq(unreduce(results[i]->get(), dims, x.dim(), keepdim), x);
                   const Tensor part =
                       scale_grad_by_count(unreduce(grads[size_t(i)], dims, x.dim(), keepdim), mask, dims, x.dim());
                   grad_x = grad_x.defined() ? add(grad_x, part) : part;
                 }
                 return TensorList{grad_x};
               });
  }
  return {outs[0], outs[1]};
}

namespace {

Tensor extreme_of_all(std::string_view name, std::string_view node, Which which, const Tensor& self) {
  check_nonempty_dims(name, self, {});
  Tensor out = raw_extreme(which, self, ReducedDims(self, {}), false);
  return record(node, out, {self}, [&] {
    return [self = Saved(self), result = Saved::output(out)](const Tensor& grad, Needs) {
      return TensorList{evenly_distribute_backward(grad, self.get(), result.get())};
    };
  });
}

// Positions of the first extremes along the rows of x, one a row.
Tensor raw_positions(Which which, const Rows& x) {
  Tensor out = x.make(DType::Int64, 1);
  const Tensor data = raw_cast(x.data, compute_dtype(x.data.dtype()));
  const auto& table = kernels::rows();
  const ExtremeRows find = (which == Which::Largest ? table.argmax : table.argmin)[compute_slot(data.dtype())];
  x.split([&](int64_t begin, int64_t end) {
    find(static_cast<char*>(data.raw()) + begin * x.n * int64_t(data.itemsize()), end - begin, x.n,
         out.data<int64_t>() + begin);
  });
  return out;
}

// The elements of x at `positions`, one a row.
Tensor raw_pick(const Rows& x, const Tensor& positions) {
  Tensor out = x.make(x.data.dtype(), 1);
  visit_width(out.itemsize(), [&]<class T>(Type<T>) {
    const T* in = x.data.data<T>();
    const int64_t* at = positions.data<int64_t>();
    for (int64_t r = 0; r < x.rows; ++r) out.data<T>()[r] = in[r * x.n + at[r]];
  });
  return out;
}

TwoTensors extreme_along(std::string_view name, std::string_view node, Which which, const Tensor& self, int64_t dim,
                         bool keepdim) {
  check_nonempty_dim(name, self, dim);
  const Rows x(self, dim);
  const Tensor positions = raw_positions(which, x);
  Tensor values = x.reduced(raw_pick(x, positions), keepdim);
  const Tensor indices = x.reduced(positions, keepdim);
  values = record(node, values, {self}, [&] {
    return [dim, keepdim, sizes = self.sizes(), indices](const Tensor& grad, Needs) {
      return TensorList{value_selecting_reduction_backward(grad, dim, indices, sizes, keepdim)};
    };
  });
  return {values, indices};
}

Tensor position(std::string_view name, Which which, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  FLAMBEAU_CHECK(self.dtype() != DType::Bool, name, ": does not support bool input");
  if (dim) {
    check_nonempty_dim(name, self, *dim);
    const Rows x(self, *dim);
    return x.reduced(raw_positions(which, x), keepdim);
  }
  FLAMBEAU_CHECK_AS(IndexError, self.numel() != 0, name,
                    ": Expected reduction dim to be specified for input.numel() == 0.");
  const Rows x(raw_reshape(raw_contiguous(self), {self.numel()}), 0);
  return raw_reshape(raw_positions(which, x), keepdim ? Dims(self.sizes().size(), 1) : Dims());
}

}  // namespace

Tensor max(const Tensor& self) { return extreme_of_all("max()", "MaxBackward1", Which::Largest, self); }
Tensor min(const Tensor& self) { return extreme_of_all("min()", "MinBackward1", Which::Smallest, self); }

TwoTensors max(const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_along("max()", "MaxBackward0", Which::Largest, self, dim, keepdim);
}
TwoTensors min(const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_along("min()", "MinBackward0", Which::Smallest, self, dim, keepdim);
}

Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return position("argmax()", Which::Largest, self, dim, keepdim);
}
Tensor argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return position("argmin()", Which::Smallest, self, dim, keepdim);
}

namespace {

// uint8 stays uint8, as in PyTorch; everything else gives bool.
Tensor raw_truth(ReduceLoop loop, bool identity, const Tensor& self, const ReducedDims& dims, bool keepdim) {
  const ReduceLoop loops[3] = {loop, loop, loop};
  const Tensor out = reduce_with(loops, raw_cast(self, DType::Bool), dims, keepdim, identity);
  return self.dtype() == DType::UInt8 ? raw_cast(out, DType::UInt8) : out;
}

Tensor truth_over(ReduceLoop loop, bool identity, const Tensor& self, const OptDims& dim, bool keepdim) {
  // An empty list reduces nothing here.
  if (dim && dim->empty())
    return raw_cast(raw_cast(raw_contiguous(self), DType::Bool),
                    self.dtype() == DType::UInt8 ? DType::UInt8 : DType::Bool);
  return raw_truth(loop, identity, self, ReducedDims(self, dim ? IntSpan(*dim) : IntSpan()), keepdim);
}

}  // namespace

Tensor all(const Tensor& self) { return all(self, OptDims()); }
Tensor all(const Tensor& self, int64_t dim, bool keepdim) { return all(self, OptDims(Dims{dim}), keepdim); }
Tensor all(const Tensor& self, const OptDims& dim, bool keepdim) {
  return truth_over(kernels::reduce().all, true, self, dim, keepdim);
}

Tensor any(const Tensor& self) { return any(self, OptDims()); }
Tensor any(const Tensor& self, int64_t dim, bool keepdim) { return any(self, OptDims(Dims{dim}), keepdim); }
Tensor any(const Tensor& self, const OptDims& dim, bool keepdim) {
  return truth_over(kernels::reduce().any, false, self, dim, keepdim);
}

}  // namespace flambeau::ops
