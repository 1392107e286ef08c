// The same elements in another order or more than once (native/TensorTransformations.cpp, Repeat.cpp,
// PixelShuffle.cpp).
#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

// Which elements of a flipped dim come first is a matter of negative strides; the plan reads along those.
Tensor raw_flip(const Tensor& self, const Dims& dims) {
  Tensor out = empty(self.sizes(), self.dtype());
  Dims strides = self.strides();
  int64_t base = 0, last = 0;
  for (const int64_t d : dims) {
    base += std::max<int64_t>(self.size(d) - 1, 0) * strides[size_t(d)];
    strides[size_t(d)] = -strides[size_t(d)];
    last = std::max(last, d);
  }
  // Rows are what follows the last flipped dim; where that is nothing, that dim itself.
  const size_t cut = std::min(size_t(last) + 1, size_t(self.dim()) - 1);
  const IntSpan sizes = self.sizes(), all = strides;
  BlockPlan plan;
  plan.set_outer(sizes.first(cut), all.first(cut));
  plan.rows = {base};
  plan.set_inner(sizes.subspan(cut), all.subspan(cut));
  read_blocks(plan, self, out);
  return out;
}

Tensor roll_one(const Tensor& self, int64_t shift, int64_t dim) {
  if (self.numel() == 0) return clone(self);
  const int64_t size = self.size(dim);
  const int64_t start = ((size - shift) % size + size) % size;
  return cat({narrow(self, dim, start, size - start), narrow(self, dim, 0, start)}, dim);
}

// (a0, a1, ...) repeated (r0, r1, ...) times: a tensor (r0, a0, r1, a1, ...) whose r dims are filled by broadcasting.
Dims interleave(const Dims& repeats, const Dims& sizes) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    out.push_back(repeats[d]);
    out.push_back(sizes[d]);
  }
  return out;
}

Tensor repeat_backward(Tensor grad, const Dims& repeats, const Dims& sizes) {
  if (std::find(repeats.begin(), repeats.end(), 0) != repeats.end()) return zeros(sizes, grad.dtype());
  const size_t added = repeats.size() - sizes.size();
  for (size_t i = 0; i < added; ++i) grad = sum(grad, 0);
  Dims shape, summed;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t times = repeats[d + added];
    if (times != 1) {
      summed.push_back(int64_t(shape.size()));
      shape.push_back(times);
    }
    shape.push_back(sizes[d]);
  }
  return summed.empty() ? grad : sum(reshape(grad, shape), OptDims(summed));
}

}  // namespace

Tensor flip(const Tensor& self, const Dims& dims) {
  const Dims wrapped = wrap_dims(dims, self.dim());
  if (self.dim() == 0 || wrapped.empty() || self.numel() == 0) return clone(self);
  return record("FlipBackward0", raw_flip(self, wrapped), {self},
                [&] { return [wrapped](const Tensor& grad, Needs) { return TensorList{flip(grad, wrapped)}; }; });
}

Tensor fliplr(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() >= 2, "Input must be >= 2-d.");
  return flip(self, {1});
}

Tensor flipud(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() >= 1, "Input must be >= 1-d.");
  return flip(self, {0});
}

Tensor roll(const Tensor& self, const Dims& shifts, const Dims& dims) {
  FLAMBEAU_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) return view(roll_one(reshape(self, {-1}), shifts[0], 0), self.sizes());
  FLAMBEAU_CHECK(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: ", shifts.size(),
                 ", dims:", dims.size());
  Tensor out = self;
  for (size_t i = 0; i < dims.size(); ++i) out = roll_one(out, shifts[i], wrap_dim(dims[i], self.dim(), false));
  return out;
}

Tensor rot90(const Tensor& self, int64_t k, const Dims& dims) {
  FLAMBEAU_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = ", dims.size());
  FLAMBEAU_CHECK(self.dim() >= 2, "expected total dims >= 2, but got total dims = ", self.dim());
  const int64_t a = wrap_dim(dims[0], self.dim()), b = wrap_dim(dims[1], self.dim());
  FLAMBEAU_CHECK(a != b, "expected rotation dims to be different, but got dim0 = ", dims[0], " and dim1 = ", dims[1]);
  switch ((k % 4 + 4) % 4) {
    case 1: return transpose(flip(self, {b}), a, b);
    case 2: return flip(self, {a, b});
    case 3: return transpose(flip(self, {a}), a, b);
    default: return clone(self);
  }
}

Tensor repeat(const Tensor& self, const Dims& repeats) {
  FLAMBEAU_CHECK(int64_t(repeats.size()) >= self.dim(),
                 "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  Dims sizes = self.sizes();
  while (sizes.size() < repeats.size()) sizes.insert(0, 1);
  Dims total = sizes;
  for (size_t d = 0; d < sizes.size(); ++d) total[d] *= repeats[d];
  Tensor out = empty(total, self.dtype());
  if (out.numel()) {
    GradMode off(false);
    raw_copy(view(out, interleave(repeats, sizes)), reshape(self, interleave(Dims(sizes.size(), 1), sizes)));
  }
  return record("RepeatBackward0", out, {self}, [&] {
    return [repeats, sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{repeat_backward(grad, repeats, sizes)};
    };
  });
}

Tensor tile(const Tensor& self, const Dims& dims) {
  Dims repeats = dims;
  while (int64_t(repeats.size()) < self.dim()) repeats.insert(0, 1);
  return repeat(self, repeats);
}

Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : flatten(self);
  const int64_t along = dim ? wrap_dim(*dim, self.dim()) : 0;
  FLAMBEAU_CHECK(repeats >= 0, "Repeats must be non-negative");
  const int64_t total = repeats * input.size(along);
  FLAMBEAU_CHECK(!output_size || *output_size == total, "repeat_interleave: Invalid output_size, expected ", total,
                 " but got ", output_size.value_or(0));
  Dims sizes = input.sizes();
  sizes.insert(size_t(along) + 1, repeats);
  return flatten(clone(expand(unsqueeze(input, along + 1), sizes)), along, along + 1);
}

