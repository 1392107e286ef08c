// Convolution over up to three spatial dimensions, as a matrix product whose left operand is gathered from an image
// panel by panel. The same gather serves the forward pass, the input gradient (once for every residue of the
// position modulo the stride, so that nothing is multiplied by inserted zeros) and the weight gradient.
#pragma once

#include "kernels/gemm.h"

namespace flambeau {

// One term of every output's sum: position p reads channel `channel` (offset in elements) at p * step + at, or zero
// outside the image.
struct ConvTap {
  int64_t channel;
  int64_t at[3];
};

template <class T>
struct ConvArgs {
  const T* source = nullptr;          // channels of contiguous (D, H, W) images
  int64_t size[3] = {1, 1, 1};        // D, H, W
  int64_t grid[3] = {1, 1, 1};        // positions
  int64_t step[3] = {1, 1, 1};
  const ConvTap* taps = nullptr;      // in the order of the sum
  int64_t tap_count = 0;
  int64_t begin = 0, end = 0;         // the range of positions to compute

  // What is multiplied: outputs x taps, as pack() lays them out; direct: plain, one output.
  const T* weights = nullptr;
  int64_t outputs = 0;
  T* out = nullptr;                   // position `begin` of the first output
  int64_t out_stride = 0;             // from one output channel to the next
  KBlocks blocks;
  bool accumulate = false;            // add to what out holds
  T* scratch = nullptr;               // kConvPanel * the longest block
};

inline constexpr int64_t kConvPanel = 32;  // positions gathered at a time, at most

template <class T>
struct ConvFunctions {
  // weights (outputs, taps) to the layout of run: outputs rounded up to 14, times taps elements.
  void (*pack)(const T* weights, int64_t outputs, int64_t taps, const KBlocks& blocks, T* packed);
  void (*run)(const ConvArgs<T>&);
  // One output: chains over the taps, starting from what out holds.
  void (*direct)(const ConvArgs<T>&);
  // The gathered operand itself, (taps, end - begin), to out.
  void (*columns)(const ConvArgs<T>&);
};

struct ConvKernels {
  ConvFunctions<float> f32;
  ConvFunctions<double> f64;
  template <class T>
  const ConvFunctions<T>& of() const {
    if constexpr (sizeof(T) == 4) return f32;
    else return f64;
  }
};

}  // namespace flambeau

FLAMBEAU_DECLARE_KERNELS(ConvKernels, conv)
