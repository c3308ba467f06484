#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Fills a field's halo with the neighbours' rim values, edges and corners included: the ring of
/// `depth` points around the owned ones, except what lies beyond physical faces.
///
/// begin → work that needs no halo → finish → work that reads the halo. All ranks take part in the
/// same order. Points that wrap around to the rank itself are copied without a message. `compute`
/// must stay where it is for the object's life.
template <class Real>
class HaloExchange {
 public:
  /// @param depth    1 … the field's halo, and at most the fewest points a rank owns on an axis
  ///                 that has neighbours
  /// @param corners  false: only the six faces (enough for one step of a star stencil)
  ///
  /// Collective. @throws Error  where depth does not fit; InputError where `kind` cannot work here
  HaloExchange(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& compute,
               int depth, bool corners, TransportKind kind);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) noexcept;

  /// Starts the exchange of `field`'s halo after all work enqueued on the compute queue so far.
  /// Owned points must not be written until finish() has returned.
  void begin(FieldView<Real> field);
  /// Ends it: work enqueued on the compute queue from now on sees the new halo. Where the exchange
  /// goes on beside the compute queue, the call waits for the neighbours' messages.
  void finish(FieldView<Real> field);

  /// True where any bytes go to another rank (of this rank's messages).
  [[nodiscard]] bool has_remote_neighbours() const;
  /// True where the compute queue goes on while halos travel, so that there is something to gain
  /// from work between begin and finish. Else the exchange is enqueued there, in its turn.
  [[nodiscard]] bool goes_on_beside() const;
  /// Bytes this rank sends to other ranks in one exchange.
  [[nodiscard]] std::size_t bytes_sent() const;
  /// How the bytes travel, for the run header: "peer memory", "mpi" …
  [[nodiscard]] std::string transport_name() const;
  /// Seconds the host has spent in begin and finish so far.
  [[nodiscard]] double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isotherm
