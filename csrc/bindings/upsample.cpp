#include "ops/upsample.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {
namespace {

using ops::Interpolation;
using Factors = std::optional<std::vector<double>>;
using Scale = std::optional<double>;

// Sizes or factors, as the functional interface passes them.
ops::ResizeRequest request(const std::optional<Dims>& size, const Factors& factors, bool align_corners = false) {
  FLAMBEAU_CHECK(size.has_value() != factors.has_value(), "Must specify exactly one of output_size and scale_factors");
  ops::ResizeRequest r{size, {}, align_corners};
  if (factors) r.scales.assign(factors->begin(), factors->end());
  return r;
}

template <int N, Interpolation mode>
Tensor by_factors(const Tensor& input, const std::optional<Dims>& output_size, const Factors& scale_factors) {
  return ops::upsample(input, N, mode, request(output_size, scale_factors));
}
template <int N, Interpolation mode>
Tensor aligned_by_factors(const Tensor& input, const std::optional<Dims>& output_size, bool align_corners,
                          const Factors& scale_factors) {
  return ops::upsample(input, N, mode, request(output_size, scale_factors, align_corners));
}

template <Interpolation mode>
Tensor resize1(const Tensor& self, const Dims& size, Scale w) {
  return ops::upsample(self, 1, mode, {size, {w}, false});
}
template <Interpolation mode>
Tensor resize2(const Tensor& self, const Dims& size, Scale h, Scale w) {
  return ops::upsample(self, 2, mode, {size, {h, w}, false});
}
template <Interpolation mode>
Tensor resize3(const Tensor& self, const Dims& size, Scale d, Scale h, Scale w) {
  return ops::upsample(self, 3, mode, {size, {d, h, w}, false});
}
Tensor linear1(const Tensor& self, const Dims& size, bool align_corners, Scale w) {
  return ops::upsample(self, 1, Interpolation::Linear, {size, {w}, align_corners});
}
template <Interpolation mode>
Tensor aligned2(const Tensor& self, const Dims& size, bool align_corners, Scale h, Scale w) {
  return ops::upsample(self, 2, mode, {size, {h, w}, align_corners});
}
Tensor linear3(const Tensor& self, const Dims& size, bool align_corners, Scale d, Scale h, Scale w) {
  return ops::upsample(self, 3, Interpolation::Linear, {size, {d, h, w}, align_corners});
}

}  // namespace

void bind_upsample() {
  constexpr auto kNearest = Interpolation::Nearest, kExact = Interpolation::NearestExact,
                 kLinear = Interpolation::Linear;
  constexpr auto kCubic = Interpolation::Cubic;
  def<&by_factors<1, kNearest>>("upsample_nearest1d(input, output_size, scale_factors)", kNN);
  def<&by_factors<2, kNearest>>("upsample_nearest2d(input, output_size, scale_factors)", kNN);
  def<&by_factors<3, kNearest>>("upsample_nearest3d(input, output_size, scale_factors)", kNN);
  def<&by_factors<1, kExact>>("_upsample_nearest_exact1d(input, output_size, scale_factors)", kNN);
  def<&by_factors<2, kExact>>("_upsample_nearest_exact2d(input, output_size, scale_factors)", kNN);
  def<&by_factors<3, kExact>>("_upsample_nearest_exact3d(input, output_size, scale_factors)", kNN);
  def<&aligned_by_factors<1, kLinear>>("upsample_linear1d(input, output_size, align_corners, scale_factors)", kNN);
  def<&aligned_by_factors<2, kLinear>>("upsample_bilinear2d(input, output_size, align_corners, scale_factors)", kNN);
  def<&aligned_by_factors<3, kLinear>>("upsample_trilinear3d(input, output_size, align_corners, scale_factors)", kNN);
  def<&aligned_by_factors<2, kCubic>>("upsample_bicubic2d(input, output_size, align_corners, scale_factors)", kNN);
  def<&resize1<kNearest>>("upsample_nearest1d(self, output_size, scales=None)", kNN | kOut);
  def<&resize2<kNearest>>("upsample_nearest2d(self, output_size, scales_h=None, scales_w=None)", kNN | kOut);
  def<&resize3<kNearest>>("upsample_nearest3d(self, output_size, scales_d=None, scales_h=None, scales_w=None)",
                          kNN | kOut);
  def<&resize1<kExact>>("_upsample_nearest_exact1d(self, output_size, scales=None)", kNN | kOut);
  def<&resize2<kExact>>("_upsample_nearest_exact2d(self, output_size, scales_h=None, scales_w=None)", kNN | kOut);
  def<&resize3<kExact>>("_upsample_nearest_exact3d(self, output_size, scales_d=None, scales_h=None, scales_w=None)",
                        kNN | kOut);
  def<&linear1>("upsample_linear1d(self, output_size, align_corners, scales=None)", kNN | kOut);
  def<&aligned2<kLinear>>("upsample_bilinear2d(self, output_size, align_corners, scales_h=None, scales_w=None)",
                          kNN | kOut);
  def<&aligned2<kCubic>>("upsample_bicubic2d(self, output_size, align_corners, scales_h=None, scales_w=None)",
                         kNN | kOut);
  def<&linear3>("upsample_trilinear3d(self, output_size, align_corners, scales_d=None, scales_h=None, scales_w=None)",
                kNN | kOut);
}

}  // namespace flambeau::bind
