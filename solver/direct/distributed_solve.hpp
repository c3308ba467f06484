#pragma once

#include <optional>
#include <string>

#include "decomposition/field/regrid/transposition.hpp"
#include "kernels/transforms/separable_solve.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The direct solution of a problem whose points are distributed among ranks.
///
/// The ranks hold slabs of the grid: first slabs across the axis that is solved last, in which the
/// other axes are transformed, then slabs across another axis, in which the last axis is solved,
/// and the first ones again. Between them all ranks exchange values. If the caller's fields are
/// slabs across the last axis, transforms read and write them directly, and the correction holds
/// the modes. Memory: a field of a rank's size for lines, one more for slabs of another shape, two
/// more if a transform does not work in place, and the messages. Neither copyable nor movable.
template <class Real>
class DistributedSolve {
 public:
  /// Returns true if the grid is large enough to be distributed: it has as many points as there are
  /// ranks along two axes, and exchanging values costs less than solving all of it on every rank.
  /// @param last  the axis that is solved last, as SeparableSolve::last_axis(); −1 if there is none
  static bool is_worthwhile(Problem const& problem, int last, int ranks);

  /// Allocates the slabs. Collective.
  /// @param ranks   of the run; must outlive the object, like `queue` and `solve`
  /// @param finest  this rank's part of the fields that are passed to operator()
  /// @pre is_worthwhile(problem, solve.last_axis(), ranks.size())
  DistributedSolve(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   Queue& queue, SeparableSolve<Real> const& solve, TransportKind transport);

  /// Solves A correction = source. Collective.
  void operator()(FieldView<Real const> source, FieldView<Real> correction);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, int last, Subdomain const& finest,
                               Backend backend, int ranks, bool in_place, TransportKind transport);

  [[nodiscard]] TransportDescription transport_description() const {
    return to_lines_.transport_description();
  }
  /// Returns the host time spent in exchanges until now, in seconds.
  [[nodiscard]] double seconds() const {
    return to_lines_.seconds() + (to_slabs_ ? to_slabs_->seconds() : 0.0);
  }

 private:
  /// The two ways in which slabs divide the grid.
  struct Slabs {
    Subdomain across_last;
    Subdomain across_other;
  };
  static Slabs slabs_of(Problem const& problem, int last, int ranks, int rank);
  DistributedSolve(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   Queue& queue, SeparableSolve<Real> const& solve, TransportKind transport,
                   Slabs const& slabs);
  FieldView<Real> to_modes(FieldView<Real const> source, FieldView<Real> slab);
  void to_points(FieldView<Real> slab, FieldView<Real> correction);

  Queue* queue_;
  SeparableSolve<Real> const* solve_;
  /// From the parts of the caller's fields; none if these are slabs across the last axis.
  std::optional<Transposition<Real>> to_slabs_{};
  Transposition<Real> to_lines_;  ///< from slabs across the last axis to those across another one
  LocalBox slab_unknowns_;        ///< in slabs across the last axis
  LocalBox line_unknowns_;        ///< in slabs across the other axis
  Index3 first_mode_;             ///< of line_unknowns_
  std::optional<Field<Real>> slab_{};  ///< none if the correction takes its place
  std::optional<Field<Real>> other_slab_{};
  Field<Real> lines_;
};

}  // namespace isotherm
