// Selections and mixtures (ops/pointwise.h). Follows aten/src/ATen/native/{TensorCompare,TensorAdvancedIndexing,
// PointwiseOps,Lerp}.cpp and derivatives.yaml.
#include <cmath>

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/pointwise_rows.h"
#include "ops/reduce.h"

namespace flambeau::ops {
namespace {

Loop where_loop(DType dtype) {
  const auto& where = kernels::mixture().where;
  switch (itemsize(dtype)) {
    case 1: return where[0];
    case 2: return where[1];
    case 4: return where[2];
    case 8: return where[3];
    default: not_implemented_for("where_cpu", dtype);
  }
}

Tensor select(const Tensor& condition, const Operand& self, const Operand& other, DType dtype) {
  const Operand which(condition);
  const Input inputs[] = {{&which, DType::Bool}, {&self, dtype}, {&other, dtype}};
  return elementwise(where_loop(dtype), dtype, dtype, inputs);
}

}  // namespace

Tensor where(const Tensor& condition, const Operand& self, const Operand& other) {
  FLAMBEAU_CHECK(condition.dtype() == DType::Bool || condition.dtype() == DType::UInt8,
                 "where expected condition to be a boolean tensor, but got a tensor with dtype ", condition.dtype());
  Tensor out = select(condition, self, other, result_type({self, other}));
  return record("WhereBackward0", out, {input_of(self), input_of(other)}, [&] {
    return [condition = Saved(condition)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? where(condition, grad, 0) : Tensor(), need[1] ? where(condition, 0, grad) : Tensor()};
    };
  });
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Operand& value) {
  FLAMBEAU_CHECK(mask.dtype() == DType::Bool, "masked_fill only supports boolean masks, but got mask with dtype ",
                 mask.dtype());
  FLAMBEAU_CHECK(!value.is_tensor() || value.tensor().dim() == 0,
                 "masked_fill only supports a 0-dimensional value tensor, but "
                 "got tensor with ",
                 value.sizes().size(), " dimension(s).");
  if (!value.is_tensor()) value.scalar().check_fits(self.dtype());
  Tensor out = select(mask, value, self, self.dtype());
  return record(value.is_tensor() ? "MaskedFillBackward1" : "MaskedFillBackward0", out, {self, input_of(value)}, [&] {
    return [mask = Saved(mask)](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? masked_fill(grad, mask, 0) : Tensor(),
                        need[1] ? sum(masked_select(grad, mask)) : Tensor()};
    };
  });
}

namespace {

// A bound in the loop's dtype; absent ones are beyond every value.
struct Bounds {
  Number low, high;
  Bounds(DType dtype, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    int64_t smallest = 0, largest = 1;
    if (is_integral(dtype))
      visit_integral("clamp", dtype, [&]<class T>(Type<T>) {
        smallest = std::numeric_limits<T>::min();
        largest = std::numeric_limits<T>::max();
      });
    low = {min ? min->to_double() : -kInfinity, min ? std::clamp(min->to_int(), smallest, largest) : smallest};
    high = {max ? max->to_double() : kInfinity, max ? std::clamp(max->to_int(), smallest, largest) : largest};
  }
};

}  // namespace

static Tensor clamp_to(const char* node, const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  FLAMBEAU_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  const Operand x(self), low(min ? Operand(*min) : Operand(self)), high(max ? Operand(*max) : Operand(self));
  const DType dtype = result_type({x, low, high});
  FLAMBEAU_CHECK_AS(NotImplementedError, dtype != DType::Bool, "\"clamp_scalar_cpu\" not implemented for 'Bool'");
  const Bounds bounds(dtype, min, max);
  const auto as_scalar = [&](const Number& n) { return is_integral(dtype) ? Scalar(n.integer) : Scalar(n.real); };
  Tensor out = elementwise(kernels::unary().clamp, "clamp_scalar_cpu", dtype, {&x},
                           {as_scalar(bounds.low), as_scalar(bounds.high)});
  return record(node, out, {self}, [&] {
    return [self = Saved(self), min, max](const Tensor& grad, Needs) {
      const Tensor x = self;
      const Tensor inside = min && max ? logical_and(ge(x, *min), le(x, *max)) : min ? ge(x, *min) : le(x, *max);
      return TensorList{where(inside, grad, 0)};
    };
  });
}

Tensor clamp(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  return clamp_to("ClampBackward1", self, min, max);
}

Tensor clamp_tensor(const Tensor& self, const OptTensor& min, const OptTensor& max) {
  FLAMBEAU_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!max) return clamp_min(self, *min);
  if (!min) return clamp_max(self, *max);
  const Operand x(self), low(*min), high(*max);
  Tensor out = elementwise(kernels::mixture().clamp_between, "clamp", result_type({x, low, high}), {&x, &low, &high});
  return record("ClampBackward0", out, {self, *min, *max}, [&] {
    return [self = Saved(self), min = Saved(*min), max = Saved(*max)](const Tensor& grad, Needs need) {
      const Tensor x = self, low = min, high = max;
      return TensorList{need[0] ? where(logical_and(ge(x, low), le(x, high)), grad, 0) : Tensor(),
                        need[1] ? where(logical_and(lt(low, high), lt(x, low)), grad, 0) : Tensor(),
                        need[2] ? where(logical_or(gt(x, high), lt(high, low)), grad, 0) : Tensor()};
    };
  });
}

