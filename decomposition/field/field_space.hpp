#pragma once

#include "decomposition/field/halo_filler.hpp"
#include "decomposition/field/staging.hpp"
#include "decomposition/grid/subdomain.hpp"

namespace isotherm {

/// What the fields of one grid share on a rank: the subdomain, the queue, the depth of their halo
/// and what fills it, and the memory through which values come and go. Stays where it is.
template <class Real>
class FieldSpace {
 public:
  /// `ranks` and `queue` outlive the space. Collective.
  FieldSpace(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& queue,
             HaloShape const& halo, TransportKind transport)
      : ranks_(&ranks),
        subdomain_(subdomain),
        queue_(&queue),
        halo_points_(halo.axis ? along(*halo.axis, halo.depth)
                               : halo_points_of(subdomain.grid(), halo.depth)),
        staging_(queue, subdomain.extent()),
        halo_(ranks, subdomain_, queue, halo, transport) {}
  FieldSpace(FieldSpace const&) = delete;
  FieldSpace& operator=(FieldSpace const&) = delete;

  /// Bytes that a space takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth,
                               TransportKind transport) {
    return Staging<Real>::footprint(backend, subdomain.extent()) +
           HaloFiller<Real>::footprint(backend, subdomain, depth, transport);
  }

  [[nodiscard]] mpi::Communicator const& ranks() const { return *ranks_; }
  [[nodiscard]] Subdomain const& subdomain() const { return subdomain_; }
  [[nodiscard]] Queue& queue() { return *queue_; }
  /// Points of the halo at both ends of each axis.
  [[nodiscard]] Index3 halo_points() const { return halo_points_; }
  static Index3 halo_points_of(Grid const& grid, int depth) {
    return {depth, depth, grid.dimension == 3 ? depth : 0};
  }
  [[nodiscard]] Staging<Real>& staging() { return staging_; }
  [[nodiscard]] HaloFiller<Real>& halo() { return halo_; }
  [[nodiscard]] HaloFiller<Real> const& halo() const { return halo_; }

 private:
  static Index3 along(int axis, int depth) {
    Index3 points;
    points[axis] = depth;
    return points;
  }

  mpi::Communicator const* ranks_;
  Subdomain subdomain_;
  Queue* queue_;
  Index3 halo_points_;
  Staging<Real> staging_;
  HaloFiller<Real> halo_;
};

}  // namespace isotherm
