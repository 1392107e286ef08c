// Dropout (ops/dropout.h). Follows aten/src/ATen/native/Dropout.cpp, whose operations are composed in the same order:
// noise is drawn as 0 or 1, divided by 1 - p, and multiplied with the input.
#include "ops/dropout.h"

#include <cmath>

#include "ops/copy.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/random.h"

namespace flambeau::ops {
namespace {

struct Kind {
  bool feature, alpha, inplace;
};

Tensor put(const Kind& kind, const Tensor& input, const Tensor& result) {
  return kind.inplace ? assign_inplace(input, result) : result;
}

// One number a channel, broadcast over the rest.
Tensor feature_noise(const Tensor& input) {
  FLAMBEAU_CHECK(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  Dims sizes(size_t(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return empty(sizes, input.dtype());
}

Tensor drop(const Kind& kind, const Tensor& input, double p, bool train) {
  FLAMBEAU_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", streamed(p));
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return put(kind, input, mul(input, zeros({}, input.dtype())));

  Tensor noise, shift;
  {
    GradMode off(false);
    FLAMBEAU_CHECK(input.is_floating(), "result type Float can't be cast to the desired output type ", input.dtype());
    noise = kind.feature ? feature_noise(input) : empty_like(input, input.dtype());
    if (kind.alpha) {
      constexpr double alpha = 1.7580993408473766;  // of SELU: -alpha is its lower end
      const double a = 1.0 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
      noise = bernoulli_(noise, 1 - p);
      shift = add(mul(add(noise, -1), alpha * a), alpha * a * p);
      noise = mul(noise, a);
    } else {
      noise = draw_dropout_noise(noise, 1 - p);
    }
  }
  const Tensor scaled = mul(input, noise);
  return put(kind, input, kind.alpha ? add(scaled, shift) : scaled);
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) { return drop({false, false, false}, input, p, train); }
Tensor dropout_(const Tensor& self, double p, bool train) { return drop({false, false, true}, self, p, train); }
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  return drop({true, false, false}, input, p, train);
}
Tensor feature_dropout_(const Tensor& self, double p, bool train) { return drop({true, false, true}, self, p, train); }
Tensor alpha_dropout(const Tensor& input, double p, bool train) { return drop({false, true, false}, input, p, train); }
Tensor alpha_dropout_(const Tensor& self, double p, bool train) { return drop({false, true, true}, self, p, train); }
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  return drop({true, true, false}, input, p, train);
}
Tensor feature_alpha_dropout_(const Tensor& self, double p, bool train) {
  return drop({true, true, true}, self, p, train);
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train) {
  const Tensor mask = empty_like(input, DType::Bool);
  double scale = 1;
  Tensor out;
  {
    GradMode off(false);
    if (train.value_or(true)) {
      scale = p == 1 ? 0.0 : 1.0 / (1.0 - p);
      bernoulli_(mask, 1 - p);
      FLAMBEAU_CHECK(input.is_floating(), "result type Float can't be cast to the desired output type ", input.dtype());
      out = mul(mul(input, mask), scale);
    } else {
      raw_fill(mask, true);
      out = clone(input);
    }
  }
  out = record("NativeDropoutBackward0", out, {input}, [&] {
    return [mask = Saved(mask), scale](const Tensor& grad, Needs) {
      return TensorList{mul(mul(grad, mask.get()), scale)};
    };
  });
  return {out, mask};
}

}  // namespace flambeau::ops
