#include "ops/attention.h"

#include <cmath>
#include <limits>

#include "ops/copy.h"
#include "ops/dropout.h"
#include "ops/flash_attention.h"
#include "ops/join.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/softmax.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::string_view cpp_name(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    case DType::Float16: return "c10::Half";
    case DType::BFloat16: return "c10::BFloat16";
    case DType::Int64: return "long int";
    default: return name(dtype);
  }
}

void check(const Tensor& query, const Tensor& key, const Tensor& value, const OptTensor& mask) {
  FLAMBEAU_CHECK(
      query.dtype() == key.dtype() && query.dtype() == value.dtype(),
      "Expected query, key, and value to have the same dtype, but got query.dtype: ", cpp_name(query.dtype()),
      " key.dtype: ", cpp_name(key.dtype()), " and value.dtype: ", cpp_name(value.dtype()), " instead.");
  FLAMBEAU_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
                 "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ", query.dim(),
                 " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  if (!mask) return;
  FLAMBEAU_CHECK(mask->dtype() == DType::Bool || mask->dtype() == DType::Float32 || mask->dtype() == query.dtype(),
                 "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: ",
                 cpp_name(mask->dtype()), " and  query.dtype: ", cpp_name(query.dtype()), " instead.");
}

// 0 where a bool mask is true, minus infinity where it is false.
Tensor as_float_mask(const Tensor& mask, DType dtype) {
  if (mask.dtype() != DType::Bool) return mask;
  return masked_fill(zeros(mask.sizes(), dtype), logical_not(mask), kMinusInfinity);
}

// Is there a row of nothing but minus infinity? Few rows get beyond their first element.
template <class T>
bool has_empty_row(const Tensor& t) {
  const int64_t length = t.size(-1), rows = length ? t.numel() / length : 0;
  const T* x = t.data<T>();
  for (int64_t r = 0; r < rows; ++r) {
    int64_t i = 0;
    while (i < length && float(x[r * length + i]) == float(kMinusInfinity)) ++i;
    if (i == length) return true;
  }
  return false;
}

// softmax over the last dimension that gives zeros, not NaN, for rows of minus infinity.
Tensor safe_softmax(const Tensor& self) {
  const Tensor out = softmax(self, -1);
  const Tensor scores = raw_contiguous(self);
  const bool any_empty = scores.numel() > 0 && visit_floating("_safe_softmax", scores.dtype(), [&]<class T>(Type<T>) {
                           return has_empty_row<T>(scores);
                         });
  if (!any_empty) return out;
  const Tensor empty_rows = all(eq(detach(self), kMinusInfinity), int64_t(-1), true);
  return where(empty_rows, zeros({}, out.dtype()), out);
}

// Each key and value head serves several query heads that follow each other.
Tensor repeat_heads(const Tensor& t, int64_t heads) { return repeat_interleave(t, heads / t.size(-3), int64_t(-3)); }

}  // namespace

std::tuple<Tensor, Tensor> scaled_dot_product_attention_math(const Tensor& query_in, const Tensor& key_in,
                                                             const Tensor& value_in, const OptTensor& attn_mask,
                                                             double dropout_p, bool is_causal,
                                                             std::optional<double> scale, bool enable_gqa) {
  const bool half = is_reduced_float(query_in.dtype());
  const auto wide = [&](const Tensor& t) { return half ? to_dtype(t, DType::Float32) : t; };
  const Tensor query = wide(query_in);
  const double factor = std::sqrt(scale ? std::abs(*scale) : 1.0 / std::sqrt(double(query.size(-1))));
  const Tensor scaled_query = mul(query, scale && *scale < 0 ? -factor : factor);
  Tensor mask = deref(attn_mask);
  if (is_causal) {
    FLAMBEAU_CHECK(!mask.defined(),
                   "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
    mask = tril(ones({query.size(-2), key_in.size(-2)}, DType::Bool));
  }
  Tensor key = wide(key_in), value = wide(value_in);
  if (enable_gqa) {
    const int64_t heads = query.size(-3);
    FLAMBEAU_CHECK(heads % key.size(-3) == 0 && heads % value.size(-3) == 0,
                   "Number of heads in key and value must divide the number of heads in ");
    key = repeat_heads(key, heads);
    value = repeat_heads(value, heads);
  }
  Tensor scores = matmul(scaled_query, mul(transpose(key, -2, -1), factor));
  if (mask.defined()) scores = add(scores, as_float_mask(mask, query.dtype()));
  Tensor weights = safe_softmax(scores);
  if (dropout_p > 0) weights = dropout(weights, dropout_p, true);
  const Tensor out = matmul(weights, value);
  return {half ? to_dtype(out, query_in.dtype()) : out, weights};
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const OptTensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  check(query, key, value, attn_mask);
  if (takes_flash(query, key, value, attn_mask, dropout_p, enable_gqa)) {
    const OptTensor mask = attn_mask ? OptTensor(as_float_mask(*attn_mask, query.dtype())) : OptTensor();
    return flash_attention(query, key, value, mask, is_causal, scale);
  }
  return std::get<0>(
      scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa));
}

}  // namespace flambeau::ops
