#include "decomposition/field/halo_filler.hpp"

#include <algorithm>

#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

Index3 outwards(Face face) {
  Index3 direction;
  direction[face.axis] = face.upper ? 1 : -1;
  return direction;
}

void grow(LocalBox& box, Face face, std::int64_t width) {
  (face.upper ? box.upper : box.lower)[face.axis] += face.upper ? width : -width;
}

}  // namespace

template <class Real>
HaloFiller<Real>::HaloFiller(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             Queue& queue, HaloShape const& shape, TransportKind transport)
    : ranks_(&ranks),
      subdomain_(&subdomain),
      queue_(&queue),
      owned_(subdomain.owned()),
      depth_(shape.depth),
      transport_(transport) {
  Grid const& grid = subdomain.grid();
  for (Face const face : faces(grid)) {
    bool const mirrored = subdomain.on_physical_face(face) && shape.mirrored[face];
    if (mirrored || subdomain.neighbour(outwards(face))) filled_.push_back(face);
    if (mirrored) mirrors_.push_back({face, {}});
  }
  for (Mirror& mirror : mirrors_) {
    mirror.beyond = filled_box();
    LocalBox const halo = subdomain.halo(mirror.face, depth_);
    mirror.beyond.lower[mirror.face.axis] = halo.lower[mirror.face.axis];
    mirror.beyond.upper[mirror.face.axis] = halo.upper[mirror.face.axis];
  }
  if (ranks.size() > 1 || std::ranges::find(grid.periodic, true) != grid.periodic.end()) {
    exchange_.emplace(ranks, subdomain, queue, depth_, /*corners=*/depth_ > 1, transport);
  }
}

template <class Real>
LocalBox HaloFiller<Real>::filled_box() const {
  LocalBox box = owned_;
  for (Face const face : filled_) grow(box, face, depth_);
  return box;
}

template <class Real>
LocalBox HaloFiller<Real>::interior(int steps) const {
  LocalBox box = owned_;
  for (Face const face : filled_) grow(box, face, -steps);
  return box.empty() ? LocalBox{} : box;
}

template <class Real>
void HaloFiller<Real>::forward_between(std::array<Field<Real>*, 2> fields) {
  bool const wanted =
      (transport_ == TransportKind::automatic || transport_ == TransportKind::peer) &&
      !ranks_->any(overlaps());
  // With one step a pass the rims are thin and cheap to send, and boundary values may vary in time,
  // which are set behind the sweep.
  if (!wanted || ranks_->size() == 1 || ranks_->any(queue_->backend() == Backend::cpu)) return;
  if (depth_ == 1) {
    not_forwarded_ = "one step a pass";
    return;
  }
  forwarding_ =
      HaloForwarding<Real>::make(*ranks_, *subdomain_, *queue_, depth_, fields, not_forwarded_);
}

template <class Real>
std::array<Forward<Real>, 2> HaloFiller<Real>::forwards(FieldView<Real> field) const {
  return forwarding_ ? forwarding_->forwards(field) : std::array<Forward<Real>, 2>{};
}

template <class Real>
void HaloFiller<Real>::swept(FieldView<Real> field) {
  if (!forwarding_) return;
  forwarding_->swept();
  forwarded_ = field.origin;
}

template <class Real>
void HaloFiller<Real>::begin(FieldView<Real> field) {
  if (exchange_ && forwarded_ != field.origin) exchange_->begin(field);
}

template <class Real>
void HaloFiller<Real>::finish(FieldView<Real> field) {
  if (forwarded_ == field.origin) {
    forwarding_->arrive(field);
  } else if (exchange_) {
    exchange_->finish(field);
  }
  for (Mirror const& mirror : mirrors_) {
    int const axis = mirror.face.axis;
    std::int64_t const plane = mirror.face.upper ? owned_.upper[axis] - 1 : 0;
    reflect(*queue_, field, mirror.beyond, axis, plane);
  }
}

template <class Real>
std::string HaloFiller<Real>::transport_name() const {
  if (forwarding_) return "peer memory, written by the sweeps";
  if (!exchange_) return "none";
  return exchange_->transport_name() +
         (not_forwarded_.empty() ? "" : " (not written by the sweeps: " + not_forwarded_ + ")");
}

template class HaloFiller<float>;
template class HaloFiller<double>;

std::size_t exchange_bytes(Grid const& grid, Extent3 owned, int depth, std::size_t element_bytes) {
  LocalBox const box{{0, 0, 0}, owned};
  LocalBox with_halo = box;
  for (Face const face : faces(grid)) {
    bool const cut = owned[face.axis] < grid.points[face.axis];
    if (cut || grid.periodic[face.axis]) grow(with_halo, face, depth);
  }
  auto const points = static_cast<std::size_t>(with_halo.point_count() - box.point_count());
  return 2 * points * element_bytes;  // to send and to receive
}

}  // namespace isotherm
