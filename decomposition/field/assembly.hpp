#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decomposition/field/field_space.hpp"
#include "decomposition/ranks/repeated_gather.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/field.hpp"
#include "kernels/faces/scatter.hpp"

namespace isotherm {

/// Returns true if every point of `whole` lies in exactly one of the boxes, and no other point
/// does. Takes O(n log n) time for n boxes.
bool is_partition(std::vector<LocalBox> const& boxes, LocalBox whole);

/// Completes a field on every rank when each rank has computed a part of it (an all-gather of
/// boxes). Multigrid uses it for coarse levels that every rank stores as a whole.
///
/// A few ranks write their parts into each other's memory if the transport can: the host then only
/// enqueues work. Otherwise the parts travel through host memory.
///
///     Assembly<double> assembly(ranks, my_box, whole, TransportKind::automatic);    // once
///     // enqueue work that computes the points of my_box
///     assembly.assemble(queue, staging, field.view());    // all points on every rank
template <class Real>
class Assembly {
 public:
  /// Collects the parts of all ranks. Collective.
  /// @param ranks  the ranks whose parts are collected; must outlive the object
  /// @param mine  this rank's part, in local indices of the field; may be empty
  /// @param whole  the points that all parts together must cover
  /// @param kind  of the halos; with `peer`, `nccl` and `automatic` parts may travel directly
  /// @throws Error  if parts overlap, leave points of `whole` out or extend beyond it
  Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole, TransportKind kind);

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 parts, Extent3 whole);

  /// Replaces the points of `field` that other ranks have computed by their values. Collective. Use
  /// it always with the same queue.
  ///
  /// Through host memory, it waits until the queue has computed this rank's part, and enqueues the
  /// rest: one copy to the device and one kernel for all parts.
  /// @param staging  made for boxes at least as large as the largest part
  void assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field);

 private:
  /// Memory for a gathering through the host.
  struct Memory {
    Memory(Queue& queue, std::vector<LocalBox> const& parts);
    PartTable table;
    Buffer values;   ///< pinned: those of all parts, in rank order
    Buffer chunk;    ///< of the device, for a section of them; empty on the CPU
    Event uploaded;  ///< recorded behind the last copy out of `values`
  };
  /// Decides how parts travel, and allocates what that needs. Collective.
  void allocate(Queue& queue);
  /// Enqueues sending this rank's part to all others, and receiving theirs.
  void send_directly(Queue& queue, FieldView<Real> field);
  /// Enqueues copying the values of all parts to their points.
  void scatter_all(Queue& queue, FieldView<Real> field);

  mpi::Communicator const* ranks_;
  LocalBox mine_;
  std::vector<LocalBox> parts_{};  ///< by rank
  TransportKind kind_;
  mpi::RepeatedGather gather_;
  // Exactly one of these is set after the first call of assemble().
  std::unique_ptr<Transport> direct_{};  ///< message n to and from the n-th other rank
  std::optional<Memory> memory_{};
};

}  // namespace isotherm
