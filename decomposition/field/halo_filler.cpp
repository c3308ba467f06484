#include "decomposition/field/halo_filler.hpp"

#include <algorithm>

#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

/// The unit vector along the outward normal of a face.
Index3 outwards(Face face) {
  Index3 direction;
  direction[face.axis] = face.upper ? 1 : -1;
  return direction;
}

/// True if the grid is divided among several ranks.
bool has_neighbours(Subdomain const& subdomain) { return subdomain.parts() != Extent3{1, 1, 1}; }

/// True if owned points of this rank or of others fill parts of the halo.
bool exchanges(Subdomain const& subdomain) {
  auto const& periodic = subdomain.grid().periodic;
  return has_neighbours(subdomain) || std::ranges::find(periodic, true) != periodic.end();
}

/// True if the exchange includes edges and corners. One step of a star stencil reads the faces
/// only. With deeper halos, the first steps of a pass also update halo points, which need them.
bool takes_corners(int depth) { return depth > 1; }

/// True if the requested transport permits writing to the neighbours' memory.
bool may_forward(TransportKind transport) {
  return transport == TransportKind::automatic || transport == TransportKind::peer;
}

/// Moves a side of a box outwards by `width` points; a negative width moves it inwards.
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
    // Axes without a halo are skipped.
    if (face.axis != shape.axis.value_or(face.axis)) continue;
    bool const is_continued =
        subdomain.on_physical_face(face) && (shape.mirrored[face] || shape.extended[face]);
    // A periodic axis that is not cut has the rank itself as its neighbour.
    if (is_continued || subdomain.neighbour(outwards(face))) filled_.push_back(face);
    if (is_continued) physical_halos_.push_back({face, shape.mirrored[face]});
  }
  // Each physical face's halo spans the halo of the other axes, so edges are mirrored, too. This
  // needs `filled_` to be complete.
  for (PhysicalHalo& beyond : physical_halos_) {
    beyond.box = filled_box();
    LocalBox const halo = subdomain.halo(beyond.face, depth_);
    beyond.box.lower[beyond.face.axis] = halo.lower[beyond.face.axis];
    beyond.box.upper[beyond.face.axis] = halo.upper[beyond.face.axis];
  }
  if (exchanges(subdomain)) {
    bool const corners = takes_corners(depth_) && !shape.axis;
    exchange_.emplace(ranks, subdomain, queue, depth_, corners, transport, shape.axis);
  }
}

template <class Real>
std::size_t HaloFiller<Real>::footprint(Backend backend, Subdomain const& subdomain, int depth,
                                        TransportKind transport) {
  // A single rank without periodic axes has no exchange, only mirrored and extended faces.
  if (!exchanges(subdomain)) return 0;
  bool const forwarding = has_neighbours(subdomain) && depth > 1 && may_forward(transport);
  return HaloExchange<Real>::footprint(backend, subdomain, depth, takes_corners(depth), transport) +
         (forwarding ? HaloForwarding<Real>::footprint(backend) : 0);
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
  // If the exchange overlaps with sweeps, some messages pass through the host: peer memory does not
  // reach all neighbours.
  bool const wanted = may_forward(transport_) && !ranks_->any(overlaps());
  // The conditions are the same on every rank, because make() below is collective.
  if (!wanted || ranks_->size() == 1 || ranks_->any(queue_->backend() == Backend::cpu)) return;
  // With one step per pass the rims are thin and cheap to send. Boundary values may also vary in
  // time, and these are set only after the sweep.
  if (depth_ == 1) {
    not_forwarded_ = "one step per pass";
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
bool HaloFiller<Real>::swept() {
  if (forwarding_) forwarding_->swept();
  return forwarding_ != nullptr;
}

template <class Real>
void HaloFiller<Real>::begin(FieldView<Real> field) {
  ++exchange_count_;
  if (exchange_) exchange_->begin(field);
}

template <class Real>
void HaloFiller<Real>::finish(FieldView<Real> field) {
  if (exchange_) exchange_->finish(field);
  fill_beyond(field);
}

template <class Real>
void HaloFiller<Real>::arrive(FieldView<Real> field) {
  // Waits for the neighbours' flags on the queue.
  forwarding_->arrive(field);
  fill_beyond(field);
}

template <class Real>
void HaloFiller<Real>::fill_beyond(FieldView<Real> field) {
  for (PhysicalHalo const& beyond : physical_halos_) {
    // After the exchange: mirrored edges copy halo points of other ranks.
    int const axis = beyond.face.axis;
    std::int64_t const plane = beyond.face.upper ? owned_.upper[axis] - 1 : 0;
    if (beyond.mirrored) {
      reflect(*queue_, field, beyond.box, axis, plane);
    } else {
      extend(*queue_, field, beyond.box, axis, plane);
    }
  }
}

template <class Real>
TransportDescription HaloFiller<Real>::transport_description() const {
  if (!exchange_) return TransportDescription("none");
  TransportDescription description = exchange_->transport_description();
  if (forwarding_) {
    // The reasons still apply: rates are measured without the help of the sweeps.
    description.parts.front().name = "peer memory, written by the sweeps";
  } else if (!not_forwarded_.empty()) {
    description.add_reason("not written by the sweeps: " + not_forwarded_);
  }
  return description;
}

template class HaloFiller<float>;
template class HaloFiller<double>;

}  // namespace isotherm
