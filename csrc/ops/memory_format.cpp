#include "ops/memory_format.h"

#include "ops/copy.h"
#include "ops/op.h"

namespace flambeau::ops {
namespace {

Dims strides_for(IntSpan sizes, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return contiguous_strides(sizes);
  const size_t wanted = format == MemoryFormat::ChannelsLast ? 4 : 5;
  FLAMBEAU_CHECK(sizes.size() == wanted, "required rank ", wanted, " tensor to use channels_last",
                 wanted == 4 ? "" : "_3d", " format");
  return channels_last_strides(sizes);
}

}  // namespace

Dims channels_last_strides(IntSpan sizes) {
  Dims strides(sizes.size(), 1);
  strides[1] = 1;
  int64_t step = std::max<int64_t>(sizes[1], 1);
  for (size_t d = sizes.size(); d-- > 2;) {
    strides[d] = step;
    if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[d], 1), &step)) step = 1;
  }
  strides[0] = step;
  return strides;
}

Tensor empty(IntSpan sizes, DType dtype, MemoryFormat format) {
  FLAMBEAU_CHECK(format != MemoryFormat::Preserve, "unsupported memory format Preserve");
  return empty_strided(sizes, strides_for(sizes, format), dtype);
}

Tensor empty_like(const Tensor& like, const Options& options) {
  const DType dtype = options.dtype_or(like.dtype());
  const MemoryFormat format = options.memory_format.value_or(MemoryFormat::Preserve);
  return format == MemoryFormat::Preserve ? flambeau::empty_like(like, dtype) : empty(like.sizes(), dtype, format);
}

bool is_contiguous(const Tensor& self, MemoryFormat format) {
  if (format == MemoryFormat::Preserve || format == MemoryFormat::Contiguous) return self.is_contiguous();
  if (self.dim() != (format == MemoryFormat::ChannelsLast ? 4 : 5)) return false;
  const Dims strides = channels_last_strides(self.sizes());
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.sizes()[d] != 1 && self.strides()[d] != strides[d]) return false;
  return true;
}

Tensor clone(const Tensor& self, MemoryFormat format) {
  if (format == MemoryFormat::Preserve) return clone(self);
  const Tensor out = empty_strided(self.sizes(), strides_for(self.sizes(), format), self.dtype());
  raw_copy(out, self);
  return record("CloneBackward0", out, {self},
                [] { return [](const Tensor& grad, Needs) { return TensorList{grad}; }; });
}

Tensor contiguous(const Tensor& self, MemoryFormat format) {
  FLAMBEAU_CHECK(format != MemoryFormat::Preserve, "preserve memory format is unsupported by the contiguous operator");
  return is_contiguous(self, format) ? self : clone(self, format);
}

}  // namespace flambeau::ops
