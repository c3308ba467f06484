#include "decomposition/field/assembly.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "decomposition/transport/messages/message_buffers.hpp"
#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

/// Maximum size of the chunks that are copied to the device.
constexpr std::size_t max_chunk_bytes = std::size_t{16} << 20;
/// Maximum number of ranks that send their parts directly to each other.
constexpr int max_direct_ranks = 16;
static_assert(max_direct_ranks - 1 <= max_packed_boxes);

/// True if parts may travel by this transport. `mpi` and `staged` wait on the host in any case.
bool may_be_direct(TransportKind kind, int ranks) {
  return ranks > 1 && ranks <= max_direct_ranks && kind != TransportKind::staged &&
         kind != TransportKind::mpi;
}

/// Returns the messages of rank `rank`, one for each other rank.
std::vector<Message> messages_to_all(std::vector<LocalBox> const& parts, int rank,
                                     std::size_t value_bytes) {
  auto const bytes_of = [&](int sender) {
    return static_cast<std::size_t>(parts[sender].point_count()) * value_bytes;
  };
  std::vector<Message> messages;
  for (int peer = 0; peer < static_cast<int>(parts.size()); ++peer) {
    if (peer != rank) messages.push_back({peer, 0, 0, bytes_of(rank), bytes_of(peer)});
  }
  return messages;
}

/// Returns every rank's box, which travels as raw bytes. Collective.
std::vector<LocalBox> boxes_of_all(mpi::Communicator const& ranks, LocalBox mine) {
  std::vector<LocalBox> boxes;
  std::string const text(reinterpret_cast<char const*>(&mine), sizeof mine);
  for (std::string const& bytes : ranks.all_gather(text)) {
    LocalBox box;
    std::memcpy(&box, bytes.data(), sizeof box);
    boxes.push_back(box);
  }
  return boxes;
}

std::vector<std::int64_t> counts_of(std::vector<LocalBox> const& boxes) {
  std::vector<std::int64_t> counts;
  counts.reserve(boxes.size());
  for (LocalBox const& box : boxes) counts.push_back(box.point_count());
  return counts;
}

/// A corner of boxes, with the sum of their signs there.
struct Corner {
  Index3 at;
  int sign = 0;
};

/// Adds the eight corners of a box. A corner at an odd number of upper ends has a negative sign, so
/// the signs are the mixed difference of the function that is 1 in the box and 0 outside.
void add_corners(std::vector<Corner>& corners, LocalBox box, int sign) {
  if (box.empty()) return;
  for (int const number : {0, 1, 2, 3, 4, 5, 6, 7}) {
    Corner corner{box.lower, sign};
    for (int axis = 0; axis < 3; ++axis) {
      if ((number >> axis & 1) == 0) continue;
      corner.at[axis] = box.upper[axis];
      corner.sign = -corner.sign;
    }
    corners.push_back(corner);
  }
}

}  // namespace

// The number of boxes around each point, as a function of the point, is zero far away. Its mixed
// difference therefore determines it. It is that of `whole` if and only if all corners cancel.
bool is_partition(std::vector<LocalBox> const& boxes, LocalBox whole) {
  std::vector<Corner> corners;
  for (LocalBox const& box : boxes) add_corners(corners, box, 1);
  add_corners(corners, whole, -1);
  std::ranges::sort(corners, {}, [](Corner const& corner) {
    return std::tuple(corner.at.x, corner.at.y, corner.at.z);
  });
  int sum = 0;
  for (std::size_t n = 0; n < corners.size(); ++n) {
    sum += corners[n].sign;
    bool const is_last = n + 1 == corners.size() || corners[n + 1].at != corners[n].at;
    if (is_last && sum != 0) return false;
  }
  return true;
}

template <class Real>
Assembly<Real>::Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole,
                         TransportKind kind)
    : ranks_(&ranks),
      mine_(mine),
      parts_(boxes_of_all(ranks, mine)),
      kind_(kind),
      gather_(ranks, counts_of(parts_)) {
  require(is_partition(parts_, whole),
          "the parts of an assembled field overlap, do not cover it or extend beyond it");
}

