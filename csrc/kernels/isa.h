// Kernels are compiled once per instruction set, each time inside namespace FLAMBEAU_ISA (isa_v3, isa_v4 ...), and
// picked once at start. A family declares a struct of function pointers and one instance per instruction set:
//
//   // kernels/softmax.h                              // kernels/softmax.cpp
//   struct SoftmaxKernels { void (*rows_f32)(...); };  namespace flambeau::FLAMBEAU_ISA {
//   FLAMBEAU_DECLARE_KERNELS(SoftmaxKernels, softmax)  const SoftmaxKernels softmax_table = {rows_f32};
//                                                      }
//   // use: kernels::softmax().rows_f32(...)
//
// Every instruction set gives the same bits: the logical lane count is a template parameter, never the register's.
// Kernel files hold their helpers in an unnamed namespace inside FLAMBEAU_ISA and use no containers: code that the
// linker could merge with another instruction set's must not exist.
#pragma once

namespace flambeau {

enum class Isa { Base, V3, V4 };
Isa current_isa();            // the best this machine and this build have; FLAMBEAU_ISA=v3|v4 overrides
const char* isa_name(Isa isa);

}  // namespace flambeau

#if defined(FLAMBEAU_HAVE_V3) && defined(FLAMBEAU_HAVE_V4)
#define FLAMBEAU_DECLARE_KERNELS(Table, name)                                                                   \
  namespace flambeau::isa_v3 { extern const Table name##_table; }                                               \
  namespace flambeau::isa_v4 { extern const Table name##_table; }                                               \
  namespace flambeau::kernels {                                                                                 \
  inline const Table& name() { return current_isa() == Isa::V4 ? isa_v4::name##_table : isa_v3::name##_table; } \
  }
#elif defined(FLAMBEAU_HAVE_V4)
#define FLAMBEAU_DECLARE_KERNELS(Table, name)                     \
  namespace flambeau::isa_v4 { extern const Table name##_table; } \
  namespace flambeau::kernels {                                   \
  inline const Table& name() { return isa_v4::name##_table; }     \
  }
#elif defined(FLAMBEAU_HAVE_V3)
#define FLAMBEAU_DECLARE_KERNELS(Table, name)                     \
  namespace flambeau::isa_v3 { extern const Table name##_table; } \
  namespace flambeau::kernels {                                   \
  inline const Table& name() { return isa_v3::name##_table; }     \
  }
#else
#define FLAMBEAU_DECLARE_KERNELS(Table, name)                       \
  namespace flambeau::isa_base { extern const Table name##_table; } \
  namespace flambeau::kernels {                                     \
  inline const Table& name() { return isa_base::name##_table; }     \
  }
#endif
