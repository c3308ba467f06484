#pragma once

#include <vector>

#include "decomposition/field/field_space.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Brings together on every rank a field of which each has computed a part, where every rank has
/// memory for all of it.
template <class Real>
class Assembly {
 public:
  /// @param ranks   that have the parts; outlives the object
  /// @param mine    this rank's part, in the frame of the field; may be empty
  /// Collective. @throws Error  where the parts overlap or leave points of `whole` out
  Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole);

  /// Replaces the other ranks' points of `field` by their values. Collective; waits.
  void assemble(Queue& queue, Staging<Real>& staging, FieldView<Real> field);

 private:
  mpi::Communicator const* ranks_;
  std::vector<LocalBox> parts_{};  ///< by rank
  std::vector<std::int64_t> counts_{};
  std::vector<Real> own_{};
  std::vector<Real> all_{};
};

}  // namespace isotherm
