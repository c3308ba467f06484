#pragma once

#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/memory.hpp"

namespace isotherm {

/// Evaluates a distributed field at a few places, by linear interpolation along each axis. Reads
/// only the points next to the places, on whichever rank they are.
template <class Real>
class PointSampler {
 public:
  /// @param places  coordinates in the grid's box, to which on a periodic axis the stretch behind
  ///                its last point belongs; to within a billionth of a gap a place is a point
  /// What is passed by reference outlives the object.
  PointSampler(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain,
               std::vector<PerAxis<double>> const& places);

  /// The values in the order of the places, the same bits on every rank, however the grid is cut.
  /// Computed in float64. Collective; waits.
  [[nodiscard]] std::vector<double> read(FieldView<Real const> field);

 private:
  /// The points around a place: those at `lower`, and, along axes on which it lies between two, the
  /// next ones.
  struct Cell {
    Index3 lower;
    PerAxis<double> beyond{};  ///< in gaps, 0 … 1; 0: no next point counts
  };
  /// Points of this rank that follow one another, by their numbers in points_.
  struct Run {
    LocalBox box;
    std::size_t first;
  };

  [[nodiscard]] Cell cell_of(PerAxis<double> const& place) const;
  [[nodiscard]] Index3 corner(Cell const& cell, int dx, int dy, int dz) const;
  [[nodiscard]] std::size_t number_of(Index3 point) const;
  void list_points();
  void list_runs();
  void pack_runs(FieldView<Real const> field);
  [[nodiscard]] std::vector<double> values_at_points(FieldView<Real const> field);
  [[nodiscard]] double value_in(Cell const& cell, std::vector<double> const& values) const;

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  std::vector<Cell> cells_{};
  std::vector<Index3> points_{};  ///< of all ranks, each once, x fastest
  std::vector<Run> runs_{};
  std::int64_t own_ = 0;  ///< points of this rank
  Buffer packed_{};
  Buffer host_{};
};

}  // namespace isotherm