template <class Real>
Assembly<Real>::Memory::Memory(Queue& queue, std::vector<LocalBox> const& parts)
    : table(queue, parts),
      values(queue, Space::pinned, static_cast<std::size_t>(table.value_count()) * sizeof(Real)),
      uploaded(queue) {
  if (queue.backend() == Backend::cpu) return;
  chunk = Buffer(queue, Space::device, std::min(values.bytes(), max_chunk_bytes));
}

template <class Real>
std::size_t Assembly<Real>::footprint(Backend backend, Extent3 parts, Extent3 whole) {
  auto const count = [](Extent3 n) { return static_cast<std::size_t>(n.x * n.y * n.z); };
  std::size_t const bytes = count(whole) * sizeof(Real);
  bool const on_cpu = backend == Backend::cpu;
  // Both ways are allocated if `automatic` finds no direct one. Received parts together are smaller
  // than the whole, and so are the sent ones if no part is twice as large as an even share.
  std::size_t direct = 0;
  if (count(parts) > 1 && count(parts) <= max_direct_ranks) {
    std::vector<Message> messages(count(parts) - 1, {0, 0, 0, 0, RangeLayout::alignment});
    messages.front().receive_bytes += bytes;
    for (Message& message : messages) message.send_bytes = 2 * bytes / count(parts);
    direct = transport_footprint(TransportKind::automatic, backend, messages);
  }
  return direct + PartTable::footprint(backend, count(parts)) +
         Buffer::footprint(backend, Space::pinned, bytes) +
         Buffer::footprint(backend, Space::device, on_cpu ? 0 : std::min(bytes, max_chunk_bytes));
}

template <class Real>
void Assembly<Real>::assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field) {
  if (!direct_ && !memory_) allocate(queue);
  if (direct_) return send_directly(queue, field);
  auto* const all = memory_->values.template as<Real>();
  // The device may still read the values of the previous call.
  memory_->uploaded.wait();
  staging.read(queue, field, mine_, all + gather_.offset());
  gather_.run(all);
  scatter_all(queue, field);
  memory_->uploaded.record(queue);
}

template <class Real>
void Assembly<Real>::allocate(Queue& queue) {
  if (may_be_direct(kind_, ranks_->size())) {
    auto const messages = messages_to_all(parts_, ranks_->rank(), sizeof(Real));
    direct_ = make_transport(kind_, *ranks_, queue, messages);
    // All ranks decide alike, even if only some of them have a neighbour on another host.
    if (ranks_->any(!direct_->enqueues_only())) direct_.reset();
  }
  if (!direct_) memory_.emplace(queue, parts_);
}

template <class Real>
void Assembly<Real>::send_directly(Queue& queue, FieldView<Real> field) {
  std::vector<PackedBox<Real>> sent;
  std::vector<PackedBox<Real const>> received;
  std::vector<LocalBox> others = parts_;
  others.erase(others.begin() + ranks_->rank());
  for (std::size_t n = 0; n < others.size(); ++n) {
    sent.push_back({mine_, reinterpret_cast<Real*>(direct_->outgoing(n))});
  }
  pack<Real>(queue, field, sent);
  direct_->begin(queue);
  direct_->finish(queue);
  for (std::size_t n = 0; n < others.size(); ++n) {
    received.push_back({others[n], reinterpret_cast<Real const*>(direct_->incoming(n))});
  }
  unpack<Real>(queue, received, field);
}

template <class Real>
void Assembly<Real>::scatter_all(Queue& queue, FieldView<Real> field) {
  auto const* const all = memory_->values.template as<Real const>();
  PartTable const& table = memory_->table;
  std::int64_t const count = table.value_count();
  if (queue.backend() == Backend::cpu) return scatter(queue, table, 0, count, all, field);
  // Coarse grids fit into one chunk.
  auto* const chunk = memory_->chunk.template as<Real>();
  auto const capacity = static_cast<std::int64_t>(memory_->chunk.bytes() / sizeof(Real));
  for (std::int64_t at = 0; at < count; at += capacity) {
    std::int64_t const end = std::min(at + capacity, count);
    copy_bytes(queue, chunk, all + at, static_cast<std::size_t>(end - at) * sizeof(Real));
    scatter<Real>(queue, table, at, end, chunk, field);
  }
}

template class Assembly<float>;
template class Assembly<double>;

}  // namespace isotherm
