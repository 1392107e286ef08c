// Padding (native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp). Constant padding copies into a filled tensor;
// the other modes read each output element at a position of the input, and their gradients add in output order.
#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "ops/positions.h"

namespace flambeau::ops {
namespace {

enum class Mode { Reflect, Replicate, Circular };

// Where output element i comes from. A circular padding turns round what negative paddings have left.
int64_t source_of(Mode mode, int64_t i, int64_t left, int64_t right, int64_t size) {
  if (mode == Mode::Circular) {
    const int64_t skipped = std::max<int64_t>(-left, 0), kept = size - skipped - std::max<int64_t>(-right, 0);
    return skipped + ((i - std::max<int64_t>(left, 0)) % kept + kept) % kept;
  }
  i -= left;
  if (mode == Mode::Replicate) return std::clamp<int64_t>(i, 0, size - 1);
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

// Reads of the padded output's last `spatial` dims from a tensor with these sizes and strides.
BlockPlan plan_pad(Mode mode, IntSpan sizes, IntSpan strides, const Dims& pad) {
  const size_t ndim = sizes.size(), spatial = pad.size() / 2;
  BlockPlan plan;
  plan.set_outer(sizes.first(ndim - spatial), strides.first(ndim - spatial));
  plan.rows = {0};
  for (size_t d = ndim - spatial; d < ndim; ++d) {
    const int64_t left = pad[2 * (ndim - 1 - d)], right = pad[2 * (ndim - 1 - d) + 1];
    const int64_t length = sizes[d] + left + right;
    std::vector<int64_t> rows;
    rows.reserve(plan.rows.size() * size_t(length));
    for (const int64_t base : plan.rows)
      for (int64_t i = 0; i < length; ++i)
        rows.push_back(base + source_of(mode, i, left, right, sizes[d]) * strides[d]);
    plan.rows = std::move(rows);
  }
  return plan;
}

struct PadNames {
  const char *forward, *backward;
};

Tensor pad_backward(Mode mode, PadNames names, const Tensor& grad, const Dims& sizes, const Dims& pad);

Tensor pad_by_map(Mode mode, PadNames names, const Tensor& self, const Dims& pad) {
  Dims sizes = self.sizes();
  for (size_t i = 0; i < pad.size(); ++i) sizes[sizes.size() - 1 - i / 2] += pad[i];
  Tensor out = empty(sizes, self.dtype());
  read_blocks(plan_pad(mode, self.sizes(), self.strides(), pad), self, out);
  return record(names.forward, out, {self}, [&] {
    return [=, sizes = self.sizes()](const Tensor& grad, Needs) {
      return TensorList{pad_backward(mode, names, grad, sizes, pad)};
    };
  });
}

// PyTorch fills the borders of a circular padding by copies, dim by dim from the last, left before right. Its gradient
// takes those back in reverse: each border is added to the place it was copied from.
Tensor circular_backward(const Tensor& grad, const Dims& pad) {
  GradMode off(false);
  Tensor whole = empty(grad.sizes(), grad.dtype());
  raw_copy(whole, grad);
  Dims uncropped = pad;
  for (size_t i = pad.size() / 2; i-- > 0;) {
    const int64_t dim = whole.dim() - 1 - int64_t(i);
    const int64_t left = std::max<int64_t>(pad[2 * i], 0), right = std::max<int64_t>(pad[2 * i + 1], 0);
    const int64_t inside = whole.size(dim) - left - right;
    const auto add_to = [&](int64_t target, int64_t border, int64_t length) {
      const Tensor place = narrow(whole, dim, target, length);
      raw_copy(place, add(place, narrow(whole, dim, border, length)));
    };
    if (right) add_to(left, left + inside, right);
    if (left) add_to(inside, 0, left);
    whole = narrow(whole, dim, left, inside);
    for (const size_t side : {2 * i, 2 * i + 1}) uncropped[side] = std::max<int64_t>(-pad[side], 0);
  }
  return constant_pad_nd(whole, uncropped, 0);
}

// Do the borders come from the inside alone? Negative paddings beside large ones may leave too little of it.
bool wraps_once(const Dims& sizes, const Dims& pad) {
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    const int64_t kept =
        sizes[sizes.size() - 1 - i / 2] + std::min<int64_t>(pad[i], 0) + std::min<int64_t>(pad[i + 1], 0);
    if (std::max(pad[i], pad[i + 1]) > kept) return false;
  }
  return true;
}

Tensor pad_backward(Mode mode, PadNames names, const Tensor& grad, const Dims& sizes, const Dims& pad) {
  Tensor out;
  if (mode == Mode::Circular && wraps_once(sizes, pad)) {
    out = circular_backward(grad, pad);
  } else {
    out = zeros(sizes, grad.dtype());
    add_blocks(plan_pad(mode, out.sizes(), out.strides(), pad), out, raw_contiguous(grad));
  }
  return record(names.backward, out, {grad}, [&] {
    return [=](const Tensor& grad, Needs) { return TensorList{pad_by_map(mode, names, grad, pad)}; };
  });
}

void check_map_sizes(Mode mode, const Tensor& self, const Dims& pad) {
  const int64_t spatial = int64_t(pad.size()) / 2, ndim = self.dim();
  bool valid = ndim == spatial + 1 || ndim == spatial + 2;
  for (int64_t d = ndim == spatial + 2 ? 1 : 0; valid && d < ndim; ++d) valid = self.size(d) != 0;
  FLAMBEAU_CHECK(valid, "Expected ", spatial + 1, "D or ", spatial + 2,
                 "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ",
                 self.sizes());
  Dims out;
  for (int64_t i = spatial; i-- > 0;) {
    const int64_t left = pad[size_t(2 * i)], right = pad[size_t(2 * i + 1)], d = ndim - 1 - i, size = self.size(d);
    FLAMBEAU_CHECK(mode != Mode::Reflect || (left < size && right < size), "Argument #", 4 + 2 * i,
                   ": Padding size should be less than the corresponding input dimension, but got: padding (", left,
                   ", ", right, ") at dimension ", d, " of input ", self.sizes());
    out.push_back(size + left + right);
  }
  if (std::all_of(out.begin(), out.end(), [](int64_t n) { return n >= 1; })) return;
  if (spatial == 1) throw Error(str("input (W: ", self.size(-1), ") is too small. Calculated output W: ", out[0]));
  if (spatial == 2)
    throw Error(str("input (H: ", self.size(-2), ", W: ", self.size(-1), mode == Mode::Reflect ? "" : " ",
                    ") is too small. Calculated output H: ", out[0], " W: ", out[1]));
  throw Error(str("input (D: ", self.size(-3), " H: ", self.size(-2), ", W: ", self.size(-1),
                  ") is too small. Calculated output D: ", out[0], " H: ", out[1], " W: ", out[2]));
}

Tensor checked_pad(Mode mode, PadNames names, const Tensor& self, const Dims& padding, size_t expected) {
  FLAMBEAU_CHECK(padding.size() == expected, "padding size is expected to be ", expected,
                 ", but got: ", padding.size());
  check_map_sizes(mode, self, padding);
  return pad_by_map(mode, names, self, padding);
}

}  // namespace

Tensor constant_pad_nd(const Tensor& self, const Dims& pad, Scalar value) {
  FLAMBEAU_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  FLAMBEAU_CHECK(int64_t(pad.size()) <= 2 * self.dim(),
                 "Length of pad should be no more than twice the number of "
                 "dimensions of the input. Pad length is ",
                 pad.size(), " while the input has ", self.dim(), " dimensions.");
  Dims sizes = self.sizes();
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    const size_t d = sizes.size() - 1 - i / 2;
    const int64_t padded = sizes[d] + pad[i] + pad[i + 1];
    FLAMBEAU_CHECK(padded >= 0, "The input size ", sizes[d], ", plus negative padding ", pad[i], " and ", pad[i + 1],
                   " resulted in a negative output size, which is invalid. Check dimension ", d, " of your input.");
    sizes[d] = padded;
  }
  Tensor out = full(sizes, value, self.dtype());
  {
    GradMode off(false);
    Tensor from = self, to = out;
    for (size_t i = 0; i + 1 < pad.size(); i += 2) {
      const int64_t d = self.dim() - 1 - int64_t(i / 2);
      const int64_t left = pad[i], right = pad[i + 1];
      const int64_t skip = std::max<int64_t>(-left, 0);
      const int64_t kept = std::max<int64_t>(self.size(d) - skip - std::max<int64_t>(-right, 0), 0);
      from = narrow(from, d, std::min(skip, self.size(d)), kept);
      to = narrow(to, d, std::min(std::max<int64_t>(left, 0), out.size(d)), kept);
    }
    raw_copy(to, from);
  }
  return record("ConstantPadNdBackward0", out, {self}, [&] {
    Dims negated = pad;
    for (int64_t& n : negated) n = -n;
    return [negated](const Tensor& grad, Needs) { return TensorList{constant_pad_nd(grad, negated, 0)}; };
  });
}

