#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/multigrid/mean.hpp"

namespace isotherm {

/// Mean and extremes of a field, or of a plane of its points. The mean is the integral by the
/// trapezoidal rule divided by the volume: each point has the weight of its cell.
struct MeanAndExtremes {
  double mean = 0.0;  ///< Σ w u / Σ w, with the weights w
  double minimum = 0.0;
  double largest = 0.0;
};

/// Returns the weights of the trapezoidal rule for the points of an axis, in units of the mean gap:
/// (gap before + gap behind) / (2 · mean gap). They sum to the number of gaps. On a periodic axis,
/// and on an axis that a 2D grid does not have, all are 1.
///
/// On a uniform axis between two faces they are ½, 1, …, 1, ½.
std::vector<double> trapezoidal_weights(Grid const& grid, int axis);

/// Returns the same weights for the points of a box, for each axis; empty lists if the box is
/// empty.
PerAxis<std::vector<double>> trapezoidal_weights(Grid const& grid, GlobalBox const& box);

/// Returns the planes of half weight on uniform axes: the points on the grid's physical faces, in
/// the rank's local indices.
HalfPlanes trapezoidal_weights(Subdomain const& subdomain);

/// Measures mean and extremes of one grid plane of a field. It reads only the values of that plane.
///
///     PlaneMeter<double> outlet(ranks, queue, subdomain, 2, grid.points.z - 1);
///     auto const [mean, minimum, largest] = outlet.read(u.view());   // on every rank
template <class Real>
class PlaneMeter {
 public:
  /// Arguments passed by reference must outlive the object.
  /// @param axis  the normal of the plane
  /// @param index  of the plane among the grid's points along `axis`
  PlaneMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain, int axis,
             std::int64_t index);

  /// Returns the same bits on every rank and for every decomposition, because the sum is exact
  /// (kernels/core/exact_sum.hpp). Collective; waits for the queue.
  [[nodiscard]] MeanAndExtremes read(FieldView<Real const> field);

 private:
  mpi::Communicator const& ranks_;
  Queue& queue_;
  LocalBox box_;                                ///< this rank's points of the plane; may be empty
  PerAxis<std::vector<double>> weights_along_;  ///< of the points of box_, by axis
  double weights_ = 1.0;                        ///< sum over the plane
  std::optional<HostStaging<Real>> staging_{};  ///< none if box_ is empty
  std::vector<Real> values_;
};

/// Measures mean and extremes of a whole field without copying it to the host, except on graded
/// grids. There the mean reads the values in chunks.
///
///     FieldMeter<double> meter(ranks, queue, subdomain);
///     double const mean = meter.mean(u.view());
///     double const hottest = meter.extreme(u.view(), true);
template <class Real>
class FieldMeter {
 public:
  /// Arguments passed by reference must outlive the object.
  FieldMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain);

  /// Returns the mean, summed in float64. Its last digits depend on the decomposition and on the
  /// backend. Collective; waits for the queue.
  [[nodiscard]] double mean(FieldView<Real const> field);
  /// Returns the maximum (`largest`) or the minimum. Collective; waits for the queue.
  [[nodiscard]] double extreme(FieldView<Real const> field, bool largest);

 private:
  /// Weights and buffers for a graded grid, whose values are summed on the host, chunk by chunk.
  struct Graded {
    Graded(Queue& queue, Subdomain const& subdomain);
    PerAxis<std::vector<double>> weights;  ///< of this rank's points
    std::vector<LocalBox> parts;           ///< chunks of the owned points
    HostStaging<Real> staging;
    std::vector<Real> values{};
  };
  /// The weighted sum over this rank's points.
  [[nodiscard]] double graded_sum(FieldView<Real const> field);

  /// The extremes of this rank's lines along one axis: a field of one point per line, small enough
  /// to be read by the host.
  struct Lines {
    Lines(Queue& queue, Extent3 ends)
        : extremes(queue, ends, {}),
          staging(queue, ends),
          values(static_cast<std::size_t>(LocalBox{{}, ends}.point_count())) {}
    Field<Real> extremes;
    HostStaging<Real> staging;
    std::vector<Real> values;
  };

  mpi::Communicator const& ranks_;
  Queue& queue_;
  LocalBox owned_;
  HalfPlanes halves_;
  double weights_ = 1.0;  ///< sum over the grid
  int axis_;              ///< along which lines are reduced
  FieldSums sums_;
  std::optional<Graded> graded_{};  ///< for graded grids
  std::optional<Lines> lines_{};    ///< allocated by the first call of extreme()
};

}  // namespace isotherm
