#pragma once

#include "decomposition/field/halo_filler.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"

namespace isotherm {

/// The resources that all fields of one grid share on a rank: subdomain, queue, halo depth and
/// filling, and the staging memory for transfers. Neither copyable nor movable.
///
/// Fields of one space are exchanged one after the other, since they share the message buffers.
template <class Real>
class FieldSpace {
 public:
  /// @param ranks, queue  must outlive the space
  ///
  /// Collective.
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

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Subdomain const& subdomain, int depth,
                               TransportKind transport) {
    return HostStaging<Real>::footprint(backend, subdomain.extent()) +
           HaloFiller<Real>::footprint(backend, subdomain, depth, transport);
  }

  [[nodiscard]] mpi::Communicator const& ranks() const { return *ranks_; }
  [[nodiscard]] Subdomain const& subdomain() const { return subdomain_; }
  [[nodiscard]] Queue& queue() { return *queue_; }
  /// Number of halo points at each end of each axis.
  [[nodiscard]] Index3 halo_points() const { return halo_points_; }
  /// The same for a halo of this depth at the ends of all axes of the grid; 2D grids have none in
  /// z.
  static Index3 halo_points_of(Grid const& grid, int depth) {
    return {depth, depth, grid.dimension == 3 ? depth : 0};
  }
  [[nodiscard]] HostStaging<Real>& staging() { return staging_; }
  [[nodiscard]] HaloFiller<Real>& halo() { return halo_; }
  [[nodiscard]] HaloFiller<Real> const& halo() const { return halo_; }

 private:
  /// The same for a halo at the ends of one axis only.
  static Index3 along(int axis, int depth) {
    Index3 points;
    points[axis] = depth;
    return points;
  }

  // The order matters: halo_ refers to subdomain_.
  mpi::Communicator const* ranks_;
  Subdomain subdomain_;
  Queue* queue_;
  Index3 halo_points_;
  HostStaging<Real> staging_;
  HaloFiller<Real> halo_;
};

}  // namespace isotherm
