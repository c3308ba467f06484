#pragma once

#include <optional>
#include <string>

#include "decomposition/field/regrid/transposition.hpp"
#include "kernels/transforms/separable_solve.hpp"
#include "solver/direct/distributed_lines.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The direct solution of a problem whose points are distributed among ranks.
///
/// The ranks hold slabs of the grid across the axis that is solved last. In these the other axes
/// are transformed. The last axis is then solved in one of two ways:
///
/// - Its lines have tridiagonal systems and remain cut. Ranks exchange two values for each line
///   (DistributedLines).
/// - All values move to slabs across another axis, and back after the solution of the last one.
///
/// If the caller's fields are slabs across the last axis, transforms read and write them directly,
/// and the correction holds the modes. Memory: a field of a rank's size for lines or for working
/// in, one more for slabs of another shape, two more if a transform does not work in place, and the
/// messages. Neither copyable nor movable.
template <class Real>
class DistributedSolve {
 public:
  /// Allocates the slabs. Collective.
  /// @param ranks   of the run; must outlive the object, like `queue` and `solve`
  /// @param finest  this rank's part of the fields that are passed to solve_into()
  /// @param rows    the systems along the last axis, if its lines remain cut
  /// @pre is_worth_distributing(problem, solve.last_axis(), ranks.size()); with `rows`
  ///   cuts_lines()
  DistributedSolve(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   Queue& queue, SeparableSolve<Real> const& solve, TransportKind transport,
                   std::optional<TridiagonalRows> const& rows);

  /// Replaces the systems along the last axis, and takes over the eigenvalues along the others.
  /// Collective. @pre  The constructor had `rows`.
  void set_systems(TridiagonalRows const& rows);

  /// Returns true if the caller's fields are slabs across the last axis.
  [[nodiscard]] bool has_slabs() const { return !to_slabs_; }
  /// Solves A field = source at the unknown points of `field`. Its other points keep their values.
  /// Collective.
  /// @param work  a field whose other points are 0; its unknown points are overwritten. May be
  ///   `field`.
  /// @pre has_slabs(), or `field` is `work`
  void solve_into(FieldView<Real const> source, FieldView<Real> work, FieldView<Real> field);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  /// @param last       the axis that is solved last
  /// @param cuts_lines  lines of the last axis remain cut
  /// @param in_place   all transforms work in place
  static std::size_t footprint(Problem const& problem, int last, bool cuts_lines,
                               Subdomain const& finest, Backend backend, int ranks, bool in_place,
                               TransportKind transport);

  [[nodiscard]] TransportDescription transport_description() const {
    return to_lines_ ? to_lines_->transport_description() : cut_lines_->transport_description();
  }
  /// Returns the host time spent in exchanges until now, in seconds.
  [[nodiscard]] double seconds() const {
    return (to_lines_ ? to_lines_->seconds() : cut_lines_->seconds()) +
           (to_slabs_ ? to_slabs_->seconds() : 0.0);
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
                   std::optional<TridiagonalRows> const& rows, Slabs const& slabs);
  FieldView<Real> to_modes(FieldView<Real const> source, FieldView<Real> slab);
  FieldView<Real> solve_last_axis(FieldView<Real> modes, FieldView<Real> slab);
  void to_points(FieldView<Real> slab, FieldView<Real> result);
  FieldView<Real> scratch_for(FieldView<Real> modes);

  Queue* queue_;
  SeparableSolve<Real> const* solve_;
  /// From the parts of the caller's fields; none if these are slabs across the last axis.
  std::optional<Transposition<Real>> to_slabs_{};
  /// From slabs across the last axis to those across another one; none if lines remain cut.
  std::optional<Transposition<Real>> to_lines_{};
  std::optional<DistributedLines<Real>> cut_lines_{};  ///< if lines remain cut
  LocalBox slab_unknowns_;                             ///< in slabs across the last axis
  LocalBox line_unknowns_;                             ///< in slabs across the other axis
  Index3 first_mode_;                                  ///< of line_unknowns_
  std::optional<Field<Real>> slab_{};                  ///< none if the correction takes its place
  std::optional<Field<Real>> other_slab_{};
  std::optional<Field<Real>> lines_{};  ///< none if lines remain cut
};

}  // namespace isotherm
