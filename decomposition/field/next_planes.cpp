#include "decomposition/field/next_planes.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "decomposition/ranks/collective_errors.hpp"

namespace isotherm {

namespace {

/// Returns the rank below or above a part; none beyond a face, or on an axis of one point.
std::optional<int> neighbour_along(Subdomain const& subdomain, int axis, std::int64_t step) {
  if (axis >= subdomain.grid().dimension || subdomain.grid().points[axis] == 1) return std::nullopt;
  Index3 direction{};
  direction[axis] = step;
  return subdomain.neighbour(direction);
}

/// Returns the first plane of a part across an axis.
LocalBox first_plane(Subdomain const& subdomain, int axis) {
  LocalBox plane = subdomain.owned();
  plane.upper[axis] = 1;
  return plane;
}

}  // namespace

template <class Real>
NextPlanes<Real>::NextPlanes(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain)
    : ranks_(ranks), queue_(queue), subdomain_(std::move(subdomain)) {}

template <class Real>
void NextPlanes<Real>::read(FieldView<Real const> field, HostStaging<Real>& staging) {
  std::vector<mpi::Bytes> outgoing(static_cast<std::size_t>(ranks_.size()));
  rethrow_on_all_ranks(ranks_, [&] {
    for (int axis = 0; axis < 3; ++axis) {
      auto const below = neighbour_along(subdomain_, axis, -1);
      auto& next = planes_[axis];
      // The plane behind the part has the shape of the part's first plane.
      if (below || exist(axis)) {
        next.resize(static_cast<std::size_t>(first_plane(subdomain_, axis).point_count()));
      }
      if (!below) continue;
      staging.read(queue_, field, first_plane(subdomain_, axis), next.data());
      if (*below == ranks_.rank()) continue;  // a periodic axis that is not cut
      auto& bytes = outgoing[static_cast<std::size_t>(*below)];
      std::size_t const before = bytes.size();
      bytes.resize(before + next.size() * sizeof(Real));
      std::memcpy(bytes.data() + before, next.data(), next.size() * sizeof(Real));
    }
  });
  std::vector<mpi::Bytes> const incoming = ranks_.exchange(outgoing);
  for (int axis = 0; axis < 3; ++axis) {
    // A rank is the neighbour along one axis only, so its message is a single plane.
    auto const above = neighbour_along(subdomain_, axis, 1);
    if (!above || *above == ranks_.rank()) continue;
    auto& next = planes_[axis];
    std::memcpy(next.data(), incoming[static_cast<std::size_t>(*above)].data(),
                next.size() * sizeof(Real));
  }
}

template <class Real>
bool NextPlanes<Real>::exist(int axis) const {
  return neighbour_along(subdomain_, axis, 1).has_value();
}

template <class Real>
Real NextPlanes<Real>::at(int axis, Index3 local) const {
  Extent3 const n = subdomain_.extent();
  std::int64_t const number = axis == 0   ? local.z * n.y + local.y
                              : axis == 1 ? local.z * n.x + local.x
                                          : local.y * n.x + local.x;
  return planes_[axis][static_cast<std::size_t>(number)];
}

template <class Real>
std::size_t NextPlanes<Real>::footprint(Subdomain const& subdomain) {
  std::size_t planes = 0;
  for (int axis = 0; axis < subdomain.grid().dimension; ++axis) {
    planes += static_cast<std::size_t>(first_plane(subdomain, axis).point_count());
  }
  // The planes, and the messages that leave and arrive, in two copies while they are sent.
  return 5 * planes * sizeof(Real);
}

template class NextPlanes<float>;
template class NextPlanes<double>;

}  // namespace isotherm
