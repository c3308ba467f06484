#include "decomposition/halo/halo_exchange.hpp"

#include <utility>

#include "decomposition/grid/halo_regions.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {
namespace {

/// The length of a region's message, which is the same in both directions.
std::size_t bytes_of(HaloRegion const& region, std::size_t element_bytes) {
  return static_cast<std::size_t>(region.send.point_count()) * element_bytes;
}

/// A message's tag is the number of the direction in which it travels. On a periodic axis of two
/// parts both neighbours are the same rank, and only the tags distinguish its two messages.
Message message_for(HaloRegion const& region, std::size_t bytes) {
  Message message;
  message.peer = region.peer;
  message.send_tag = direction_number(region.direction);
  message.receive_tag = direction_number(Index3{} - region.direction);
  message.send_bytes = bytes;
  message.receive_bytes = bytes;
  return message;
}

/// The messages of an exchange; message i carries region i.
std::vector<Message> messages_of(HaloRegions const& plan, std::size_t element_bytes) {
  std::vector<Message> all;
  for (HaloRegion const& region : plan.regions) {
    all.push_back(message_for(region, bytes_of(region, element_bytes)));
  }
  return all;
}

}  // namespace

template <class Real>
struct HaloExchange<Real>::Impl {
  Impl(mpi::Communicator const& ranks, Subdomain const& subdomain, Queue& compute_queue, int depth,
       bool corners, TransportKind kind, std::optional<int> axis)
      : compute(&compute_queue),
        owned(subdomain.owned()),
        halo(compute_queue.backend(), compute_queue.device()),
        plan(halo_regions(subdomain, depth, corners, axis)),
        transport(make_transport(kind, ranks, halo, messages_of(plan, sizeof(Real)))) {}

  /// Throws Error unless the field has all halo points that the exchange writes.
  void require_halo(FieldView<Real> const& field) const {
    for (LocalBox const& box : plan.wrapped) {
      require(field.box.contains(box), "the field's halo is shallower than the exchange needs");
    }
    for (HaloRegion const& region : plan.regions) {
      require(field.box.contains(region.receive),
              "the field's halo is shallower than the exchange needs");
    }
  }

  /// A transport that only enqueues work is used on the compute queue itself. Others make the host
  /// wait for messages, so they get a queue of their own.
  [[nodiscard]] bool overlaps() const {
    return !plan.regions.empty() && !transport->enqueues_only();
  }
  /// The queue that the exchange's work is enqueued on.
  Queue& queue() { return overlaps() ? halo : *compute; }

  /// First stage: fills the halo of periodic axes that are not cut.
  void wrap_own_points(FieldView<Real> field) {
    isotherm::wrap<Real>(queue(), field, plan.wrapped, owned);
  }

  /// Second stage: packs the rims into the transport's ranges and starts the messages. They include
  /// wrapped points, so this comes after the first stage on the same queue.
  void send_rims(FieldView<Real> field) {
    std::vector<PackedBox<Real>> packed_boxes;
    for (std::size_t i = 0; i < plan.regions.size(); ++i) {
      packed_boxes.push_back(
          {plan.regions[i].send, reinterpret_cast<Real*>(transport->outgoing(i))});
    }
    pack<Real>(queue(), field, packed_boxes);
    transport->begin(queue());
  }

  /// Completes the messages and unpacks them into the halo.
  void receive_halo(FieldView<Real> field) {
    transport->finish(queue());
    std::vector<PackedBox<Real const>> packed_boxes;
    for (std::size_t i = 0; i < plan.regions.size(); ++i) {
      packed_boxes.push_back(
          {plan.regions[i].receive, reinterpret_cast<Real const*>(transport->incoming(i))});
    }
    unpack<Real>(queue(), packed_boxes, field);
  }

  Queue* compute;  // the queue of the sweeps
  LocalBox owned;
  Queue halo;  // separate from `compute`, so messages overlap with sweeps
  HaloRegions plan;
  std::unique_ptr<Transport> transport;
  bool under_way = false;  // between begin() and finish()
  double seconds = 0.0;    // host time in begin() and finish()
};

template <class Real>
HaloExchange<Real>::HaloExchange(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 Queue& compute, int depth, bool corners, TransportKind kind,
                                 std::optional<int> axis)
    : impl_(std::make_unique<Impl>(ranks, subdomain, compute, depth, corners, kind, axis)) {}
template <class Real>
HaloExchange<Real>::~HaloExchange() = default;
template <class Real>
HaloExchange<Real>::HaloExchange(HaloExchange&&) noexcept = default;
template <class Real>
HaloExchange<Real>& HaloExchange<Real>::operator=(HaloExchange&&) noexcept = default;

template <class Real>
std::size_t HaloExchange<Real>::footprint(Backend backend, Subdomain const& subdomain, int depth,
                                          bool corners, TransportKind kind) {
  return transport_footprint(kind, backend,
                             messages_of(halo_regions(subdomain, depth, corners), sizeof(Real)));
}

template <class Real>
void HaloExchange<Real>::begin(FieldView<Real> field) {
  Stopwatch const watch(impl_->seconds);
  require(!impl_->under_way, "a halo exchange begins before the previous one has finished");
  impl_->require_halo(field);
  // The rims must be complete before the halo queue packs them.
  if (overlaps()) impl_->halo.wait_for(*impl_->compute);
  // After that, so the range on a device does not include the sweeps that the exchange waits for.
  TimelineScope const scope("halo", impl_->queue());
  impl_->wrap_own_points(field);
  if (has_remote_neighbours()) impl_->send_rims(field);
  impl_->under_way = true;
}

template <class Real>
void HaloExchange<Real>::finish(FieldView<Real> field) {
  Stopwatch const watch(impl_->seconds);
  require(impl_->under_way, "a halo exchange is finished before it has begun");
  TimelineScope const scope("halo", impl_->queue());
  if (has_remote_neighbours()) impl_->receive_halo(field);
  if (overlaps()) impl_->compute->wait_for(impl_->halo);
  impl_->under_way = false;
}

template <class Real>
bool HaloExchange<Real>::has_remote_neighbours() const {
  return !impl_->plan.regions.empty();
}

template <class Real>
bool HaloExchange<Real>::overlaps() const {
  return impl_->overlaps();
}

template <class Real>
std::size_t HaloExchange<Real>::bytes_sent() const {
  std::size_t sum = 0;
  for (HaloRegion const& region : impl_->plan.regions) {
    sum += bytes_of(region, sizeof(Real));
  }
  return sum;
}

template <class Real>
TransportDescription HaloExchange<Real>::transport_description() const {
  return has_remote_neighbours() ? impl_->transport->description()
                                 : TransportDescription("none", "one rank");
}

template <class Real>
double HaloExchange<Real>::seconds() const {
  return impl_->seconds;
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace isotherm
