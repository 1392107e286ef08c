// Moving and adding elements at positions that tables of offsets give: what indexing, gather, scatter and embedding
// come down to. All offsets are in elements. Additions happen in the order the values stand in.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace flambeau::kernels {

struct Range {
  int64_t begin, end;
};

// Element (o, r, i) of the values, which are contiguous, belongs to table[outer[o] + rows[r] + inner[i]];
// inner null means i itself. The three ranges are the part to do.
struct Blocks {
  const int64_t* outer;
  const int64_t* rows;
  const int64_t* inner;
  int64_t row_count, inner_count;
  Range outer_part, row_part, inner_part;
};

// Element (o, d, i) of the values and of the index, which are contiguous, belongs to
// table[outer[o] + index(o, d, i) * stride + inner[i]].
struct Lines {
  const int64_t* outer;
  const int64_t* index;
  const int64_t* inner;
  int64_t stride, length, inner_count;
  Range outer_part, inner_part;
};

inline constexpr int kWidths = 5;    // 1, 2, 4, 8, 16 bytes, by the logarithm
inline constexpr int kDTypes = 12;   // in the order of DType; complex has no entries

using BlockMove = void (*)(const Blocks&, void* table, void* values, bool one_value);
using LineMove = void (*)(const Lines&, void* table, void* values, bool one_value);

enum class Reduction { Add, Multiply, Maximum, Minimum };
inline constexpr int kReductions = 4;

struct IndexKernels {
  BlockMove read[kWidths];    // values from the table
  BlockMove write[kWidths];   // table from the values; one_value: the first stands for all
  LineMove gather[kWidths];
  LineMove scatter[kWidths];
  BlockMove add[kDTypes];     // bool: or
  LineMove reduce[kReductions][kDTypes];
};

}  // namespace flambeau::kernels

FLAMBEAU_DECLARE_KERNELS(kernels::IndexKernels, index)
