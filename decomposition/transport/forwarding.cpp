#include "decomposition/transport/forwarding.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "decomposition/grid/halo_regions.hpp"
#include "decomposition/transport/peer/peer_memory.hpp"
#include "decomposition/transport/probe.hpp"
#include "decomposition/transport/swapped.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/flags.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {
namespace {

/// The handles by which a neighbour opens a rank's two fields and its block of flags.
struct Handles {
  std::array<cuda::MemoryHandle, 2> fields{};
  PeerMemory::Offer flags{};
  bool valid = false;  ///< true if this rank's memory can be shared
};

/// Another rank's device memory, mapped into this process. Closed by the destructor.
class OpenMemory {
 public:
  OpenMemory(cuda::MemoryHandle const& handle, int device)
      : memory_(cuda::open_memory(device, handle)), device_(device) {}
  ~OpenMemory() {
    if (memory_ != nullptr) cuda::close_memory(device_, memory_);
  }
  OpenMemory(OpenMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), device_(other.device_) {}
  OpenMemory& operator=(OpenMemory&&) = delete;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
  int device_;
};

/// The neighbour at one end of the cut axis.
template <class Real>
struct Neighbour {
  Message message;  ///< rank, and tags that distinguish its two neighbours
  std::array<std::optional<OpenMemory>, 2> memory{};  ///< the neighbour's two fields
  std::array<Forward<Real>, 2> forwards{};            ///< by field
  std::uint32_t* flag = nullptr;  ///< in the neighbour's block; raised by this rank
};

/// Bytes between the two flags of a block, so they lie on different cache lines.
constexpr std::size_t flag_distance = 256;

/// The axis that is cut: z in 3D, y in 2D.
int last_axis(Subdomain const& subdomain) { return subdomain.grid().dimension - 1; }

/// The direction of a neighbour. @param side  0: below, 1: above
Index3 towards(Subdomain const& subdomain, int side) {
  Index3 direction;
  direction[last_axis(subdomain)] = side == 0 ? -1 : 1;
  return direction;
}

}  // namespace

std::string obstacle_to_forwarding(Backend backend, Subdomain const& subdomain, int depth,
                                   std::size_t field_bytes) {
  if (backend == Backend::cpu) return "sweeps on the CPU write only to their own memory";
  int const last = last_axis(subdomain);
  // Along the last axis a rim is contiguous in memory, and a rank has two neighbours at most.
  for (int axis = 0; axis < last; ++axis) {
    if (subdomain.parts()[axis] > 1) return "an axis other than the last one is divided";
  }
  if (subdomain.parts()[last] == 1) return "there is only one part";
  // The rims at both ends must not overlap.
  std::int64_t const minimum = std::int64_t{2} * depth;
  if (subdomain.smallest_extent(last) < minimum) {
    return "a part has fewer than " + std::to_string(minimum) + " points on the divided axis";
  }
  return field_bytes < min_exported_bytes ? "a field has less than 2 MiB" : "";
}

template <class Real>
struct HaloForwarding<Real>::Impl {
  Impl(mpi::Communicator const& all_ranks, Subdomain share, Queue& compute, int halo_depth,
       std::array<Field<Real>*, 2> both)
      : ranks(&all_ranks),
        subdomain(std::move(share)),
        queue(&compute),
        depth(halo_depth),
        fields(both),
        flags(all_ranks, compute, 2 * flag_distance) {
    for (int const side : {0, 1}) {
      Index3 const direction = towards(subdomain, side);
      std::optional<int> const rank = subdomain.neighbour(direction);
      if (!rank) continue;
      // The two tags distinguish the messages if both neighbours are the same rank (periodic axis,
      // two parts).
      Neighbour<Real>& neighbour = neighbours[static_cast<std::size_t>(side)].emplace();
      neighbour.message.peer = *rank;
      neighbour.message.send_tag = direction_number(direction);
      neighbour.message.receive_tag = direction_number(Index3{} - direction);
    }
  }

  /// Opens the neighbours' fields and flags. Returns false on all ranks if any neighbour of any
  /// rank cannot be reached. Collective.
  bool open_neighbours() {
    std::vector<Message> messages;
    for (auto const& neighbour : neighbours) {
      if (neighbour) messages.push_back(neighbour->message);
    }
    // Every neighbour sends the handles of its own memory.
    auto const theirs =
        swapped(*ranks, messages, std::vector<Handles>(messages.size(), own_handles()));
    bool all_open = true;
    std::size_t next = 0;
    for (std::size_t const side : {0U, 1U}) {
      // open() comes first, so every neighbour is opened even if an earlier one failed.
      if (neighbours[side]) all_open = open(side, theirs[next++]) && all_open;
    }
    return !ranks->any(!all_open);
  }

