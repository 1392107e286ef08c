// The extension module: types first, then every family's operators, then where they belong.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.h"
#include "bindings/families.h"
#include "bindings/types.h"
#include "kernels/isa.h"
#include "numerics/profile.h"
#include "ops/flash_attention.h"
#include "parallel/pool.h"

namespace nb = nanobind;
using namespace flambeau;

NB_MODULE(_C, m) {
#if defined(FLAMBEAU_HAVE_V3) || defined(FLAMBEAU_HAVE_V4)
  if (current_isa() == Isa::Base)
    throw nb::import_error("flambeau needs a processor with AVX2 and FMA (x86-64-v3), and this one has not");
#endif
  nb::set_leak_warnings(false);
  bind::init_types(m.ptr());
  bind::init_tensor(m.ptr());
  bind::init_tensor_data(m.ptr());
  bind::init_autograd(m.ptr());
  bind::init_generator(m.ptr());
#define FLAMBEAU_BIND(name) bind::bind_##name();
  FLAMBEAU_FAMILIES(FLAMBEAU_BIND)
#undef FLAMBEAU_BIND
  bind::init_ops(m.ptr());

  m.def("get_num_threads", &num_threads);
  m.def("_set_num_threads", &set_num_threads);
  m.def("_get_flash_sdp_enabled", &ops::flash_enabled);
  m.def("_set_sdp_use_flash", &ops::set_flash_enabled);
  m.def("_isa", [] { return isa_name(current_isa()); });
  m.def("_operator_names", &bind::operator_names);
  m.def("_set_strict", &bind::refuse_operators);
  // The numerics profile in use, field by field and by PyTorch's names for the values.
  m.def("_profile", [] {
    const Profile& p = profile();
    nb::dict fields;
    fields["aten"] = p.aten == AtenIsa::Avx512 ? "avx512" : p.aten == AtenIsa::Avx2 ? "avx2" : "default";
    fields["onednn"] = p.onednn == OneDnnIsa::Avx512 ? "avx512_core" : "avx2";
    fields["mkl"] = p.mkl == MklPath::Amd ? "amd" : p.mkl == MklPath::IntelAvx512 ? "intel-avx512" : "intel-avx2";
    fields["threads"] = p.threads;
    fields["invariant"] = p.invariant;
    return fields;
  });
  m.def("_set_profile",
        [](const std::string& aten, const std::string& onednn, const std::string& mkl, int threads, bool invariant) {
          Profile p;
          p.aten = aten == "avx512" ? AtenIsa::Avx512 : aten == "avx2" ? AtenIsa::Avx2 : AtenIsa::Default;
          p.onednn = onednn == "avx512_core" ? OneDnnIsa::Avx512 : OneDnnIsa::Avx2;
          p.mkl = mkl == "amd" ? MklPath::Amd : mkl == "intel-avx512" ? MklPath::IntelAvx512 : MklPath::IntelAvx2;
          p.threads = threads;
          p.invariant = invariant;
          set_profile(p);
        });
}
