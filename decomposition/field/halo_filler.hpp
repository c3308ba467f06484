#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/halo/halo_exchange.hpp"
#include "decomposition/transport/forwarding.hpp"

namespace isotherm {

/// Depth and contents of the halos (ghost layers) of a grid's fields. A physical face that is
/// neither mirrored nor extended has no halo: points beyond it are never written.
struct HaloShape {
  int depth = 1;              ///< points on each side
  std::optional<int> axis{};  ///< the only axis with a halo; nullopt: all axes
  PerFace<bool> mirrored{};   ///< faces with even reflection (Neumann): u(−i) = u(i)
  PerFace<bool> extended{};   ///< faces with constant extrapolation: u(−i) = u(0)
};

/// Fills the halo of a field from three sources. Neighbouring ranks send their values, periodic
/// axes wrap around, and physical faces may be mirrored or extended.
///
/// There are two ways to get the neighbours' values. HaloExchange sends messages. HaloForwarding
/// lets the sweeps write the neighbours' halos directly; arrive() then replaces begin() and
/// finish(). DistributedField knows which of them its halo needs.
///
///     halo.begin(field);                      // after all previously enqueued work
///     sweep(halo.interior(1));                // overlaps with the messages
///     halo.finish(field);                     // later work sees the halo
template <class Real>
class HaloFiller {
 public:
  /// Collective. The arguments passed by reference must outlive the object.
  /// @param shape  its depth must not exceed the fewest points that any rank owns on an axis with
  ///   neighbours; at a mirrored face it must be smaller than that
  HaloFiller(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& queue,
             HaloShape const& shape, TransportKind transport);

  /// Returns an upper bound on its memory in bytes, including that of forwarding; see
  /// Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth,
                               TransportKind transport);

  /// Enables forwarding between two fields if this machine supports it: from then on, sweeps from
  /// one field to the other fill the neighbours' halos. Collective.
  void forward_between(std::array<Field<Real>*, 2> fields);
  /// Returns the destinations of a forwarding pass of all owned points to `field`. Both are empty
  /// if forwarding is not enabled.
  [[nodiscard]] std::array<Forward<Real>, 2> forwards(FieldView<Real> field) const;
  /// Enqueues the signal to the neighbours that the pass enqueued last has forwarded its ends.
  /// Returns false if forwarding is not enabled.
  bool swept();

  /// Starts filling after all previously enqueued work. Owned points must not change before
  /// finish().
  void begin(FieldView<Real> field);
  /// Completes the filling: work enqueued from now on sees the halo.
  void finish(FieldView<Real> field);
  /// Completes a halo that the neighbours' last pass has forwarded.
  void arrive(FieldView<Real> field);
  /// Number of exchanges since construction.
  [[nodiscard]] std::int64_t exchange_count() const { return exchange_count_; }

  /// True if work enqueued between begin() and finish() overlaps with the exchange.
  [[nodiscard]] bool overlaps() const { return exchange_ && exchange_->overlaps(); }
  /// The owned points whose values after `steps` steps do not depend on the halo.
  [[nodiscard]] LocalBox interior(int steps) const;
  /// Describes how halos travel; "none" if nothing is exchanged.
  [[nodiscard]] TransportDescription transport_description() const;
  /// Host time spent in exchanges until now, in seconds.
  [[nodiscard]] double seconds() const { return exchange_ ? exchange_->seconds() : 0.0; }

 private:
  /// The halo beyond a physical face, which is filled on the rank itself.
  struct PhysicalHalo {
    Face face;
    bool mirrored;  ///< even reflection; otherwise constant extrapolation
    LocalBox box{};
  };
  /// The owned points with the halo on all sides that have one.
  [[nodiscard]] LocalBox filled_box() const;
  /// Fills the halo beyond physical faces, after that of the other ranks.
  void fill_beyond(FieldView<Real> field);

  mpi::Communicator const* ranks_;
  Subdomain const* subdomain_;
  Queue* queue_;
  LocalBox owned_;
  int depth_;
  TransportKind transport_;
  std::vector<Face> filled_{};  ///< sides of the owned points that have a halo
  std::vector<PhysicalHalo>
      physical_halos_{};  ///< filled in the order x, y, z, so edges become complete
  std::optional<HaloExchange<Real>> exchange_{};        ///< none if nothing is exchanged or wrapped
  std::unique_ptr<HaloForwarding<Real>> forwarding_{};  ///< none unless it works on all ranks
  std::string not_forwarded_{};  ///< the reason, if the machine might support forwarding
  std::int64_t exchange_count_ = 0;
};

}  // namespace isotherm
