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

/// Fills the halo (ghost layer) of a field: the ring of `depth` points around the rank's own
/// points, edges and corners included. Neighbouring ranks send their values; on periodic axes that
/// are not cut, the rank copies its own without a message. Points beyond physical faces are left
/// unchanged.
///
/// All ranks call begin() and finish() in the same order. An object performs one exchange at a
/// time.
///
///     HaloExchange<double> halo(ranks, subdomain, queue, 1, false, TransportKind::automatic);
///     halo.begin(u.view());
///     // enqueue work that does not read the halo
///     halo.finish(u.view());
///     // enqueue work that reads the halo
template <class Real>
class HaloExchange {
 public:
  /// Collective.
  /// @param compute  queue of the work on the field; must outlive the object and not be moved
  /// @param depth  1 … depth of the field's halo, and at most the fewest points that any rank owns
  ///   on an axis with neighbours
  /// @param corners  false: only the six faces, which is enough for one step of a star stencil
  /// @param axis  fills the halo at the ends of this axis only; nullopt: of all axes
  /// @throws Error  if the depth does not fit
  /// @throws InputError  if `kind` cannot work here
  HaloExchange(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& compute,
               int depth, bool corners, TransportKind kind, std::optional<int> axis = std::nullopt);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) noexcept;

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth, bool corners,
                               TransportKind kind);

  /// Starts the exchange behind all work enqueued on the compute queue before. Owned points must
  /// not be written before finish() has returned.
  /// @throws Error  if the field's halo is too shallow, or if the exchange before is not finished
  void begin(FieldView<Real> field);
  /// Completes the exchange: work enqueued on the compute queue from now on sees the new halo. If
  /// the exchange overlaps with the compute queue, the call waits for the neighbours' messages.
  void finish(FieldView<Real> field);

  /// True if this rank exchanges messages with another rank.
  [[nodiscard]] bool has_remote_neighbours() const;
  /// True if the exchange overlaps with work enqueued between begin() and finish(). Otherwise the
  /// exchange itself is enqueued on the compute queue, in order.
  [[nodiscard]] bool overlaps() const;
  /// Returns the number of bytes that this rank sends to other ranks per exchange.
  [[nodiscard]] std::size_t bytes_sent() const;
  /// Describes the transport: "peer memory", "mpi" …; "none" without remote neighbours.
  [[nodiscard]] TransportDescription transport_description() const;
  /// Returns the host time spent in begin() and finish() until now, in seconds.
  [[nodiscard]] double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isotherm
