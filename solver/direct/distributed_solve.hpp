#pragma once

#include <optional>

#include "decomposition/field/regrid/redistribution.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/transforms/separable_solve.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The direct solution of a problem whose points are distributed among ranks.
///
/// The ranks hold slabs of the grid: first slabs across its last axis, in which the other axes are
/// transformed, then slabs across another axis, in which the last axis is transformed, and the
/// first ones again. Between them all ranks exchange values. Three fields of a rank's size at most.
/// Neither copyable nor movable.
template <class Real>
class DistributedSolve {
 public:
  /// Returns true if the grid is large enough to be distributed: it has as many points as there are
  /// ranks along two axes, and exchanging values costs less than solving all of it on every rank.
  static bool is_worthwhile(Problem const& problem, int ranks);

  /// Allocates the slabs.
  /// @param ranks   of the run; must outlive the object, like `queue` and `solve`
  /// @param finest  this rank's part of the fields that are passed to operator()
  /// @pre is_worthwhile(problem, ranks.size())
  DistributedSolve(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   Queue& queue, SeparableSolve<Real> const& solve);

  /// Solves A correction = source. Collective; waits for the queue.
  void operator()(FieldView<Real const> source, FieldView<Real> correction);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& finest, Backend backend,
                               int ranks, bool in_place);

 private:
  /// The two ways in which slabs divide the grid.
  struct Slabs {
    Subdomain across_last;
    Subdomain across_other;
  };
  static Slabs slabs_of(Problem const& problem, int ranks, int rank);
  DistributedSolve(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   Queue& queue, SeparableSolve<Real> const& solve, Slabs const& slabs);

  Queue* queue_;
  SeparableSolve<Real> const* solve_;
  HostStaging<Real> staging_;
  Redistribution<Real> to_slabs_;  ///< from the parts of the caller's fields
  Redistribution<Real> to_lines_;  ///< from slabs across the last axis to those across another one
  LocalBox slab_unknowns_;         ///< in slabs across the last axis
  LocalBox line_unknowns_;         ///< in slabs across the other axis
  Index3 first_mode_;              ///< of line_unknowns_
  Field<Real> slab_;
  std::optional<Field<Real>> other_slab_{};
  Field<Real> lines_;
};

}  // namespace isotherm
