#include "ops/upsample.h"

#include <array>
#include <cmath>

#include "kernels/resample.h"
#include "ops/copy.h"
#include "ops/linear_map.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

constexpr const char* kLetters = "DHW";

// Taps of one dimension: T is float or double, as the image; PyTorch computes positions in that type, too.
template <class T>
struct Axis {
  int taps = 1;
  std::vector<int64_t> index;
  std::vector<T> weight;
};

template <class T>
T scale_of(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? T(in - 1) / T(out - 1) : T(0);
  return scale && *scale > 0 ? T(1.0 / *scale) : T(in) / T(out);
}

template <class T>
Axis<T> nearest_axis(int64_t in, int64_t out, std::optional<double> given, bool exact) {
  const float scale = scale_of<float>(in, out, false, given);
  Axis<T> axis;
  for (int64_t o = 0; o < out; ++o) {
    int64_t i;
    if (exact) i = std::min(int64_t(std::floor((float(o) + 0.5f) * scale)), in - 1);
    else if (out == in) i = o;
    else if (out == 2 * in) i = o >> 1;
    else i = std::min(int64_t(std::floor(float(o) * scale)), in - 1);
    axis.index.push_back(i);
    axis.weight.push_back(1);
  }
  return axis;
}

template <class T>
T source_position(T scale, int64_t o, bool align_corners, bool cubic) {
  if (align_corners) return scale * T(o);
  const T position = std::fma(scale, T(o) + T(0.5), T(-0.5));
  return !cubic && position < T(0) ? T(0) : position;
}

template <class T>
Axis<T> linear_axis(int64_t in, int64_t out, bool align_corners, std::optional<double> given) {
  const T scale = scale_of<T>(in, out, align_corners, given);
  Axis<T> axis;
  axis.taps = 2;
  for (int64_t o = 0; o < out; ++o) {
    int64_t first = o, second = o;
    T second_weight = 0;
    if (in != out) {
      const T position = source_position(scale, o, align_corners, false);
      first = std::min(int64_t(position), in - 1);
      second = first + (first < in - 1);
      second_weight = std::min(std::max(position - T(first), T(0)), T(1));
    }
    axis.index.push_back(first);
    axis.index.push_back(second);
    axis.weight.push_back(T(1) - second_weight);
    axis.weight.push_back(second_weight);
  }
  return axis;
}

// Keys' kernel with a = -3/4, near (|x| <= 1) and far (1 < |x| < 2).
template <class T>
T cubic_near(T x) {
  return ((T(-0.75) + 2) * x - (T(-0.75) + 3)) * x * x + 1;
}
template <class T>
T cubic_far(T x) {
  return ((T(-0.75) * x - 5 * T(-0.75)) * x + 8 * T(-0.75)) * x - 4 * T(-0.75);
}

template <class T>
Axis<T> cubic_axis(int64_t in, int64_t out, bool align_corners, std::optional<double> given) {
  const T scale = scale_of<T>(in, out, align_corners, given);
  Axis<T> axis;
  axis.taps = 4;
  for (int64_t o = 0; o < out; ++o) {
    const T position = source_position(scale, o, align_corners, true);
    const int64_t base = std::min(int64_t(std::floor(position)), in - 1);
    const T t = std::min(std::max(position - T(base), T(0)), T(1));
    for (int64_t i = -1; i <= 2; ++i) axis.index.push_back(std::min(std::max<int64_t>(base + i, 0), in - 1));
    axis.weight.push_back(cubic_far(t + 1));
    axis.weight.push_back(cubic_near(t));
    axis.weight.push_back(cubic_near(T(1) - t));
    axis.weight.push_back(cubic_far(T(1) - t + 1));
  }
  return axis;
}

template <class T>
Axis<T> axis_of(Interpolation mode, int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  switch (mode) {
    case Interpolation::Linear: return linear_axis<T>(in, out, align_corners, scale);
    case Interpolation::Cubic: return cubic_axis<T>(in, out, align_corners, scale);
    default: return nearest_axis<T>(in, out, scale, mode == Interpolation::NearestExact);
  }
}

struct Resize {
  Interpolation mode;
  bool align_corners;
  int64_t spatial, planes;
  Dims in, out;                                  // whole sizes
  std::vector<std::optional<double>> scales;
};

template <class T>
Tensor run(const Resize& r, const Tensor& from, bool adjoint) {
  const Tensor to = empty(adjoint ? r.in : r.out, from.dtype());
  std::array<Axis<T>, 3> axes;
  ResampleArgs<T> args;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t d = i - (3 - r.spatial);
    const int64_t in = d < 0 ? 1 : r.in[size_t(d) + 2], out = d < 0 ? 1 : r.out[size_t(d) + 2];
    axes[i] = d < 0 ? Axis<T>{1, {0}, {T(1)}} : axis_of<T>(r.mode, in, out, r.align_corners, r.scales[size_t(d)]);
    args.in[i] = in, args.out[i] = out;
    args.taps[i] = axes[i].taps;
    args.index[i] = axes[i].index.data();
    args.weight[i] = axes[i].weight.data();
  }
  const int64_t in = args.in[0] * args.in[1] * args.in[2], out = args.out[0] * args.out[1] * args.out[2];
  const auto& kernel = kernels::resample().of<T>();
  parallel_for(0, r.planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(out, 1)), [&](int64_t begin, int64_t end) {
    if (adjoint) kernel.adjoint(args, end - begin, from.data<T>() + begin * out, to.data<T>() + begin * in);
    else kernel.forward(args, end - begin, from.data<T>() + begin * in, to.data<T>() + begin * out);
  });
  return to;
}

