#pragma once

#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// The values of the points that follow a rank's part along each axis, in host memory: the first
/// plane of the part above, or that of the other end of a periodic axis. They complete the links
/// between the part's points and the next ones, without a copy of the field on the host.
///
///     NextPlanes<double> next(ranks, queue, subdomain);
///     next.read(u.view(), staging);
///     double const above = next.at(2, {i, j, subdomain.extent().z});
template <class Real>
class NextPlanes {
 public:
  /// Arguments passed by reference must outlive the object.
  NextPlanes(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain);

  /// Reads this rank's first planes and sends them to the ranks below. Halo points of the field are
  /// not read. Collective; waits for the queue.
  /// @param staging  for boxes of the part's extent
  void read(FieldView<Real const> field, HostStaging<Real>& staging);

  /// True if the grid has points behind the part along the axis, so at() is defined.
  [[nodiscard]] bool exist(int axis) const;
  /// Returns the value of the next point behind the part along `axis`.
  /// @param local  its index along `axis` is ignored
  [[nodiscard]] Real at(int axis, Index3 local) const;

  /// Returns an upper bound on its memory on the host, in bytes, temporary buffers included.
  static std::size_t footprint(Subdomain const& subdomain);

 private:
  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  PerAxis<std::vector<Real>> planes_{};  ///< dense, with the lower of the two other axes fastest
};

}  // namespace isotherm
