// softmax and log_softmax (ops/softmax.h). Follows aten/src/ATen/native/SoftMax.cpp and derivatives.yaml.
#include "ops/softmax.h"

#include "kernels/softmax.h"
#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/prepare.h"
#include "ops/reduce.h"

namespace flambeau::ops {
namespace {

SoftmaxShape shape_of(const Tensor& t, int64_t dim) {
  SoftmaxShape shape{1, 1, 1, t.dim() == 0 || dim == t.dim() - 1, profile().lanes(), profile().threads};
  for (int64_t d = 0; d < t.dim(); ++d) (d < dim ? shape.outer : d == dim ? shape.n : shape.inner) *= t.size(d);
  return shape;
}

std::string kernel_name(const char* op, const Tensor& t, int64_t dim) {
  return str(op, dim == t.dim() - 1 || t.dim() == 0 ? "_lastdim" : "", "_kernel_impl");
}

template <class Pick>
Tensor forward(const char* op, const Tensor& self, int64_t dim, Pick&& pick) {
  if (!self.is_floating()) not_implemented_for(kernel_name(op, self, dim), self.dtype());
  const Tensor x = prepared(self, computed_dtype(self.dtype()));
  const Tensor out = empty(x.sizes(), x.dtype());
  if (x.numel())
    visit_real(op, x.dtype(), [&]<class T>(Type<T>) { pick(Type<T>{})(shape_of(x, dim), x.data<T>(), out.data<T>()); });
  return raw_cast(out, self.dtype());
}

template <class Pick>
Tensor backward(const char* op, const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype,
                Pick&& pick) {
  const DType computed = computed_dtype(output.dtype());
  const Tensor grad = prepared(grad_output, computed), y = prepared(output, computed);
  const Tensor out = empty(y.sizes(), computed);
  if (y.numel())
    visit_real(op, computed, [&]<class T>(Type<T>) {
      pick(Type<T>{})(shape_of(y, dim), grad.data<T>(), y.data<T>(), out.data<T>());
    });
  return raw_cast(out, input_dtype);
}

template <class T>
const SoftmaxFunctions<T>& functions(Type<T>) {
  if constexpr (std::is_same_v<T, float>) return kernels::softmax().f32;
  else return kernels::softmax().f64;
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const Tensor x = dtype ? to_dtype(self, *dtype) : self;
  dim = wrap_dim(dim, x.dim());
  const Tensor out = forward("softmax", x, dim, [](auto type) { return functions(type).softmax; });
  return record("SoftmaxBackward0", out, {x}, [&] {
    return [y = Saved::output(out), dim, dtype = x.dtype()](const Tensor& grad, Needs) {
      return TensorList{softmax_backward_data(grad, y.get(), dim, dtype)};
    };
  });
}

Tensor softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype) {
  const Tensor out = backward("softmax_backward", grad_output, output, dim, input_dtype,
                              [](auto type) { return functions(type).softmax_backward; });
  return record("SoftmaxBackwardDataBackward0", out, {grad_output, output}, [&] {
    return [grad_output = Saved(grad_output), output = Saved(output), dim, input_dtype](const Tensor& incoming,
                                                                                        Needs need) {
      const Tensor y = output.get(), g = grad_output.get(), grad = to_dtype(incoming, y.dtype());
      TensorList grads(2);
      if (need[0]) grads[0] = softmax_backward_data(grad, y, dim, input_dtype);
      if (need[1])
        grads[1] = sub(sub(mul(g, grad), mul(sum(mul(y, g), dim, true), grad)), mul(g, sum(mul(y, grad), dim, true)));
      return grads;
    };
  });
}

Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const Tensor x = dtype ? to_dtype(self, *dtype) : self;
  dim = wrap_dim(dim, x.dim());
  const Tensor out = forward("log_softmax", x, dim, [](auto type) { return functions(type).log_softmax; });
  return record("LogSoftmaxBackward0", out, {x}, [&] {
    return [y = Saved::output(out), dim, dtype = x.dtype()](const Tensor& grad, Needs) {
      return TensorList{log_softmax_backward_data(grad, y.get(), dim, dtype)};
    };
  });
}

Tensor log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype) {
  const Tensor out = backward("log_softmax_backward", grad_output, output, dim, input_dtype,
                              [](auto type) { return functions(type).log_softmax_backward; });
  return record("LogSoftmaxBackwardDataBackward0", out, {grad_output, output}, [&] {
    return [grad_output = Saved(grad_output), output = Saved(output), dim](const Tensor& incoming, Needs need) {
      const Tensor y = output.get(), grad = to_dtype(incoming, y.dtype());
      TensorList grads(2);
      if (need[0]) grads[0] = sub(grad, sum(mul(grad, exp(y)), dim, true));
      if (need[1]) grads[1] = mul(mul(neg(sum(grad_output.get(), dim, true)), exp(y)), grad);
      return grads;
    };
  });
}

}  // namespace flambeau::ops