Tensor resized(const std::shared_ptr<const Resize>& r, std::string_view op, const Tensor& x, bool adjoint) {
  const bool nearest = r->mode == Interpolation::Nearest || r->mode == Interpolation::NearestExact;
  const bool converted = is_reduced_float(x.dtype()) || (nearest && x.dtype() == DType::UInt8);
  const Tensor from = raw_contiguous(converted ? raw_cast(x, DType::Float32) : x);
  const Tensor to = visit_real(op, from.dtype(), [&]<class T>(Type<T>) { return run<T>(*r, from, adjoint); });
  return raw_cast(to, x.dtype());
}

// What PyTorch calls the operator's node and kernel.
struct Names {
  std::string_view op, node, backward_node;
};
Names names_of(int64_t spatial, Interpolation mode) {
#define FLAMBEAU_NAMES(op, Node) {op, Node "Backward0", Node "BackwardBackward0"}
  static constexpr Names kNearest[] = {FLAMBEAU_NAMES("upsample_nearest1d_channels_last", "UpsampleNearest1D"),
                                       FLAMBEAU_NAMES("upsample_nearest2d_channels_last", "UpsampleNearest2D"),
                                       FLAMBEAU_NAMES("upsample_nearest3d_channels_last", "UpsampleNearest3D")};
  static constexpr Names kExact[] = {FLAMBEAU_NAMES("upsample_nearest1d_channels_last", "UpsampleNearestExact1D"),
                                     FLAMBEAU_NAMES("upsample_nearest2d_channels_last", "UpsampleNearestExact2D"),
                                     FLAMBEAU_NAMES("upsample_nearest3d_channels_last", "UpsampleNearestExact3D")};
  static constexpr Names kLinear[] = {FLAMBEAU_NAMES("compute_indices_weights_linear", "UpsampleLinear1D"),
                                      FLAMBEAU_NAMES("compute_indices_weights_linear", "UpsampleBilinear2D"),
                                      FLAMBEAU_NAMES("compute_indices_weights_linear", "UpsampleTrilinear3D")};
  static constexpr Names kCubic = FLAMBEAU_NAMES("compute_indices_weights_cubic", "UpsampleBicubic2D");
#undef FLAMBEAU_NAMES
  switch (mode) {
    case Interpolation::Nearest: return kNearest[spatial - 1];
    case Interpolation::NearestExact: return kExact[spatial - 1];
    case Interpolation::Linear: return kLinear[spatial - 1];
    default: return kCubic;
  }
}

std::string named_sizes(const Dims& sizes, size_t first) {
  std::string text;
  const size_t count = sizes.size() - first;
  for (size_t i = 0; i < count; ++i) text += str(i ? ", " : "", kLetters[3 - count + i], ": ", sizes[first + i]);
  return text;
}

}  // namespace

Tensor upsample(const Tensor& self, int64_t spatial, Interpolation mode, const ResizeRequest& request) {
  auto r = std::make_shared<Resize>();
  r->mode = mode;
  r->align_corners = request.align_corners;
  r->spatial = spatial;
  r->scales = request.scales;
  r->scales.resize(size_t(spatial));
  if (request.output_size)
    FLAMBEAU_CHECK(int64_t(request.output_size->size()) == spatial, "It is expected output_size equals to ", spatial,
                   ", but got size ", request.output_size->size());
  FLAMBEAU_CHECK(self.dim() == spatial + 2, "It is expected input_size equals to ", spatial + 2, ", but got size ",
                 self.dim());
  r->in = self.sizes();
  r->out = {self.size(0), self.size(1)};
  for (int64_t i = 0; i < spatial; ++i)
    r->out.push_back(request.output_size ? (*request.output_size)[size_t(i)]
                                         : int64_t(double(self.size(i + 2)) * *r->scales[size_t(i)]));
  bool positive = true;
  for (size_t i = 2; i < r->out.size(); ++i) positive &= r->in[i] > 0 && r->out[i] > 0;
  FLAMBEAU_CHECK(positive, "Input and output sizes should be greater than 0, but got input (", named_sizes(r->in, 2),
                 spatial == 1 ? ") and output (" : ") output (", named_sizes(r->out, 2), ")");
  FLAMBEAU_CHECK(self.size(1) != 0, "Non-empty ", spatial + 2, "D data tensor expected but got a tensor with sizes ",
                 self.sizes());
  r->planes = self.size(0) * self.size(1);
  const Names names = names_of(spatial, mode);
  auto map = std::make_shared<LinearMap>();
  map->name = names.node;
  map->backward_name = names.backward_node;
  map->forward = [r, names](const Tensor& x) { return resized(r, names.op, x, false); };
  map->adjoint = [r, names](const Tensor& grad) { return resized(r, names.op, grad, true); };
  return apply_linear_map(map, self);
}

}  // namespace flambeau::ops
