#include "kernels/multigrid/cuda/fused_smoothing.hpp"
#include "kernels/multigrid/cuda/fused_smoothing_tile.cuh"
#include "kernels/multigrid/cuda/upright.hpp"
#include "kernels/sweep/cuda/temporal/temporal_3d.cuh"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {
namespace {

using Real = ISOTHERM_REAL;
constexpr int sweeps = max_fused_sweeps;

// Shapes of the temporally blocked kernel, tuned on an H200 like the plans of temporal_3d.real.cu.
using FromZeroShape = temporal_3d::Shape<sweeps, 12, 3, 5, 1, 2>;
using FurtherShape = temporal_3d::Shape<sweeps, 16, 2, 5, 1, 2>;

/// Minimum number of points for the temporally blocked sweep. For fewer points tiles are faster,
/// since their blocks do not march through planes.
constexpr std::int64_t min_deep_points = std::int64_t{1} << 20;

/// The rule of fused sweeps: a SummedRelax with constant weights.
template <int dimension>
using Rule = StencilRule<SummedRelax<Real, sweeps>, ConstantWeights<Real, dimension>>;

/// Returns the nth relaxation factor. Factors that are not given are 0, so their sweeps change
/// nothing.
Real weight(std::span<double const> weights, std::size_t n) {
  return n < weights.size() ? static_cast<Real>(weights[n]) : Real{0};
}

/// Returns the relaxation with factor `weight`.
PartialRelax<Real> by(Real weight) { return {Real{1} - weight, weight}; }

/// Returns the steps for an initial correction of zero: all steps sweep the residual, which begins
/// as the source.
SummedRelax<Real, sweeps> from_zero(std::span<double const> weights) {
  SummedRelax<Real, sweeps> rule{};
  for (std::size_t n = 0; n < sweeps; ++n) {
    rule.steps[n] = by(weight(weights, n));
    rule.counts[n] = weight(weights, n);
  }
  return rule;
}

/// Returns the steps for a nonzero initial correction: the first step converts the correction to
/// its residual, which the others sweep.
SummedRelax<Real, sweeps> further(std::span<double const> weights) {
  SummedRelax<Real, sweeps> rule{};
  rule.steps[0] = {Real{-1}, Real{1}};
  rule.counts[0] = 1;
  for (std::size_t n = 0; n < sweeps; ++n) {
    if (n + 1 < sweeps) rule.steps[n + 1] = by(weight(weights, n));
    rule.counts[n + 1] = weight(weights, n);
  }
  return rule;
}

/// Returns the rule for the correction and its steps.
template <int dimension>
Rule<dimension> rule_of(FusedSmoothing<Real> const& relaxation) {
  auto const& w = relaxation.neighbours;
  return {relaxation.correction ? further(relaxation.weights) : from_zero(relaxation.weights),
          {w.x, w.y, w.z}};
}

/// Converts to a pass of a sweep. Its input is the first field to be swept: the correction or the
/// source.
Pass<Real> pass_of(FusedSmoothing<Real> const& smoothing) {
  Pass<Real> pass;
  pass.in = smoothing.correction ? smoothing.correction : smoothing.source;
  pass.out = smoothing.out;
  pass.region = smoothing.region;
  pass.free = smoothing.free;
  if (smoothing.correction) pass.source = smoothing.source;
  return pass;
}

/// Performs the sweeps by the temporally blocked kernel of large 3D fields.
void fused_smoothing_deep(Queue& queue, FusedSmoothing<Real> const& relaxation) {
  auto const rule = rule_of<3>(relaxation);
  auto const pass = pass_of(relaxation);
  if (relaxation.correction) {
    auto const work = temporal_3d::work_of<Real, FurtherShape>(pass);
    temporal_3d::start<Rule<3>, FurtherShape, true, false>(queue, rule, work);
  } else {
    auto work = temporal_3d::work_of<Real, FromZeroShape>(pass);
    work.to_rest = distance(relaxation.out.origin, relaxation.rest.origin);
    temporal_3d::start<Rule<3>, FromZeroShape, false, false>(queue, rule, work);
  }
}

/// Returns true if the device can run the kernel with this shape.
template <class Shape, bool has_source>
bool runs_on(int device) {
  constexpr auto kernel = temporal_3d::sweep<Rule<3>, Shape, has_source, false>;
  constexpr int shared_bytes = temporal_3d::Tile<Real, Shape>::shared_bytes;
  return can_run(device, reinterpret_cast<void const*>(kernel),
                 {Shape::threads, shared_bytes, Shape::cluster}, sizeof(TileTask));
}

/// Returns true if the device can run both kernels of large 3D fields.
bool can_be_deep(int device) {
  return runs_on<FromZeroShape, false>(device) && runs_on<FurtherShape, true>(device);
}

}  // namespace

template <>
void fused_smoothing(Queue& queue, int dimension, FusedSmoothing<Real> const& relaxation) {
  if (dimension == 2) {
    fused_smoothing_tiles(queue, rule_of<2>(relaxation), upright(pass_of(relaxation)),
                          upright(relaxation.rest));
  } else if (relaxation.region.point_count() >= min_deep_points &&
             can_be_deep(queue.lane()->device)) {
    fused_smoothing_deep(queue, relaxation);
  } else {
    fused_smoothing_tiles(queue, rule_of<3>(relaxation), pass_of(relaxation), relaxation.rest);
  }
}

template <>
bool has_fused_smoothing<Real>(Queue const& queue, int dimension, std::int64_t points) {
  return dimension == 2 || points < min_deep_points || can_be_deep(queue.lane()->device);
}

}  // namespace isotherm::cuda
