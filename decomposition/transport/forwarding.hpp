#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm {

/// Returns the reason why sweeps cannot fill the neighbours' halos, as far as it is known without
/// trying; empty if there is none. Forwarding requires devices, slabs cut on the last axis only, at
/// least 2 · `depth` points per slab, and fields of at least 2 MiB.
std::string obstacle_to_forwarding(Backend backend, Subdomain const& subdomain, int depth,
                                   std::size_t field_bytes);

/// Halo filling by the sweeps themselves. A pass writes the values at the ends of a rank's part
/// twice. They go into its own field, and into the halo of the neighbour's field (Pass::forwards).
/// This uses memory that the devices of one host share. Nothing is packed or unpacked, and only
/// flags are sent.
///
/// It serves two fields that are input and output of a pass in turn, in the same order on all
/// ranks.
///
///     auto const ends = forwarding->forwards(next);   // where the pass also writes
///     // enqueue the sweep to `next`
///     forwarding->swept();                            // raises the neighbours' flags
///     // in the next pass:
///     forwarding->arrive(next);                       // awaits their flags
///     // enqueue the sweep that reads `next` with its halo
template <class Real>
class HaloForwarding {
 public:
  /// Makes the object, or returns null on all ranks if forwarding does not work on one of them. It
  /// works if nothing obstructs it (see above), if the neighbours' memory can be opened, and if
  /// test values written there arrive. Collective.
  /// @param depth  of the halo, in points
  /// @param fields  must outlive the object and have a halo of this depth; the test overwrites it
  /// @param obstacle  set to the reason if the result is null; the same on every rank
  static std::unique_ptr<HaloForwarding> make(mpi::Communicator const& ranks,
                                              Subdomain const& subdomain, Queue& queue, int depth,
                                              std::array<Field<Real>*, 2> fields,
                                              std::string& obstacle);
  /// Collective. @pre  all work of the rank has been enqueued
  ~HaloForwarding();

  /// Returns an upper bound on the memory in bytes that make() allocates; see Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Returns the destinations for a pass that writes to `field`, one of the two: at the lower and
  /// at the upper end. A destination is empty if there is no neighbour.
  [[nodiscard]] std::array<Forward<Real>, 2> forwards(FieldView<Real> field) const;
  /// Enqueues raising the neighbours' flags behind the pass that was enqueued last, which has
  /// written their halos.
  void swept();
  /// Makes work enqueued from now on start only when the neighbours' last pass has filled `field`'s
  /// halo. Then fills the periodic halo of axes that are not cut, including the edges next to
  /// forwarded points.
  void arrive(FieldView<Real> field);

 private:
  struct Impl;
  explicit HaloForwarding(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace isotherm
