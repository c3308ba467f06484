#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"
#include "kernels/core/field.hpp"
#include "kernels/multigrid/mean.hpp"

namespace isotherm {

/// Mean and extremes of a field, or of a plane of its points. The mean is the integral by the
/// trapezoidal rule divided by the volume: each point has the weight of its cell, or of the share
/// of it that counts. The extremes are those of points that are not excluded; only if there are
/// none, excluded ones with a share have a part in them. If no point counts, all three are NaN.
struct MeanAndExtremes {
  double mean = 0.0;  ///< Σ w u / Σ w, with the weights w
  double minimum = 0.0;
  double largest = 0.0;
  double share = 1.0;  ///< Σ w divided by that of all points: of the volume that is not excluded
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

/// Accumulates mean and extremes of weighted values. The sums are exact
/// (kernels/core/exact_sum.hpp), so neither the order of the values nor the decomposition matters.
class ExactTally {
 public:
  /// @param is_excluded  the value has a part in the mean only
  void add(double weight, double value, bool is_excluded = false) {
    sum_.add(weight * value);
    (is_excluded ? beyond_ : within_).add(value);
  }
  /// Adds the weight of a value to the sum of weights, which add() leaves unchanged.
  void add_weight(double weight) { weights_.add(weight); }

  /// Returns the sum of the weights of all ranks. Collective.
  [[nodiscard]] double weights(mpi::Communicator const& ranks) const;
  /// Returns mean and extremes over all ranks. The mean of equal values is exact. Collective.
  /// @param weights  sum of the weights of the values
  /// @param of_all   sum of the weights of all points, including the excluded ones
  [[nodiscard]] MeanAndExtremes over(mpi::Communicator const& ranks, double weights,
                                     double of_all) const;

 private:
  struct Extremes {
    double minimum = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();
    void add(double value) {
      minimum = std::min(minimum, value);
      largest = std::max(largest, value);
    }
    /// Returns those of all ranks. Collective.
    [[nodiscard]] Extremes over(mpi::Communicator const& ranks) const {
      return {ranks.min(minimum), ranks.max(largest)};
    }
    [[nodiscard]] bool exist() const { return minimum <= largest; }
  };

  ExactSum sum_{};
  ExactSum weights_{};
  Extremes within_{};
  Extremes beyond_{};  ///< of excluded points
};

/// Measures mean and extremes of the points of a box that are not excluded. The values are read by
/// the host, chunk by chunk. If shares are given, excluded points with a share have a part in the
/// mean.
///
///     ExactMeter<double> meter(ranks, queue, subdomain, grid.box(), -1, excluded_points(problem));
///     auto const [mean, minimum, largest, share] = meter.read(u.view());     // on every rank
template <class Real>
class ExactMeter {
 public:
  /// Arguments passed by reference must outlive the object. Not collective.
  /// @param points  of the grid
  /// @param across  the normal axis of a plane, along which all weights are 1; −1: no plane
  ExactMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain,
             GlobalBox const& points, int across, PointSet const& excluded,
             PointShare const& shares = {});

  /// Returns the same bits on every rank and for every decomposition, because the sum is exact.
  /// Collective; waits for the queue.
  [[nodiscard]] MeanAndExtremes read(FieldView<Real const> field);

 private:
  /// Calls visit(weight, value, is_excluded) for the points that have a weight or are not excluded.
  template <class Visit>
  void for_each_value(FieldView<Real const> field, Visit const& visit);

  mpi::Communicator const& ranks_;
  Queue& queue_;
  GlobalBox global_;                            ///< this rank's points; may be empty
  LocalBox box_;                                ///< the same points
  PerAxis<std::vector<double>> weights_along_;  ///< of the points of box_, by axis
  double weights_of_all_;                       ///< sum over all ranks, with excluded points
  std::optional<double> weights_{};             ///< sum over the others, known after a read()
  PointMask excluded_;                          ///< of the points of box_
  std::optional<HostStaging<Real>> staging_{};  ///< none if box_ is empty
  std::vector<Real> values_{};                  ///< of a chunk
};

/// Returns the points of a plane across an axis.
/// @param index  of the plane among the grid's points along `axis`
GlobalBox plane_of(Grid const& grid, int axis, std::int64_t index);

/// Measures mean and extremes of one grid plane of a field. It reads only the values of that plane.
///
///     PlaneMeter<double> outlet(ranks, queue, subdomain, 2, grid.points.z - 1);
///     auto const [mean, minimum, largest, share] = outlet.read(u.view());     // on every rank
template <class Real>
class PlaneMeter : public ExactMeter<Real> {
 public:
  /// Arguments passed by reference must outlive the object.
  /// @param axis  the normal of the plane
  /// @param index  of the plane among the grid's points along `axis`
  PlaneMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain, int axis,
             std::int64_t index, PointSet const& excluded = {}, PointShare const& shares = {})
      : ExactMeter<Real>(ranks, queue, subdomain, plane_of(subdomain.grid(), axis, index), axis,
                         excluded, shares) {}
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