Tensor repeat_interleave_indices(const Tensor& repeats, std::optional<int64_t> output_size) {
  FLAMBEAU_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  if (repeats.dtype() != DType::Int64 && repeats.dtype() != DType::Int32)
    not_implemented_for("repeat_interleave_cpu", repeats.dtype());
  const Tensor counts = as_int64(repeats, repeats.sizes());
  const int64_t* count = counts.data<const int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < counts.numel(); ++i) {
    FLAMBEAU_CHECK(count[i] >= 0, "repeats can not be negative");
    total += count[i];
  }
  FLAMBEAU_CHECK(!output_size || *output_size == total, "allocated size does not match required size");
  Tensor out = empty({total}, DType::Int64);
  int64_t* at = out.data<int64_t>();
  for (int64_t i = 0; i < counts.numel(); ++i) at = std::fill_n(at, count[i], i);
  return repeats.dtype() == DType::Int64 ? out : raw_cast(out, repeats.dtype());
}

Tensor repeat_interleave_by(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                            std::optional<int64_t> output_size) {
  const Tensor input = dim ? self : flatten(self);
  const int64_t along = dim ? wrap_dim(*dim, self.dim()) : 0;
  FLAMBEAU_CHECK(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor");
  Tensor counts = repeats;
  const int64_t size = input.dim() ? input.size(along) : 1;
  if (repeats.dim() == 0 || repeats.size(0) == 1) counts = expand(reshape(repeats, {1}), {size});
  else
    FLAMBEAU_CHECK(repeats.size(0) == size,
                   "repeats must have the same size as input along dim, but got repeats.size(0) = ", repeats.size(0),
                   " and input.size(", along, ") = ", size);
  return index_select(input, along, repeat_interleave_indices(counts, output_size));
}

// (..., C, H, W) read as (..., split), permuted, and joined to (..., joined); always new memory.
static Tensor shuffle_image(const Tensor& self, const Dims& split, const Dims& order, const Dims& joined) {
  const Dims batch = IntSpan(self.sizes()).first(size_t(self.dim() - 3));
  Dims shape = batch, result = batch, dims;
  for (const int64_t size : split) shape.push_back(size);
  for (const int64_t size : joined) result.push_back(size);
  for (int64_t d = 0; d < int64_t(batch.size()); ++d) dims.push_back(d);
  for (const int64_t d : order) dims.push_back(int64_t(batch.size()) + d);
  const Tensor moved = permute(reshape(self, shape), dims);
  return view(moved.is_contiguous() ? clone(moved) : contiguous(moved), result);
}

Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  FLAMBEAU_CHECK(self.dim() >= 3, "pixel_shuffle expects input to have at least 3 dimensions, but got input with ",
                 self.dim(), " dimension(s)");
  const int64_t r = upscale_factor;
  FLAMBEAU_CHECK(r > 0, "pixel_shuffle expects a positive upscale_factor, but got ", r);
  const int64_t c = self.size(-3), h = self.size(-2), w = self.size(-1);
  FLAMBEAU_CHECK(c % (r * r) == 0,
                 "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                 "upscale_factor, but input.size(-3)=",
                 c, " is not divisible by ", r * r);
  // (C, r, r, H, W) to (C, H, r, W, r)
  return shuffle_image(self, {c / (r * r), r, r, h, w}, {0, 3, 1, 4, 2}, {c / (r * r), h * r, w * r});
}

Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  FLAMBEAU_CHECK(self.dim() >= 3, "pixel_unshuffle expects input to have at least 3 dimensions, but got input with ",
                 self.dim(), " dimension(s)");
  const int64_t r = downscale_factor;
  FLAMBEAU_CHECK(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got ", r);
  const int64_t c = self.size(-3), h = self.size(-2), w = self.size(-1);
  FLAMBEAU_CHECK(h % r == 0,
                 "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=", h,
                 " is not divisible by ", r);
  FLAMBEAU_CHECK(w % r == 0,
                 "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=", w,
                 " is not divisible by ", r);
  // (C, H, r, W, r) to (C, r, r, H, W)
  return shuffle_image(self, {c, h / r, r, w / r, r}, {0, 2, 4, 1, 3}, {c * r * r, h / r, w / r});
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  FLAMBEAU_CHECK(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ",
                 self.sizes());
  const int64_t b = self.size(0), c = self.size(1);
  FLAMBEAU_CHECK(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  FLAMBEAU_CHECK(c % groups == 0, "Number of channels must be divisible by groups. Got ", c, " channels and ", groups,
                 " groups.");
  if (self.numel() == 0) return clone(self);
  return reshape(permute(reshape(self, {b, groups, c / groups, -1}), {0, 2, 1, 3}), self.sizes());
}

}  // namespace flambeau::ops
