#include "decomposition/field/regrid/transposition.hpp"

#include <algorithm>
#include <span>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

std::size_t bytes_of(LocalBox const& box, std::size_t value) {
  return box.empty() ? 0 : static_cast<std::size_t>(box.point_count()) * value;
}

/// Calls work(boxes) with at most as many boxes as a kernel takes.
template <class Box, class Work>
void in_groups(std::vector<Box> const& boxes, Work const& work) {
  std::span<Box const> rest(boxes);
  while (!rest.empty()) {
    std::size_t const count = std::min<std::size_t>(rest.size(), max_packed_boxes);
    work(rest.first(count));
    rest = rest.subspan(count);
  }
}

}  // namespace

/// Messages serve both directions, so each is as long as the longer one of the two.
template <class Real>
typename Transposition<Real>::Plan Transposition<Real>::plan_of(Subdomain const& one,
                                                                Subdomain const& other) {
  require(one.grid().points == other.grid().points,
          "values are moved between grids of different sizes");
  Extent3 const parts = one.parts();
  int const ranks = static_cast<int>(parts.x * parts.y * parts.z);
  Plan plan;
  for (int rank = 0; rank < ranks; ++rank) {
    GlobalBox const its_one = one.of_rank(rank).owned_global();
    GlobalBox const its_other = other.of_rank(rank).owned_global();
    Share const share{one.to_local(intersection(one.owned_global(), its_other)),
                      other.to_local(intersection(other.owned_global(), its_one))};
    if (rank == one.rank()) {
      plan.own = share;
      continue;
    }
    std::size_t const bytes =
        std::max(bytes_of(share.in_one, sizeof(Real)), bytes_of(share.in_other, sizeof(Real)));
    if (bytes == 0) continue;
    Message message;
    message.peer = rank;
    message.send_bytes = message.receive_bytes = bytes;
    plan.messages.push_back(message);
    plan.shares.push_back(share);
  }
  return plan;
}

template <class Real>
Transposition<Real>::Transposition(mpi::Communicator const& ranks, Subdomain const& one,
                                   Subdomain const& other, Queue& queue, TransportKind kind)
    : queue_(&queue),
      plan_(plan_of(one, other)),
      transport_(make_transport(kind, ranks, queue, plan_.messages)),
      own_(queue, Space::device, bytes_of(plan_.own.in_one, sizeof(Real))) {}

template <class Real>
void Transposition<Real>::move(FieldView<Real const> one, FieldView<Real> other) {
  pass(one, &Share::in_one, other, &Share::in_other);
}

template <class Real>
void Transposition<Real>::move_back(FieldView<Real const> other, FieldView<Real> one) {
  pass(other, &Share::in_other, one, &Share::in_one);
}

template <class Real>
void Transposition<Real>::pass(FieldView<Real const> from, LocalBox Share::*given,
                               FieldView<Real> to, LocalBox Share::*taken) {
  Stopwatch const watch(seconds_);
  TimelineScope const scope("transpose", *queue_);
  std::vector<PackedBox<Real>> out;
  for (std::size_t i = 0; i < plan_.shares.size(); ++i) {
    out.push_back({plan_.shares[i].*given, reinterpret_cast<Real*>(transport_->outgoing(i))});
  }
  in_groups(out, [&](auto boxes) { pack<Real>(*queue_, from, boxes); });
  transport_->begin(*queue_);
  // This rank's own values move while messages travel.
  if (!(plan_.own.*given).empty()) {
    pack<Real>(*queue_, from, plan_.own.*given, own_.template as<Real>());
    unpack<Real>(*queue_, own_.template as<Real const>(), to, plan_.own.*taken);
  }
  transport_->finish(*queue_);
  std::vector<PackedBox<Real const>> in;
  for (std::size_t i = 0; i < plan_.shares.size(); ++i) {
    in.push_back({plan_.shares[i].*taken, reinterpret_cast<Real const*>(transport_->incoming(i))});
  }
  in_groups(in, [&](auto boxes) { unpack<Real>(*queue_, boxes, to); });
}

template <class Real>
std::size_t Transposition<Real>::footprint(Backend backend, Subdomain const& one,
                                           Subdomain const& other, TransportKind kind) {
  Plan const plan = plan_of(one, other);
  return transport_footprint(kind, backend, plan.messages) +
         Buffer::footprint(backend, Space::device, bytes_of(plan.own.in_one, sizeof(Real)));
}

template class Transposition<float>;
template class Transposition<double>;

}  // namespace isotherm
