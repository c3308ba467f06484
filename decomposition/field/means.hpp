#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/multigrid/mean.hpp"

namespace isotherm {

/// Of a field, or a plane of its points. The mean is that of the trapezoidal rule: points count by
/// the volume that is theirs.
struct MeanAndExtremes {
  double mean = 0.0;
  double least = 0.0;
  double largest = 0.0;
};

/// What the points of an axis count by the trapezoidal rule: half the gaps on both sides, relative
/// to the mean gap, so that all of them make as many as there are gaps.
std::vector<double> trapezoidal_weights(Grid const& grid, int axis);

/// The same weights of the points of a part of the grid, for each axis; none if it is empty.
PerAxis<std::vector<double>> trapezoidal_weights(Grid const& grid, GlobalBox const& box);

/// On axes that are not graded, the points of a rank that count half by the trapezoidal rule: those
/// on the grid's faces.
HalfPlanes trapezoidal_weights(Subdomain const& subdomain);

/// Measures a plane of a field's points: its values are read, and no others.
template <class Real>
class PlaneMeter {
 public:
  /// @param index  of the plane among the grid's points along `axis`
  /// What is passed by reference outlives the object.
  PlaneMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain, int axis,
             std::int64_t index);

  /// The same bits on every rank, however the grid is cut. Collective; waits.
  [[nodiscard]] MeanAndExtremes read(FieldView<Real const> field);

 private:
  mpi::Communicator const& ranks_;
  Queue& queue_;
  LocalBox box_;                                ///< this rank's points of the plane; may be empty
  PerAxis<std::vector<double>> weights_along_;  ///< of its points
  double weights_ = 1.0;                        ///< of all points of the plane
  std::optional<Staging<Real>> staging_{};
  std::vector<Real> values_;
};

/// Measures a whole field, where it lies.
template <class Real>
class FieldMeter {
 public:
  /// What is passed by reference outlives the object.
  FieldMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain);

  /// The mean, summed in float64; its last digits depend on how the grid is cut and on the backend.
  /// Collective; waits.
  [[nodiscard]] double mean(FieldView<Real const> field);
  /// The largest value, or the smallest. Collective; waits.
  [[nodiscard]] double extreme(FieldView<Real const> field, bool largest);

 private:
  /// What the points of a graded grid count. They are summed on the host, part by part.
  struct Graded {
    Graded(Queue& queue, Subdomain const& subdomain);
    PerAxis<std::vector<double>> weights;  ///< of this rank's points
    std::vector<LocalBox> parts;
    Staging<Real> staging;
    std::vector<Real> values{};
  };
  [[nodiscard]] double graded_sum(FieldView<Real const> field);

  /// What is left of this rank's points where each line of them along an axis becomes one value.
  struct Lines {
    Lines(Queue& queue, Extent3 ends)
        : extremes(queue, ends, {}),
          staging(queue, ends),
          values(static_cast<std::size_t>(LocalBox{{}, ends}.point_count())) {}
    Field<Real> extremes;
    Staging<Real> staging;
    std::vector<Real> values;
  };

  mpi::Communicator const& ranks_;
  Queue& queue_;
  LocalBox owned_;
  HalfPlanes halves_;
  double weights_ = 1.0;  ///< of all points
  int axis_;              ///< along which lines are reduced
  FieldSums sums_;
  std::optional<Graded> graded_{};  ///< where the grid is
  std::optional<Lines> lines_{};    ///< once it is asked for extremes
};

}  // namespace isotherm
