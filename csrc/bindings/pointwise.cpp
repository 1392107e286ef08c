// Elementwise arithmetic, comparisons and selections: names and overloads as in native_functions.yaml.
#include "ops/pointwise.h"

#include "bindings/bind.h"
#include "bindings/families.h"
#include "ops/gather.h"

namespace flambeau::bind {
namespace {

// In torch.add(input, other) the first is a tensor; `number_first` are the overloads where it is a number.
using Binary = Tensor (*)(const Operand&, const Operand&);
template <Binary F>
Tensor binary(const Tensor& self, const Operand& other) {
  return F(self, other);
}
template <Binary F>
Tensor tensors(const Tensor& self, const Tensor& other) {
  return F(self, other);
}
template <Binary F>
Tensor number_first(Scalar self, const Tensor& other) {
  return F(self, other);
}
using Scaled = Tensor (*)(const Operand&, const Operand&, Scalar);
template <Scaled F>
Tensor scaled(const Tensor& self, const Operand& other, Scalar alpha) {
  return F(self, other, alpha);
}
Tensor div_mode(const Tensor& self, const Operand& other, const std::optional<std::string>& rounding_mode) {
  return ops::div_mode(self, other, rounding_mode);
}
Tensor where_method(const Tensor& self, const Tensor& condition, const Operand& other) {
  return ops::where(condition, self, other);
}
TensorList where_indices(const Tensor& condition) { return ops::nonzero_numpy(condition); }
Tensor expit(const Tensor& self) { return ops::sigmoid(self); }

DType result_type_of(const Operand& tensor, const Operand& other) { return result_type({tensor, other}); }
DType promote_types(DType type1, DType type2) { return promote(type1, type2); }
bool can_cast_to(DType from, DType to) { return can_cast(from, to); }

constexpr unsigned kPass = kAll | kDirect;                       // one pass, with in-place and out=
constexpr unsigned kNew = kFunction | kMethod | kOut | kDirect;  // without an in-place form

void bind_binary() {
  def<&scaled<&ops::add>>("add(self, other, *, alpha=1)", kPass);
  for (const char* signature : {"sub(self, other, *, alpha=1)", "subtract(self, other, *, alpha=1)"})
    def<&scaled<&ops::sub>>(signature, kPass);
  def<&scaled<&ops::rsub>>("rsub(self, other, *, alpha=1)", kFunction);
  for (const char* signature : {"mul(self, other)", "multiply(self, other)"}) def<&binary<&ops::mul>>(signature, kPass);
  for (const char* signature : {"div(self, other)", "divide(self, other)", "true_divide(self, other)"})
    def<&binary<&ops::div>>(signature, kPass);
  for (const char* signature : {"div(self, other, *, rounding_mode)", "divide(self, other, *, rounding_mode)"})
    def<&div_mode>(signature, kPass);
  def<&binary<&ops::floor_divide>>("floor_divide(self, other)", kPass);
  def<&binary<&ops::remainder>>("remainder(self, other)", kPass);
  def<&number_first<&ops::remainder>>("remainder(self, other)", kFunction | kOut);
  def<&binary<&ops::fmod>>("fmod(self, other)", kPass);
  def<&binary<&ops::pow>>("pow(self, exponent)", kPass);
  def<&number_first<&ops::pow>>("pow(self, exponent)", kFunction | kOut);
  def<&binary<&ops::float_power>>("float_power(self, exponent)", kAll);
  def<&number_first<&ops::float_power>>("float_power(self, exponent)", kFunction | kOut);
  def<&tensors<&ops::maximum>>("maximum(self, other)", kNew);
  def<&tensors<&ops::minimum>>("minimum(self, other)", kNew);
  def<&tensors<&ops::fmax>>("fmax(self, other)", kNew);
  def<&tensors<&ops::fmin>>("fmin(self, other)", kNew);
  def<&tensors<&ops::gcd>>("gcd(self, other)", kPass);
  def<&tensors<&ops::lcm>>("lcm(self, other)", kPass);
  def<&tensors<&ops::heaviside>>("heaviside(self, values)", kPass);
  for (const char* signature : {"atan2(self, other)", "arctan2(self, other)"})
    def<&tensors<&ops::atan2>>(signature, kPass);
  def<&tensors<&ops::hypot>>("hypot(self, other)", kPass);
  def<&binary<&ops::copysign>>("copysign(self, other)", kPass);
  def<&tensors<&ops::nextafter>>("nextafter(self, other)", kPass);
  def<&binary<&ops::ldexp>>("ldexp(self, other)", kAll);
  def<&tensors<&ops::logaddexp>>("logaddexp(self, other)", kNew);
  def<&tensors<&ops::logaddexp2>>("logaddexp2(self, other)", kNew);
  def<&binary<&ops::xlogy>>("xlogy(self, other)", kPass);
  def<&number_first<&ops::xlogy>>("xlogy(self, other)", kFunction | kOut);
  def<&binary<&ops::xlogy>>("special_xlogy(self, other)", kSpecial | kOut);
  def<&number_first<&ops::xlogy>>("special_xlogy(self, other)", kSpecial | kOut);
  def<&binary<&ops::xlog1py>>("special_xlog1py(self, other)", kSpecial | kOut);
  def<&number_first<&ops::xlog1py>>("special_xlog1py(self, other)", kSpecial | kOut);
  def<&binary<&ops::zeta>>("special_zeta(self, other)", kSpecial | kOut);
  def<&number_first<&ops::zeta>>("special_zeta(self, other)", kSpecial | kOut);
}

void bind_comparisons() {
  def<&binary<&ops::eq>>("eq(self, other)", kPass);
  for (const char* signature : {"ne(self, other)", "not_equal(self, other)"}) def<&binary<&ops::ne>>(signature, kPass);
  for (const char* signature : {"lt(self, other)", "less(self, other)"}) def<&binary<&ops::lt>>(signature, kPass);
  for (const char* signature : {"le(self, other)", "less_equal(self, other)"}) def<&binary<&ops::le>>(signature, kPass);
  for (const char* signature : {"gt(self, other)", "greater(self, other)"}) def<&binary<&ops::gt>>(signature, kPass);
  for (const char* signature : {"ge(self, other)", "greater_equal(self, other)"})
    def<&binary<&ops::ge>>(signature, kPass);
  def<&binary<&ops::logical_and>>("logical_and(self, other)", kPass);
  def<&binary<&ops::logical_or>>("logical_or(self, other)", kPass);
  def<&binary<&ops::logical_xor>>("logical_xor(self, other)", kPass);
  def<&ops::logical_not>("logical_not(self)", kPass);
  def<&ops::isnan>("isnan(self)", kPlain);
  def<&ops::isinf>("isinf(self)", kPlain);
  def<&ops::isfinite>("isfinite(self)", kPlain);
  def<&ops::isposinf>("isposinf(self)", kPlain | kOut);
  def<&ops::isneginf>("isneginf(self)", kPlain | kOut);
  def<&ops::isreal>("isreal(self)", kPlain);
  def<&ops::signbit>("signbit(self)", kPlain | kOut);
  def<&ops::isclose>("isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)", kPlain);
  def<&ops::equal>("equal(self, other)", kPlain);
  def<&ops::allclose>("allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)", kPlain);

  def<&binary<&ops::bitwise_and>>("bitwise_and(self, other)", kPass);
  def<&binary<&ops::bitwise_or>>("bitwise_or(self, other)", kPass);
  def<&binary<&ops::bitwise_xor>>("bitwise_xor(self, other)", kPass);
  def<&binary<&ops::bitwise_left_shift>>("bitwise_left_shift(self, other)", kPass);
  def<&binary<&ops::bitwise_right_shift>>("bitwise_right_shift(self, other)", kPass);
  def<&number_first<&ops::bitwise_and>>("bitwise_and(self, other)", kFunction);
  def<&number_first<&ops::bitwise_or>>("bitwise_or(self, other)", kFunction);
  def<&number_first<&ops::bitwise_xor>>("bitwise_xor(self, other)", kFunction);
  def<&number_first<&ops::bitwise_left_shift>>("bitwise_left_shift(self, other)", kFunction);
  def<&number_first<&ops::bitwise_right_shift>>("bitwise_right_shift(self, other)", kFunction);
  def<&ops::bitwise_not>("bitwise_not(self)", kPass);

  def<&result_type_of>("result_type(tensor, other)", kFunction);
  def<&promote_types>("promote_types(type1, type2)", kFunction);
  def<&can_cast_to>("can_cast(from_, to)", kFunction);
}

// The same function under several names.
template <auto F>
void def_unary(std::initializer_list<const char*> names, unsigned forms = kPass) {
  for (const char* name : names) def<F>(str(name, "(self)").c_str(), forms);
}

void bind_unary() {
  def_unary<&ops::neg>({"neg", "negative"});
  def_unary<&ops::abs>({"abs", "absolute"});
  def_unary<&ops::sign>({"sign"});
  def_unary<&ops::sgn>({"sgn"});
  def_unary<&ops::square>({"square"});
  def_unary<&ops::positive>({"positive"}, kPlain);
  def_unary<&ops::floor>({"floor"});
  def_unary<&ops::ceil>({"ceil"});
  def_unary<&ops::trunc>({"trunc", "fix"});
  def_unary<&ops::frac>({"frac"});
  def_unary<&ops::round>({"round"});
  def<&ops::round_decimals>("round(self, *, decimals)", kPass);
  def<&ops::angle>("angle(self)", kPlain | kOut);
  def<&ops::frexp>("frexp(self) -> mantissa, exponent", kPlain | kOut);
  def<&ops::nan_to_num>("nan_to_num(self, nan=None, posinf=None, neginf=None)", kPass);

  def_unary<&ops::sqrt>({"sqrt"});
  def_unary<&ops::rsqrt>({"rsqrt"});
  def_unary<&ops::reciprocal>({"reciprocal"});
  def_unary<&ops::exp>({"exp"});
  def_unary<&ops::exp2>({"exp2"});
  def_unary<&ops::expm1>({"expm1"});
  def_unary<&ops::log>({"log"});
  def_unary<&ops::log2>({"log2"});
  def_unary<&ops::log10>({"log10"});
  def_unary<&ops::log1p>({"log1p"});
  def_unary<&ops::sin>({"sin"});
  def_unary<&ops::cos>({"cos"});
  def_unary<&ops::tan>({"tan"});
  def_unary<&ops::asin>({"asin", "arcsin"});
  def_unary<&ops::acos>({"acos", "arccos"});
  def_unary<&ops::atan>({"atan", "arctan"});
  def_unary<&ops::sinh>({"sinh"});
  def_unary<&ops::cosh>({"cosh"});
  def_unary<&ops::tanh>({"tanh"});
  def_unary<&ops::asinh>({"asinh", "arcsinh"});
  def_unary<&ops::acosh>({"acosh", "arccosh"});
  def_unary<&ops::atanh>({"atanh", "arctanh"});
  def_unary<&ops::sigmoid>({"sigmoid"});
  def_unary<&ops::erf>({"erf"});
  def_unary<&ops::erfc>({"erfc"});
  def_unary<&ops::erfinv>({"erfinv"});
  def_unary<&ops::lgamma>({"lgamma"});
  def_unary<&ops::digamma>({"digamma"});
  def_unary<&ops::sinc>({"sinc"});
  def_unary<&ops::deg2rad>({"deg2rad"});
  def_unary<&ops::rad2deg>({"rad2deg"});
  def_unary<&ops::i0>({"i0"});
  def<&ops::logit>("logit(self, eps=None)", kAll);
  def<&ops::polygamma>("polygamma(n, self)", kFunction | kOut);
  def<&ops::mvlgamma>("mvlgamma(self, p)", kAll);
}

void bind_special() {
  constexpr unsigned forms = kSpecial | kOut | kDirect;
  def_unary<&expit>({"special_expit"}, forms);
  def_unary<&ops::exp2>({"special_exp2"}, forms);
  def_unary<&ops::expm1>({"special_expm1"}, forms);
  def_unary<&ops::log1p>({"special_log1p"}, forms);
  def_unary<&ops::erf>({"special_erf"}, forms);
  def_unary<&ops::erfc>({"special_erfc"}, forms);
  def_unary<&ops::erfcx>({"special_erfcx"}, forms);
  def_unary<&ops::erfinv>({"special_erfinv"}, forms);
  def_unary<&ops::entr>({"special_entr"}, forms);
  def_unary<&ops::ndtr>({"special_ndtr"}, kSpecial | kOut);
  def_unary<&ops::ndtri>({"special_ndtri"}, forms);
  def_unary<&ops::log_ndtr>({"special_log_ndtr"}, forms);
  def_unary<&ops::i0>({"special_i0"}, forms);
  def_unary<&ops::i0e>({"special_i0e"}, forms);
  def_unary<&ops::i1>({"special_i1"}, forms);
  def_unary<&ops::i1e>({"special_i1e"}, forms);
  def_unary<&ops::lgamma>({"special_gammaln"}, forms);
  def_unary<&ops::digamma>({"special_digamma", "special_psi"}, forms);
  def_unary<&ops::sinc>({"special_sinc"}, forms);
  def_unary<&ops::round>({"special_round"}, forms);
  def<&ops::round_decimals>("special_round(self, *, decimals)", forms);
  def<&ops::logit>("special_logit(self, eps=None)", kSpecial | kOut);
  def<&ops::polygamma>("special_polygamma(n, self)", forms);
  def<&ops::mvlgamma>("special_multigammaln(self, p)", kSpecial | kOut);
}

void bind_selections() {
  def<&ops::where>("where(condition, self, other)", kFunction | kOut);
  def<&where_indices>("where(condition)", kFunction);
  def<&where_method>("where(self, condition, other)", kMethod);
  def<&ops::masked_fill>("masked_fill(self, mask, value)", kFunction | kMethod | kInplace | kDirect);
  for (const char* signature : {"clamp(self, min=None, max=None)", "clip(self, min=None, max=None)"}) {
    def<&ops::clamp_tensor>(signature, kPass);
    def<&ops::clamp>(signature, kPass);
  }
  def<&ops::clamp_min>("clamp_min(self, min)", kPass);
  def<&ops::clamp_max>("clamp_max(self, max)", kPass);
  def<&ops::lerp>("lerp(self, end, weight)", kPass);
  def<&ops::addcmul>("addcmul(self, tensor1, tensor2, *, value=1)", kPass);
  def<&ops::addcdiv>("addcdiv(self, tensor1, tensor2, *, value=1)", kPass);
}

}  // namespace

void bind_pointwise() {
  bind_binary();
  bind_comparisons();
  bind_unary();
  bind_special();
  bind_selections();
}

}  // namespace flambeau::bind
