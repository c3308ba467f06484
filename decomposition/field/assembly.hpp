#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/field_space.hpp"
#include "decomposition/ranks/repeated_gather.hpp"
#include "kernels/core/field.hpp"
#include "kernels/faces/scatter.hpp"

namespace isotherm {

/// Returns true if every point of `whole` lies in exactly one of the boxes, and no other point
/// does. Takes O(n log n) time for n boxes.
bool is_partition(std::vector<LocalBox> const& boxes, LocalBox whole);

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
  /// @throws Error  if parts overlap, leave points of `whole` out or extend beyond it
  Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole);

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 parts, Extent3 whole);

  /// Replaces the points of `field` that other ranks have computed by their values. Collective.
  /// Waits until the queue has computed this rank's part, and enqueues the rest: one copy to the
  /// device and one kernel for all parts. Use it always with the same queue.
  /// @param staging  made for boxes at least as large as the largest part
  void assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field);

 private:
  /// What assemble() allocates at its first call.
  struct Memory {
    Memory(Queue& queue, std::vector<LocalBox> const& parts);
    PartTable table;
    Buffer values;   ///< pinned: those of all parts, in rank order
    Buffer chunk;    ///< of the device, for a section of them; empty on the CPU
    Event uploaded;  ///< recorded behind the last copy out of `values`
  };
  /// Enqueues copying the values of all parts to their points.
  void scatter_all(Queue& queue, FieldView<Real> field);

  LocalBox mine_;
  std::vector<LocalBox> parts_{};  ///< by rank
  mpi::RepeatedGather gather_;
  std::optional<Memory> memory_{};
};

}  // namespace isotherm
