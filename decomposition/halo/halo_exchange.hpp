#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Fills a field's halo, the ring of `depth` points around the owned ones, with the neighbours'
/// values, edges and corners included. Points beyond physical faces are left as they are.
///
/// Use: begin → work that needs no halo → finish → work that reads the halo. All ranks call these
/// in the same order. Points that wrap around to the rank itself are copied without a message.
/// `compute` must outlive the object and not be moved.
template <class Real>
class HaloExchange {
 public:
  /// @param depth    1 … the field's halo, and at most the fewest points a rank owns on an axis
  ///                 that has neighbours
  /// @param corners  false: only the six faces (enough for one step of a star stencil)
  /// @param axis     fills the halo at the ends of this axis alone; none: of all
  ///
  /// Collective. @throws Error  if depth does not fit; InputError if `kind` cannot work here
  HaloExchange(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& compute,
               int depth, bool corners, TransportKind kind, std::optional<int> axis = std::nullopt);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) noexcept;

  /// Bytes that such an object takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth, bool corners,
                               TransportKind kind);

  /// Starts the exchange of `field`'s halo after all work enqueued on the compute queue so far.
  /// Owned points must not be written until finish() has returned.
  void begin(FieldView<Real> field);
  /// Ends the exchange: work enqueued on the compute queue from now on sees the new halo. If the
  /// exchange overlaps with the compute queue, the call waits for the neighbours' messages.
  void finish(FieldView<Real> field);

  /// True if this rank sends anything to another rank.
  [[nodiscard]] bool has_remote_neighbours() const;
  /// True if the exchange overlaps with work that is enqueued between begin and finish. If not, the
  /// exchange itself is enqueued on the compute queue, in its turn.
  [[nodiscard]] bool overlaps() const;
  /// Bytes this rank sends to other ranks in one exchange.
  [[nodiscard]] std::size_t bytes_sent() const;
  /// How the messages are sent, for the run header: "peer memory", "mpi" …
  [[nodiscard]] std::string transport_name() const;
  /// Seconds the host has spent in begin and finish so far.
  [[nodiscard]] double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isotherm