#define FLAMBEAU_PAD(name, Mode_, Name, count)                                                           \
  Tensor name(const Tensor& self, const Dims& padding) {                                                 \
    return checked_pad(Mode::Mode_, {Name "Backward0", Name "BackwardBackward0"}, self, padding, count); \
  }
FLAMBEAU_PAD(reflection_pad1d, Reflect, "ReflectionPad1D", 2)
FLAMBEAU_PAD(reflection_pad2d, Reflect, "ReflectionPad2D", 4)
FLAMBEAU_PAD(reflection_pad3d, Reflect, "ReflectionPad3D", 6)
FLAMBEAU_PAD(replication_pad1d, Replicate, "ReplicationPad1D", 2)
FLAMBEAU_PAD(replication_pad2d, Replicate, "ReplicationPad2D", 4)
FLAMBEAU_PAD(replication_pad3d, Replicate, "ReplicationPad3D", 6)
#undef FLAMBEAU_PAD

Tensor pad_circular(const Tensor& self, const Dims& pad) {
  const int64_t spatial = self.dim() - 2;
  FLAMBEAU_CHECK(int64_t(pad.size()) == 2 * spatial || int64_t(pad.size()) == 2 * (spatial + 1),
                 "Invalid padding size, expected ", 2 * spatial, " but got ", pad.size());
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    const int64_t size = self.size(self.dim() - 1 - int64_t(i / 2));
    FLAMBEAU_CHECK(pad[i] <= size && pad[i + 1] <= size, "Padding value causes wrapping around more than once.");
    FLAMBEAU_CHECK(size + pad[i] + pad[i + 1] >= 0, "Negative padding value is resulting in an empty dimension");
  }
  return pad_by_map(Mode::Circular, {"PadCircularBackward0", "PadCircularBackwardBackward0"}, self, pad);
}

