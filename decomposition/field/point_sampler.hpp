#pragma once

#include <vector>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// The grid cell around a place: the points at `lower`, and the next ones along axes on which the
/// place lies between two points.
struct GridCell {
  Index3 lower;
  PerAxis<double> beyond{};  ///< weight of the next point, 0 … 1; 0: the next point is not used
  PerAxis<bool> at_end{};    ///< `lower` is point 0, which stands for the end of a periodic axis
};
/// Returns the cell around a place in the grid's box; on a periodic axis the box includes the gap
/// behind the last point. A place within 10⁻⁹ of a gap from a point counts as that point.
GridCell cell_around(Grid const& grid, PerAxis<double> const& place);

/// A point from which the value at a place is interpolated.
struct CellCorner {
  Index3 point;
  double weight;  ///< above 0; the weights of a cell sum to 1, except for rounding
  Index3 step;    ///< from the cell's lower point
};
/// Returns the corners of a cell with weights above 0, x fastest, wrapped on periodic axes.
std::vector<CellCorner> corners_of(Grid const& grid, GridCell const& cell);

/// Samples a distributed field at a few places by linear interpolation along each axis (bilinear,
/// trilinear). It reads only the grid points around the places, on the ranks that own them.
///
///     PointSampler<double> probe(ranks, queue, subdomain, {{0.5, 0.5, 0.1}, {0.5, 0.5, 0.2}});
///     std::vector<double> const values = probe.read(u.view());       // on every rank
template <class Real>
class PointSampler {
 public:
  /// Arguments passed by reference must outlive the object.
  /// @param places  coordinates in the grid's box; on a periodic axis the box includes the gap
  ///   behind the last point. A place within 10⁻⁹ of a gap from a point is treated as that point
  /// @param excluded  points that have no part in the interpolation: the weights of the others are
  ///   scaled so that their sum is 1. A place with excluded points only has the value NaN
  /// @param gain  how much the field gains over the period of each periodic axis
  PointSampler(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain,
               std::vector<PerAxis<double>> const& places, PointSet const& excluded = {},
               PerAxis<double> const& gain = {});

  /// Returns the values in the order of the places, computed in float64. They have the same bits on
  /// every rank and for every decomposition. Collective; waits for the queue.
  [[nodiscard]] std::vector<double> read(FieldView<Real const> field);

 private:
  /// Points of this rank that are contiguous along x, and consecutive in points_.
  struct Run {
    LocalBox box;
    std::size_t first;  ///< number of the first one in points_
  };

  /// The global index of a corner of a cell, wrapped on periodic axes.
  [[nodiscard]] Index3 corner(GridCell const& cell, Index3 step) const;
  /// The gain over the periods from the point that stores the value of a corner to the corner.
  [[nodiscard]] double gain_at(GridCell const& cell, Index3 step) const;
  /// The position of a point in points_.
  [[nodiscard]] std::size_t number_of(Index3 point) const;
  /// Sets points_ to the corners of all cells.
  void list_points();
  /// Sets runs_ and own_.
  void list_runs();
  /// Enqueues packing this rank's values into packed_, in the order of runs_.
  void pack_runs(FieldView<Real const> field);
  /// Returns the values at points_ on every rank. Collective; waits for the queue.
  [[nodiscard]] std::vector<double> values_at_points(FieldView<Real const> field);
  /// Interpolates in one cell. @param values  at points_, in their order
  [[nodiscard]] double value_in(GridCell const& cell, std::vector<double> const& values) const;
  /// True if some corner of the cell is excluded.
  [[nodiscard]] bool touches_excluded(GridCell const& cell) const;
  /// Interpolates from the corners that are not excluded.
  [[nodiscard]] double value_of_rest(GridCell const& cell, std::vector<double> const& values) const;

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  PerAxis<double> gain_;           ///< over the period of each axis
  std::vector<GridCell> cells_{};  ///< one per place
  std::vector<Index3> points_{};   ///< of all ranks, without duplicates, sorted with x fastest
  std::vector<bool> excluded_{};   ///< for each of points_; empty if none can be
  std::vector<Run> runs_{};        ///< this rank's points
  std::int64_t own_ = 0;           ///< number of this rank's points
  Buffer packed_{};                ///< values of the runs, in device memory
  Buffer host_{};                  ///< the same in pinned host memory
};

}  // namespace isotherm
