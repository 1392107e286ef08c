#include "kernels/isa.h"

#include <cstdlib>
#include <cstring>

namespace flambeau {
namespace {

Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const Isa machine = v4 ? Isa::V4 : v3 ? Isa::V3 : Isa::Base;
#else
  const Isa machine = Isa::Base;
#endif
  const char* wanted = std::getenv("FLAMBEAU_ISA");
  if (wanted && !std::strcmp(wanted, "v3") && machine >= Isa::V3) return Isa::V3;
  return machine;
}

}  // namespace

Isa current_isa() {
  static const Isa isa = best_isa();
  return isa;
}

const char* isa_name(Isa isa) { return isa == Isa::V4 ? "x86-64-v4" : isa == Isa::V3 ? "x86-64-v3" : "base"; }

}  // namespace flambeau