  /// Exports this rank's memory; the result is not valid if the device cannot share it.
  [[nodiscard]] Handles own_handles() const {
    Handles handles;
    try {
      for (std::size_t const n : {0U, 1U}) {
        handles.fields[n] = cuda::export_memory(queue->device(), memory_of(n));
      }
      handles.flags = flags.offer();
      handles.valid = flags.own() != nullptr;
    } catch (Error const&) {  // the memory cannot be shared: halos are sent by messages
    }
    return handles;
  }

  /// Opens one neighbour's fields and flags and sets the destinations of forwarding. Returns false
  /// if it cannot be reached.
  bool open(std::size_t side, Handles const& handles) {
    Neighbour<Real>& neighbour = *neighbours[side];
    if (!handles.valid) return false;
    // PeerMemory opens each rank's block once, even if it is the neighbour on both sides.
    std::byte* const block = flags.reach(neighbour.message.peer, handles.flags);
    if (block == nullptr) return false;
    // The first flag of a block is raised by the lower neighbour, the second one by the upper
    // neighbour. This rank is the upper neighbour of the one below it.
    neighbour.flag = reinterpret_cast<std::uint32_t*>(block + (side == 0 ? flag_distance : 0));
    try {
      for (std::size_t const n : {0U, 1U}) {
        neighbour.memory[n].emplace(handles.fields[n], queue->device());
        neighbour.forwards[n] = forward_to(side, neighbour.memory[n]->template as<Real>());
      }
    } catch (Error const&) {
      return false;
    }
    return true;
  }

  /// Returns the destination in the neighbour's field that starts at `memory`. The neighbour's
  /// layout differs from this rank's only in the number of planes (in 2D of rows), so the strides
  /// are equal.
  [[nodiscard]] Forward<Real> forward_to(std::size_t side, Real* memory) const {
    int const axis = last_axis(subdomain);
    int const rank = neighbours[side]->message.peer;
    Subdomain const theirs = subdomain.of_rank(rank);
    FieldView<Real> const mine = fields[0]->view();
    std::int64_t const stride = axis == 2 ? mine.stride_z : mine.stride_y;
    // Both ranks count from their own first plane. For the neighbour below, my plane 0 is its plane
    // n, with n its number of planes. For the neighbour above, its plane 0 is my plane n, with n
    // mine.
    std::int64_t const shift = side == 0 ? theirs.extent()[axis] : -subdomain.extent()[axis];
    Forward<Real> forward;
    forward.box = subdomain.rim({axis, side == 1}, depth);
    // The view has this rank's indices, but addresses in the neighbour's field.
    forward.out = mine;
    forward.out.origin = memory + fields[0]->layout().origin + shift * stride;
    forward.out.box = forward.box;
    return forward;
  }

  /// The start of field n's allocation; the view's origin is its first owned point.
  [[nodiscard]] void* memory_of(std::size_t n) const {
    return fields[n]->view().origin - fields[n]->layout().origin;
  }

  /// Returns true on all ranks if test values and flags arrive in every neighbour's memory. It
  /// checks flags after a barrier instead of awaiting them, so missing flags do not cause a hang.
  /// Collective.
  bool try_out() {
    // 1. Writes a test row into each neighbour's halo of each field, and raises the flags.
    for (std::size_t const side : {0U, 1U}) {
      if (!neighbours[side]) continue;
      for (std::size_t const n : {0U, 1U}) {
        auto const& [box, out] = neighbours[side]->forwards[n];
        write_test_message(*queue, bytes_at(out, box.lower), row_bytes(), ranks->rank(),
                           static_cast<int>(2 * side + n));
      }
    }
    raise_flags(*queue, their_flags, ++passes);
    // All ranks' writes are complete after the barrier.
    queue->wait();
    ranks->barrier();
    // 2. Compares the flags and rows that the neighbours have written here.
    bool intact = true;
    for (std::uint32_t* const flag : own_flags) {
      intact = read_flag(*queue, flag) == passes && intact;
    }
    for (std::size_t const side : {0U, 1U}) {
      if (!neighbours[side]) continue;
      Face const face{last_axis(subdomain), side == 1};
      for (std::size_t const n : {0U, 1U}) {
        auto const* const here = bytes_at(fields[n]->view(), subdomain.halo(face, depth).lower);
        // The neighbour wrote towards its other side: 1 − side as seen from here.
        intact = is_test_message(*queue, here, row_bytes(), neighbours[side]->message.peer,
                                 static_cast<int>(2 * (1 - side) + n)) &&
                 intact;
      }
    }
    return !ranks->any(!intact);
  }

  /// The address of a point's value.
  static std::byte* bytes_at(FieldView<Real> const& field, Index3 point) {
    return reinterpret_cast<std::byte*>(&field(point.x, point.y, point.z));
  }
  /// The length of a test message: one row of owned points.
  [[nodiscard]] std::size_t row_bytes() const {
    return static_cast<std::size_t>(subdomain.extent().x) * sizeof(Real);
  }