Tensor pad(const Tensor& self, const Dims& pad, const std::string& mode, std::optional<double> value) {
  FLAMBEAU_CHECK_AS(NotImplementedError,
                    mode == "constant" || mode == "reflect" || mode == "replicate" || mode == "circular",
                    "Unrecognised padding mode ", mode);
  FLAMBEAU_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  FLAMBEAU_CHECK(int64_t(pad.size()) <= 2 * self.dim(),
                 "Padding length should be less than or equal to two times the "
                 "input dimension but got padding length ",
                 pad.size(), " and input of dimension ", self.dim());
  if (mode == "constant") return constant_pad_nd(self, pad, value.value_or(0.0));
  FLAMBEAU_CHECK(value.value_or(0.0) == 0.0, "Padding mode \"", mode, "\" doesn't take in value argument");
  const int64_t spatial = int64_t(pad.size()) / 2;
  FLAMBEAU_CHECK_AS(NotImplementedError,
                    spatial >= 1 && spatial <= 3 && (self.dim() == spatial + 1 || self.dim() == spatial + 2),
                    "Padding size ", pad.size(), " is not supported for ", self.dim(), "D input tensor.");
  if (mode == "circular") return pad_circular(self, pad);
  using Pad = Tensor (*)(const Tensor&, const Dims&);
  static constexpr Pad reflect[] = {reflection_pad1d, reflection_pad2d, reflection_pad3d};
  static constexpr Pad replicate[] = {replication_pad1d, replication_pad2d, replication_pad3d};
  return (mode == "reflect" ? reflect : replicate)[spatial - 1](self, pad);
}

}  // namespace flambeau::ops
