#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/halo/halo_exchange.hpp"
#include "decomposition/transport/forwarding.hpp"

namespace isotherm {

/// What the halos of a grid's fields are like.
struct HaloShape {
  int depth = 1;              ///< points on each side
  std::optional<int> axis{};  ///< there is a halo at the ends of this axis alone; none: of all
  PerFace<bool> mirrored{};   ///< faces beyond which the field's mirror image stands
  PerFace<bool> extended{};  ///< faces beyond which the values at the face stand; beyond the others
                             ///< a physical face has no halo, and what is there stays
};

/// Fills a field's halo: with the neighbours' values, with the rank's own where an axis is
/// periodic, and with the mirror image, or the values at the face, beyond the faces that have one.
template <class Real>
class HaloFiller {
 public:
  /// @param shape  with a depth of at most the fewest points that a rank owns on an axis where
  /// there
  ///               are neighbours, and less than that beyond a mirrored face
  /// Collective.
  HaloFiller(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& queue,
             HaloShape const& shape, TransportKind transport);

  /// Bytes that such an object takes at most, forwarding included, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth,
                               TransportKind transport);

  /// From now on sweeps between the two fields fill each other's halos, where that is possible.
  /// Collective.
  void forward_between(std::array<Field<Real>*, 2> fields);
  /// Where a pass of all owned points to `field` forwards its ends; nowhere where it need not.
  [[nodiscard]] std::array<Forward<Real>, 2> forwards(FieldView<Real> field) const;
  /// Enqueues telling the neighbours that the pass to `field` has forwarded its ends.
  void swept(FieldView<Real> field);
  /// Owned points have changed other than by a pass: the neighbours do not know of it. All ranks
  /// call it alike.
  void forget() { forwarded_ = nullptr; }

  /// Starts filling after all work enqueued so far; owned points must not change until finish().
  void begin(FieldView<Real> field);
  /// Ends it: work enqueued from now on sees the halo.
  void finish(FieldView<Real> field);

  /// True where other work can be done between begin and finish.
  [[nodiscard]] bool overlaps() const { return exchange_ && exchange_->overlaps(); }
  /// The owned points that `steps` steps reach without the halo.
  [[nodiscard]] LocalBox interior(int steps) const;
  /// How halos travel, and why not in a faster way.
  [[nodiscard]] std::string transport_name() const;
  [[nodiscard]] double seconds() const { return exchange_ ? exchange_->seconds() : 0.0; }

 private:
  /// The halo beyond a physical face, and what it is filled with.
  struct Beyond {
    Face face;
    bool mirrored;  ///< else extended
    LocalBox box{};
  };
  [[nodiscard]] LocalBox filled_box() const;

  mpi::Communicator const* ranks_;
  Subdomain const* subdomain_;
  Queue* queue_;
  LocalBox owned_;
  int depth_;
  TransportKind transport_;
  std::vector<Face> filled_{};    ///< sides of the owned points that have a halo
  std::vector<Beyond> beyond_{};  ///< in the order x, y, z
  std::optional<HaloExchange<Real>> exchange_{};
  std::unique_ptr<HaloForwarding<Real>> forwarding_{};
  std::string not_forwarded_{};      ///< why, where that could be hoped for
  Real const* forwarded_ = nullptr;  ///< the field whose halo the neighbours' last pass fills
};

}  // namespace isotherm
