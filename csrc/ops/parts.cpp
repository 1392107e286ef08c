// What a real number is made of: mantissa and exponent, angle. Follows UnaryOps.cpp and its kernels.
#include <cmath>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"

namespace flambeau::ops {

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  FLAMBEAU_CHECK(self.is_floating(), "torch.frexp() only supports floating-point dtypes");
  const Tensor x = raw_contiguous(self);
  const Tensor mantissa = empty(self.sizes(), self.dtype()), exponent = empty(self.sizes(), DType::Int32);
  visit_floating("frexp", self.dtype(), [&]<class T>(Type<T>) {
    const T* in = x.data<T>();
    T* out = mantissa.data<T>();
    auto* power = exponent.data<int32_t>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      int e = 0;
      out[i] = T(std::frexp(std::conditional_t<std::is_same_v<T, double>, double, float>(in[i]), &e));
      power[i] = e;
    }
  });
  const Tensor result = record("FrexpBackward0", mantissa, {self}, [&] {
    return [exponent](const Tensor& grad, Needs) { return TensorList{div(grad, exp2(exponent))}; };
  });
  return {result, exponent};
}

// Of a real number: 0, or pi where it is negative.
Tensor angle(const Tensor& self) {
  const DType dtype = self.is_floating() ? self.dtype() : default_dtype();
  const Tensor x = raw_cast(self, dtype);
  const Tensor half_turn = where(lt(x, 0), scalar_tensor(3.14159265358979323846, dtype), scalar_tensor(0.0, dtype));
  return record("AngleBackward0", where(isnan(x), x, half_turn), {self},
                [&] { return [](const Tensor& grad, Needs) { return TensorList{zeros_like(grad)}; }; });
}

}  // namespace flambeau::ops
