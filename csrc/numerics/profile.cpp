#include "numerics/profile.h"

#include <cstring>
#include <thread>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace flambeau {
namespace {

#if defined(__x86_64__)
bool is_intel() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d)) return false;
  char vendor[13] = {};
  std::memcpy(vendor, &b, 4);
  std::memcpy(vendor + 4, &d, 4);
  std::memcpy(vendor + 8, &c, 4);
  return !std::strcmp(vendor, "GenuineIntel");
}
#endif

Profile& current() {
  static Profile p = detect_profile();
  return p;
}

}  // namespace

Profile detect_profile() {
  Profile p;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  p.aten = avx512 ? AtenIsa::Avx512 : __builtin_cpu_supports("avx2") ? AtenIsa::Avx2 : AtenIsa::Default;
  p.onednn = avx512 ? OneDnnIsa::Avx512 : OneDnnIsa::Avx2;
  p.mkl = !is_intel() ? MklPath::Amd : avx512 ? MklPath::IntelAvx512 : MklPath::IntelAvx2;
#endif
  const unsigned cores = std::thread::hardware_concurrency();
  p.threads = cores ? int(cores) : 1;
  return p;
}

const Profile& profile() { return current(); }
void set_profile(const Profile& p) { current() = p; }

}  // namespace flambeau
