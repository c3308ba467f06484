#include "kernels/multigrid/fused_smoothing.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/fused_smoothing.hpp"

namespace isotherm {

namespace {

/// Returns the points that `sweeps` sweeps of the region read. Reads end one point beyond the
/// points that change.
template <class Real>
LocalBox read_by_sweeps(FusedSmoothing<Real> const& relaxation, int dimension, int sweeps) {
  Index3 const reach{sweeps, sweeps, dimension == 3 ? sweeps : 0};
  LocalBox const grown = relaxation.region.grown(reach);
  LocalBox const seen = relaxation.free.grown({1, 1, dimension == 3 ? 1 : 0});
  LocalBox read = intersection(grown, seen);
  // The region itself is always read, since fixed points are copied.
  for (int axis = 0; axis < 3; ++axis) {
    read.lower[axis] = std::min(read.lower[axis], relaxation.region.lower[axis]);
    read.upper[axis] = std::max(read.upper[axis], relaxation.region.upper[axis]);
  }
  return read;
}

}  // namespace

template <class Real>
bool has_fused_smoothing(Queue const& queue, int dimension, std::int64_t points) {
  return dispatch(
      queue, [] { return false; },
      [&](auto) { return cuda::has_fused_smoothing<Real>(queue, dimension, points); });
}

template <class Real>
void fused_smoothing(Queue& queue, int dimension, FusedSmoothing<Real> const& relaxation) {
  if (relaxation.region.empty()) return;
  require(relaxation.weights.size() <= max_fused_sweeps, "too many fused sweeps");
  // If the sweeps start from zero, the remaining residual is stored. Otherwise it is not computed.
  require(relaxation.source && bool(relaxation.rest) != bool(relaxation.correction),
          "fused smoothing needs a source, and a residual field exactly if it starts from zero");
  require(relaxation.out.box.contains(relaxation.region) &&
              (!relaxation.rest || relaxation.rest.box.contains(relaxation.region)),
          "a relaxation reaches past its result");
  FieldView<Real const> const read =
      relaxation.correction ? relaxation.correction : relaxation.source;
  require(read.box.contains(read_by_sweeps(relaxation, dimension, max_fused_sweeps)) &&
              relaxation.source.box.contains(
                  read_by_sweeps(relaxation, dimension, max_fused_sweeps - 1)),
          "a relaxation reaches past its fields (which need a deeper halo)");
  dispatch(
      queue, [&] { throw Error("the CPU backend has no fused relaxation"); },
      [&](auto) { cuda::fused_smoothing(queue, dimension, relaxation); });
}

template bool has_fused_smoothing<float>(Queue const&, int, std::int64_t);
template bool has_fused_smoothing<double>(Queue const&, int, std::int64_t);
template void fused_smoothing(Queue&, int, FusedSmoothing<float> const&);
template void fused_smoothing(Queue&, int, FusedSmoothing<double> const&);

}  // namespace isotherm