  /// The owned points together with the halo points that neighbours fill.
  [[nodiscard]] LocalBox filled() const {
    int const axis = last_axis(subdomain);
    LocalBox box = subdomain.owned();
    if (neighbours[0]) box.lower[axis] -= depth;
    if (neighbours[1]) box.upper[axis] += depth;
    return box;
  }

  /// The flags that the neighbours raise (`own`), or those that this rank raises in their blocks.
  [[nodiscard]] std::vector<std::uint32_t*> flags_of(bool own) const {
    std::vector<std::uint32_t*> all;
    for (std::size_t const side : {0U, 1U}) {
      if (!neighbours[side]) continue;
      all.push_back(own ? reinterpret_cast<std::uint32_t*>(flags.own() + side * flag_distance)
                        : neighbours[side]->flag);
    }
    return all;
  }

  mpi::Communicator const* ranks;
  Subdomain subdomain;
  Queue* queue;
  int depth;
  std::array<Field<Real>*, 2> fields;
  PeerMemory flags;  ///< first the flag of the lower neighbour, then that of the upper
  std::array<std::optional<Neighbour<Real>>, 2> neighbours{};  ///< below and above
  std::vector<std::uint32_t*> own_flags{};                     ///< awaited by this rank
  std::vector<std::uint32_t*> their_flags{};                   ///< raised by this rank
  std::vector<LocalBox> wrapped{};  ///< periodic halo of the axes that are not cut
  std::uint32_t passes = 0;         ///< value of the flags after the last pass
};

template <class Real>
std::unique_ptr<HaloForwarding<Real>> HaloForwarding<Real>::make(mpi::Communicator const& ranks,
                                                                 Subdomain const& subdomain,
                                                                 Queue& queue, int depth,
                                                                 std::array<Field<Real>*, 2> fields,
                                                                 std::string& obstacle) {
  // Ranks may differ in the reason; all of them report the first one.
  obstacle = ranks.first_text(
      obstacle_to_forwarding(queue.backend(), subdomain, depth, fields[0]->bytes()));
  if (!obstacle.empty()) return nullptr;
  auto impl = std::make_unique<Impl>(ranks, subdomain, queue, depth, fields);
  std::unique_ptr<HaloForwarding> made(new HaloForwarding(std::move(impl)));
  if (!made->impl_->open_neighbours()) {
    obstacle = "the memory of a neighbour's fields is not accessible";
    return nullptr;
  }
  made->impl_->own_flags = made->impl_->flags_of(true);
  made->impl_->their_flags = made->impl_->flags_of(false);
  if (!made->impl_->try_out()) {
    obstacle = "values written to a neighbour's field do not arrive";
    return nullptr;
  }
  made->impl_->wrapped = wrapped_around(subdomain, made->impl_->filled(), depth);
  return made;
}

template <class Real>
std::size_t HaloForwarding<Real>::footprint(Backend backend) {
  return backend == Backend::cuda ? PeerMemory::footprint(backend, 2 * flag_distance) : 0;
}

template <class Real>
HaloForwarding<Real>::HaloForwarding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

/// A neighbour's pass may still be writing to this rank's memory, so all ranks' work must end
/// first. The memory must remain allocated until all ranks have closed it. Hence the two barriers.
template <class Real>
HaloForwarding<Real>::~HaloForwarding() {
  try {
    impl_->queue->wait();
  } catch (Error const&) {  // reported already, by the call that waited
  }
  // While an exception unwinds, other ranks may not come to the barriers.
  bool const collective = std::uncaught_exceptions() == 0;
  mpi::Communicator const& ranks = *impl_->ranks;
  if (collective) MPI_Barrier(ranks.get());
  for (auto& neighbour : impl_->neighbours) neighbour.reset();
  if (collective) MPI_Barrier(ranks.get());
}

template <class Real>
std::array<Forward<Real>, 2> HaloForwarding<Real>::forwards(FieldView<Real> field) const {
  // The field is identified by its address.
  std::size_t const n = field.origin == impl_->fields[0]->view().origin ? 0 : 1;
  std::array<Forward<Real>, 2> both{};
  for (std::size_t const side : {0U, 1U}) {
    if (impl_->neighbours[side]) both[side] = impl_->neighbours[side]->forwards[n];
  }
  return both;
}

template <class Real>
void HaloForwarding<Real>::swept() {
  raise_flags(*impl_->queue, impl_->their_flags, ++impl_->passes);
}

template <class Real>
void HaloForwarding<Real>::arrive(FieldView<Real> field) {
  // All ranks count their passes alike, so the neighbours raise the flags to this number.
  await_flags(*impl_->queue, impl_->own_flags, impl_->passes);
  wrap<Real>(*impl_->queue, field, impl_->wrapped, impl_->filled());
}

template class HaloForwarding<float>;
template class HaloForwarding<double>;

}  // namespace isotherm
