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

/// Why sweeps cannot fill the halos of a rank's neighbours, as far as it can be known beforehand:
/// that needs a device, of which each rank has a slab, cut on the last axis, of at least 2 ·
/// `depth` points, in a field of at least 2 MiB. Empty where nothing is in the way.
std::string obstacle_to_forwarding(Backend backend, Subdomain const& subdomain, int depth,
                                   std::size_t field_bytes);

/// Halos that sweeps fill while they run. What a pass writes at the ends of a rank's share it also
/// writes into the halo of the neighbour's field (Pass::forwards), through memory that devices of
/// one host share: nothing is packed, sent or unpacked, and only flags travel by themselves.
///
/// For two fields that take turns on all ranks alike: forwards → sweep → swept, then on the next
/// pass arrive → sweep.
template <class Real>
class HaloForwarding {
 public:
  /// Null on all ranks unless it works on every one of them: nothing is in the way (see above), the
  /// neighbours' memory can be reached, and what is written there arrives. Collective.
  /// @param depth     of the halo, in points
  /// @param fields    outlive the object, and their halo must be that deep; their halo is spoilt
  /// @param obstacle  set to the reason where the result is null, the same on every rank
  static std::unique_ptr<HaloForwarding> make(mpi::Communicator const& ranks,
                                              Subdomain const& subdomain, Queue& queue, int depth,
                                              std::array<Field<Real>*, 2> fields,
                                              std::string& obstacle);
  /// Collective, when all work on the queue has been enqueued.
  ~HaloForwarding();

  /// Bytes that make() takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Where a pass that writes to `field`, one of the two, forwards its ends.
  [[nodiscard]] std::array<Forward<Real>, 2> forwards(FieldView<Real> field) const;
  /// Enqueues telling the neighbours that the pass enqueued last has written to their halos.
  void swept();
  /// Makes work enqueued from now on start when the neighbours' last pass has filled `field`'s
  /// halo, and fills the rest of it, on periodic axes, around what has come.
  void arrive(FieldView<Real> field);

 private:
  struct Impl;
  explicit HaloForwarding(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace isotherm
