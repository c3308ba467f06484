#pragma once

#include <cstddef>
#include <optional>

#include "decomposition/field/regrid/transposition.hpp"
#include "kernels/transforms/tridiagonal/line_part.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Solves tridiagonal systems along the lines of a grid whose slabs cut them, one slab a rank.
///
/// The values of a slab remain on its rank. Of each line, a rank sends two values, the
/// contributions to the right-hand sides of two separators (LinePart), and receives the values of
/// these separators. In between, each rank solves the chains of separators of its share of the
/// lines. Memory: six planes of a slab, and the messages. Neither copyable nor movable.
template <class Real>
class DistributedLines {
 public:
  /// How the separators of all lines are divided among ranks: as the slabs are, with two planes
  /// for each rank, and across another axis, with whole chains.
  struct Planes {
    Subdomain of_slabs;
    Subdomain of_chains;
  };

  /// Allocates the planes. Collective. Call set_systems() next.
  /// @param ranks   of the run; must outlive the object, like `queue`
  /// @param slab    this rank's part of the grid, which is cut across `axis` alone
  /// @param chains  this rank's part of a division across another axis alone, by which the lines
  ///   are shared to solve the chains of separators
  /// @pre Each slab has at least three unknown points along `axis`.
  DistributedLines(mpi::Communicator const& ranks, Problem const& problem, int axis,
                   Subdomain const& slab, Subdomain const& chains, Queue& queue,
                   TransportKind transport);

  /// Sets the systems of all lines. Collective.
  /// @param rows      of whole lines; none of the systems is singular
  /// @param spectrum  of the other axes; must also be passed to solve()
  /// @param scratch   a field of the slab, whose unknown points are overwritten
  void set_systems(TridiagonalRows const& rows, Spectrum<Real> const& spectrum,
                   FieldView<Real> scratch);

  /// Solves the systems at the unknown points of the slab. Collective.
  /// @param field    the right-hand sides, which become the solution
  /// @param scratch  another field of the slab, whose unknown points are overwritten
  void solve(FieldView<Real> field, FieldView<Real> scratch, Spectrum<Real> const& spectrum);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, int axis, Subdomain const& slab,
                               Subdomain const& chains, Backend backend, TransportKind transport);

  [[nodiscard]] TransportDescription transport_description() const {
    return exchange_.transport_description();
  }
  /// Returns the host time spent in exchanges until now, in seconds.
  [[nodiscard]] double seconds() const { return exchange_.seconds(); }

 private:
  DistributedLines(mpi::Communicator const& ranks, Problem const& problem, int axis,
                   Subdomain const& slab, Subdomain const& chains, Planes const& planes,
                   Queue& queue, TransportKind transport);

  mpi::Communicator const* ranks_;
  Queue* queue_;
  int axis_;
  std::int64_t parts_;
  LocalBox slab_unknowns_;
  LocalBox chain_unknowns_;  ///< lines whose chains the rank solves
  std::int64_t first_row_;   ///< of the rank's part
  Transposition<Real> exchange_;
  Field<Real> planes_;   ///< of the rank's separators
  Field<Real> sources_;  ///< of the rank's chains
  Field<Real> chains_;   ///< factors of the rank's chains
  std::optional<LinePart<Real>> part_{};
};

}  // namespace isotherm