// A bound that is a tensor, or a number.
static Tensor clamp_one_side(const char* node, const Loops& loops, bool lower, const Tensor& self,
                             const Tensor& bound) {
  const Operand x(self), b(bound);
  Tensor out = elementwise(loops, "clamp", result_type({x, b}), {&x, &b});
  return record(node, out, {self, bound}, [&] {
    return [self = Saved(self), bound = Saved(bound), lower](const Tensor& grad, Needs need) {
      const Tensor x = self, b = bound;
      return TensorList{need[0] ? where(lower ? ge(x, b) : le(x, b), grad, 0) : Tensor(),
                        need[1] ? where(lower ? lt(x, b) : gt(x, b), grad, 0) : Tensor()};
    };
  });
}
Tensor clamp_min(const Tensor& self, const Operand& min) {
  if (!min.is_tensor()) return clamp_to("ClampMinBackward0", self, min.scalar(), {});
  return clamp_one_side("ClampMinBackward1", kernels::arithmetic().maximum, true, self, min.tensor());
}
Tensor clamp_max(const Tensor& self, const Operand& max) {
  if (!max.is_tensor()) return clamp_to("ClampMaxBackward0", self, {}, max.scalar());
  return clamp_one_side("ClampMaxBackward1", kernels::arithmetic().minimum, false, self, max.tensor());
}

Tensor lerp(const Tensor& self, const Tensor& end, const Operand& weight) {
  FLAMBEAU_CHECK(self.dtype() == end.dtype(), "expected dtype ", self.dtype(), " for `end` but got dtype ",
                 end.dtype());
  FLAMBEAU_CHECK(!weight.is_tensor() || weight.tensor().dim() == 0 || self.dtype() == weight.tensor().dtype(),
                 "expected dtype ", self.dtype(), " for `weight` but got dtype ",
                 weight.is_tensor() ? weight.tensor().dtype() : self.dtype());
  const Operand x(self), y(end);
  Tensor out = elementwise(kernels::mixture().lerp, "lerp_kernel", self.dtype(), {&x, &y, &weight});
  if (!weight.is_tensor())
    return record("LerpBackward0", out, {self, end}, [&] {
      return [w = weight.scalar().to_double()](const Tensor& grad, Needs need) {
        return TensorList{need[0] ? mul(grad, 1 - w) : Tensor(), need[1] ? mul(grad, w) : Tensor()};
      };
    });
  return record("LerpBackward1", out, {self, end, weight.tensor()}, [&] {
    return [self = Saved(self), end = Saved(end), weight = Saved(weight.tensor())](const Tensor& grad, Needs need) {
      return TensorList{need[0] ? mul(grad, rsub(weight.get(), 1)) : Tensor(),
                        need[1] ? mul(grad, weight.get()) : Tensor(),
                        need[2] ? mul(grad, sub(end.get(), self.get())) : Tensor()};
    };
  });
}

Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  const Operand x(self), y(tensor1), z(tensor2);
  Tensor out =
      elementwise(kernels::mixture().addcmul, "addcmul_cpu_out", result_type({x, y, z}), {&x, &y, &z}, {value});
  return record("AddcmulBackward0", out, {self, tensor1, tensor2}, [&] {
    return [y = Saved(tensor1), z = Saved(tensor2), value](const Tensor& grad, Needs need) {
      return TensorList{grad, need[1] ? mul(grad, mul(z.get(), value)) : Tensor(),
                        need[2] ? mul(grad, mul(y.get(), value)) : Tensor()};
    };
  });
}

Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  FLAMBEAU_CHECK(
      !(is_integral(tensor1.dtype(), true) && is_integral(tensor2.dtype(), true)),
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
      "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (self + value * "
      "torch.trunc(tensor1 / tensor2)).to(self.dtype) for integer inputs and as (self + value * tensor1 / tensor2) "
      "for float inputs. The future addcdiv behavior is just the latter implementation: (self + value * tensor1 / "
      "tensor2), for all dtypes.");
  const Operand x(self), y(tensor1), z(tensor2);
  Tensor out =
      elementwise(kernels::mixture().addcdiv, "addcdiv_cpu_out", result_type({x, y, z}), {&x, &y, &z}, {value});
  return record("AddcdivBackward0", out, {self, tensor1, tensor2}, [&] {
    return [y = Saved(tensor1), z = Saved(tensor2), value](const Tensor& grad, Needs need) {
      const Tensor numerator = y, denominator = z;
      return TensorList{grad, need[1] ? mul(grad, div(value, denominator)) : Tensor(),
                        need[2] ? mul(neg(grad), div(mul(numerator, value), mul(denominator, denominator))) : Tensor()};
    };
  });
}

}  // namespace flambeau::ops
