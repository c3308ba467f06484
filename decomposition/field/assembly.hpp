#pragma once

#include <vector>

#include "decomposition/field/field_space.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Completes a field on every rank when each rank has computed a part of it (an all-gather of
/// boxes). Multigrid uses it for coarse levels that every rank stores as a whole.
///
///     Assembly<double> assembly(ranks, my_box, whole);    // once
///     // enqueue work that computes the points of my_box
///     assembly.assemble(queue, staging, field.view());    // all points on every rank
template <class Real>
class Assembly {
 public:
  /// Collects the parts of all ranks. Collective.
  /// @param ranks  the ranks whose parts are collected; must outlive the object
  /// @param mine  this rank's part, in local indices of the field; may be empty
  /// @param whole  the points that all parts together must cover
  /// @throws Error  if parts overlap or leave points of `whole` out
  Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole);

  /// Replaces the points of `field` that other ranks have computed by their values. Collective;
  /// waits for the queue. Each rank receives the parts of all others.
  /// @param staging  made for boxes at least as large as the largest part
  void assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field);

 private:
  mpi::Communicator const* ranks_;
  std::vector<LocalBox> parts_{};       ///< by rank
  std::vector<std::int64_t> counts_{};  ///< points of each part, by rank
  std::vector<Real> own_{};             ///< dense values of this rank's part
  std::vector<Real> all_{};             ///< dense values of all parts, one after the other
};

}  // namespace isotherm
