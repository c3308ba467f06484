#pragma once

#include <vector>

#include "decomposition/field/field_space.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Moves the values of a field between two decompositions of the same grid. Multigrid uses it for
/// coarse levels whose points are distributed anew.
///
///     Redistribution<double> const moves(ranks, fine_parts, coarse_parts);
///     moves.move(queue, staging, residual.view(), level.view());
///     moves.move_back(queue, staging, level.view(), residual.view());
template <class Real>
class Redistribution {
 public:
  /// @param ranks  as many as each decomposition has parts; must outlive the object
  /// @param one, other  this rank's parts in both decompositions
  /// @param max_bytes  limit of what a rank sends or receives per MPI call, which counts in 31
  ///   bits; exceeded by one plane of each share at most
  ///
  /// Not collective: every rank computes all overlaps from the decompositions.
  Redistribution(mpi::Communicator const& ranks, Subdomain const& one, Subdomain const& other,
                 std::int64_t max_bytes = std::int64_t{1} << 30);

  /// Copies a field in the decomposition `one` to a field in the decomposition `other`. Each view
  /// is in the frame of its own part. Collective; waits for the queue.
  void move(Queue& queue, HostStaging<Real>& staging, FieldView<Real const> one,
            FieldView<Real> other) const;
  /// The reverse of move(). Collective; waits for the queue.
  void move_back(Queue& queue, HostStaging<Real>& staging, FieldView<Real const> other,
                 FieldView<Real> one) const;

  /// Returns an upper bound on the host memory in bytes that move() allocates. Returns 0 on a
  /// device, whose memory it does not use; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& one, Subdomain const& other);

 private:
  /// The intersections of this rank's part in one decomposition with every rank's part in the other
  /// one, by rank.
  using Shares = std::vector<LocalBox>;

  /// Moves values in either direction. Collective; waits for the queue.
  /// @param given  boxes of `from` that this rank sends, by receiving rank
  /// @param taken  boxes of `to` that this rank receives, by sending rank
  void pass(Queue& queue, HostStaging<Real>& staging, FieldView<Real const> from,
            Shares const& given, FieldView<Real> to, Shares const& taken) const;

  mpi::Communicator const* ranks_;
  Shares one_{};             ///< of my part in `one`, in its frame
  Shares other_{};           ///< of my part in `other`, in its frame
  std::int64_t rounds_ = 1;  ///< number of exchanges; the same on every rank
};

}  // namespace isotherm
