// Comparisons, logic and predicates (kernels/elementwise.h): the output is bool.
#include "kernels/elementwise_loops.h"
#include "numerics/functions.h"

namespace flambeau::FLAMBEAU_ISA {
namespace {

FLAMBEAU_FORMULA(2, eq, x == y)
FLAMBEAU_FORMULA(2, ne, x != y)
FLAMBEAU_FORMULA(2, lt, x < y)
FLAMBEAU_FORMULA(2, le, x <= y)
FLAMBEAU_FORMULA(2, gt, x > y)
FLAMBEAU_FORMULA(2, ge, x >= y)
FLAMBEAU_FORMULA(2, logical_and, (x != T(0)) & (y != T(0)))
FLAMBEAU_FORMULA(2, logical_or, (x != T(0)) | (y != T(0)))
FLAMBEAU_FORMULA(2, logical_xor, (x != T(0)) != (y != T(0)))
FLAMBEAU_FORMULA(1, logical_not, x == T(0))
FLAMBEAU_FORMULA(1, isnan, x != x)
FLAMBEAU_FORMULA(1, isinf, fn::abs(x) == std::numeric_limits<T>::infinity())
FLAMBEAU_FORMULA(1, isfinite, fn::abs(x) < std::numeric_limits<T>::infinity())
FLAMBEAU_FORMULA(1, isposinf, x == std::numeric_limits<T>::infinity())
FLAMBEAU_FORMULA(1, isneginf, x == -std::numeric_limits<T>::infinity())

template <class T>
__attribute__((always_inline)) inline bool is_negative(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::signbit(x);
  else return x < 0;
}
FLAMBEAU_FORMULA(1, signbit, is_negative(x))

}  // namespace

const ComparisonKernels comparison_table = {FLAMBEAU_COMPARISONS(FLAMBEAU_LOOPS_ALL_TO_BOOL)
                                                FLAMBEAU_PREDICATES(FLAMBEAU_LOOPS_TO_BOOL)};

}  // namespace flambeau::FLAMBEAU_ISA
