#include "decomposition/field/assembly.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Maximum size of the chunks that are copied to the device.
constexpr std::size_t max_chunk_bytes = std::size_t{16} << 20;

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
Assembly<Real>::Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole)
    : mine_(mine), parts_(boxes_of_all(ranks, mine)), gather_(ranks, counts_of(parts_)) {
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
  return PartTable::footprint(backend, count(parts)) +
         Buffer::footprint(backend, Space::pinned, bytes) +
         Buffer::footprint(backend, Space::device, on_cpu ? 0 : std::min(bytes, max_chunk_bytes));
}

template <class Real>
void Assembly<Real>::assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field) {
  if (!memory_) memory_.emplace(queue, parts_);
  auto* const all = memory_->values.template as<Real>();
  // The device may still read the values of the previous call.
  memory_->uploaded.wait();
  staging.read(queue, field, mine_, all + gather_.offset());
  gather_.run(all);
  scatter_all(queue, field);
  memory_->uploaded.record(queue);
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
