// What decides the bits of a result besides the inputs: which PyTorch build, on which kind of machine, with how many
// logical threads. Kernels that round take it; nothing else about the machine may reach them.
#pragma once

#include <cstdint>

namespace flambeau {

enum class AtenIsa : uint8_t { Default, Avx2, Avx512 };
enum class OneDnnIsa : uint8_t { Avx2, Avx512 };
enum class MklPath : uint8_t { Amd, IntelAvx2, IntelAvx512 };

struct Profile {
  AtenIsa aten = AtenIsa::Avx512;
  OneDnnIsa onednn = OneDnnIsa::Avx512;
  MklPath mkl = MklPath::Amd;
  int threads = 1;                 // logical: how PyTorch would cut ranges, not how many threads run
  bool invariant = false;          // bits independent of threads and batch size (ours)

  // Float lanes of ATen's vectors; where ATen's kernel is not vectorised by capability it says so itself.
  int lanes() const { return aten == AtenIsa::Avx512 ? 16 : 8; }
};

const Profile& profile();          // of this thread: the process's unless overridden by a block
void set_profile(const Profile& p);
Profile detect_profile();          // what PyTorch would do on this machine

}  // namespace flambeau
