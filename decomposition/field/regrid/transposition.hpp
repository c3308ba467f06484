#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Moves the values of a field between two decompositions of the same grid, again and again, as the
/// transposition of a distributed transform does (an all-to-all exchange). Values travel by a
/// transport, so on devices they need not pass through host memory.
///
///     Transposition<double> turn(ranks, slabs, pencils, queue, TransportKind::automatic);
///     turn.move(in_slabs.view(), in_pencils.view());
///     turn.move_back(in_pencils.view(), in_slabs.view());
///
/// Memory: two fields of a rank's size at most, for messages. Unlike Redistribution, it keeps its
/// buffers from one call to the next.
template <class Real>
class Transposition {
 public:
  /// Collective.
  /// @param ranks  as many as each decomposition has parts; must outlive the object, like `queue`
  /// @param one, other  this rank's parts in both decompositions
  /// @throws InputError  on every rank, if `kind` cannot work here
  Transposition(mpi::Communicator const& ranks, Subdomain const& one, Subdomain const& other,
                Queue& queue, TransportKind kind);

  /// Copies a field in the decomposition `one` to a field in the decomposition `other`. Each view
  /// is in the frame of its own part. Collective.
  void move(FieldView<Real const> one, FieldView<Real> other);
  /// The reverse of move(). Collective.
  void move_back(FieldView<Real const> other, FieldView<Real> one);

  /// Describes the transport: "peer memory", "mpi" …
  [[nodiscard]] TransportDescription transport_description() const {
    return transport_->description();
  }
  /// Returns the host time spent in calls until now, in seconds.
  [[nodiscard]] double seconds() const { return seconds_; }

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& one, Subdomain const& other,
                               TransportKind kind);

 private:
  /// The points that this rank's part in one decomposition and a rank's part in the other one have
  /// in common.
  struct Share {
    LocalBox in_one{};    ///< sent by move(), in the frame of `one`
    LocalBox in_other{};  ///< received by move(), in the frame of `other`
  };
  struct Plan {
    std::vector<Share> shares{};      ///< by message
    std::vector<Message> messages{};  ///< with other ranks, those with a share
    Share own{};                      ///< of this rank itself
  };
  static Plan plan_of(Subdomain const& one, Subdomain const& other);
  void pass(FieldView<Real const> from, LocalBox Share::*given, FieldView<Real> to,
            LocalBox Share::*taken);

  Queue* queue_;
  Plan plan_;
  std::unique_ptr<Transport> transport_;
  Buffer own_;  ///< values of this rank's own share
  double seconds_ = 0.0;
};

}  // namespace isotherm
