#pragma once

#include <vector>

#include "decomposition/field/field_space.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Moves the values of a field between two ways in which the ranks share the points of one grid.
template <class Real>
class Redistribution {
 public:
  /// @param one, other  this rank's parts
  /// @param most_bytes  that a rank sends, and receives, in one call of MPI's, which counts them in
  ///                    31 bits; a plane more at most
  /// `ranks`, as many as there are parts, outlives the object.
  Redistribution(mpi::Communicator const& ranks, Subdomain const& one, Subdomain const& other,
                 std::int64_t most_bytes = std::int64_t{1} << 30);

  /// Sets the points of this rank's other part by the values of a field of the ranks' one parts.
  /// Both fields are in the frames of their parts. Collective; waits.
  void move(Queue& queue, Staging<Real>& staging, FieldView<Real const> one,
            FieldView<Real> other) const;
  /// The other way.
  void move_back(Queue& queue, Staging<Real>& staging, FieldView<Real const> other,
                 FieldView<Real> one) const;

  /// Bytes of host memory that it takes at most while values are moved; none where fields lie
  /// elsewhere, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& one, Subdomain const& other);

 private:
  /// For each rank the points that this one has in common with it, in a part's frame.
  using Shares = std::vector<LocalBox>;

  void pass(Queue& queue, Staging<Real>& staging, FieldView<Real const> from, Shares const& given,
            FieldView<Real> to, Shares const& taken) const;

  mpi::Communicator const* ranks_;
  Shares one_{};             ///< of this rank's one part with the others' other ones
  Shares other_{};           ///< and the other way round
  std::int64_t rounds_ = 1;  ///< in which all is moved
};

}  // namespace isotherm
