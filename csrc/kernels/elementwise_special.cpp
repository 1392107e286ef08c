// Functions that go element by element to the C library or numerics/special.h (kernels/elementwise.h).
#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"
#include "numerics/special.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

template <class T>
inline T sinc(T x) {
  const T product = T(fn::kPi) * x;
  return x == T(0) ? T(1) : std::sin(product) / product;
}

// MKL's in PyTorch (kernels/vml.h), by algorithms that are not known yet: correctly rounded here, from which MKL's
// results differ in the last place for 0.01% (log2, log10, erfinv) to 1.3% (erfc) of all floats.
FLAMBEAU_FORMULA(1, log2, T(std::log2(double(x))))
FLAMBEAU_FORMULA(1, log10, T(std::log10(double(x))))
FLAMBEAU_FORMULA(1, asin, T(std::asin(double(x))))
FLAMBEAU_FORMULA(1, acos, T(std::acos(double(x))))
FLAMBEAU_FORMULA(1, atan, T(std::atan(double(x))))
FLAMBEAU_FORMULA(1, erfc, T(std::erfc(double(x))))
FLAMBEAU_FORMULA(1, erfinv, T(fn::erfinv(double(x))))

FLAMBEAU_FORMULA(1, tan, std::tan(x))
FLAMBEAU_FORMULA(1, exp2, M::exp2(x))
FLAMBEAU_FORMULA(1, expm1, fn::expm1(x))
FLAMBEAU_FORMULA(1, log1p, fn::log1p(x))
FLAMBEAU_FORMULA(1, sinh, M::sinh(x))
FLAMBEAU_FORMULA(1, cosh, M::cosh(x))
FLAMBEAU_FORMULA(1, asinh, std::asinh(x))
FLAMBEAU_FORMULA(1, acosh, std::acosh(x))
FLAMBEAU_FORMULA(1, atanh, M::atanh(x))
FLAMBEAU_FORMULA(1, lgamma, std::lgamma(x))
FLAMBEAU_FORMULA(1, digamma, fn::digamma(x))
FLAMBEAU_FORMULA(1, sinc, sinc(x))
FLAMBEAU_FORMULA(1, entr, fn::entr(x))
FLAMBEAU_FORMULA(1, log_ndtr, fn::log_ndtr(x))
FLAMBEAU_FORMULA(1, ndtri, fn::ndtri(x))
FLAMBEAU_FORMULA(1, erfcx, fn::erfcx(x))
FLAMBEAU_FORMULA(1, i0, fn::i0(x))
FLAMBEAU_FORMULA(1, i0e, fn::i0e(x))
FLAMBEAU_FORMULA(1, i1, fn::i1(x))
FLAMBEAU_FORMULA(1, i1e, fn::i1e(x))
FLAMBEAU_FORMULA(1, polygamma, fn::polygamma<T>(x, int64_t(p.a)))
FLAMBEAU_FORMULA(2, zeta, fn::zeta(x, y))

}  // namespace

const SpecialKernels special_table = {FLAMBEAU_SPECIAL(FLAMBEAU_LOOPS)};

}  // namespace flambeau::FLAMBEAU_ISA
