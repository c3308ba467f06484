#include "decomposition/transport/peer/peer_memory.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <vector>

namespace isotherm {

namespace {

using Comm = UniqueHandle<mpi::CommTraits>;

/// Alignment of blocks, the same as that of Buffer.
constexpr std::size_t alignment = 256;

/// A reduction on a plain communicator. Collective.
double reduced(MPI_Comm ranks, double mine, MPI_Op operation) {
  double all = 0.0;
  mpi::check(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, operation, ranks));
  return all;
}

/// Bytes that processes of this host can still share: the free space of /dev/shm, or the limit on a
/// file's size if that is smaller.
double shared_bytes_free() {
  struct statvfs info {};
  // An unknown size is treated as no space: the caller then uses another transport.
  if (::statvfs("/dev/shm", &info) != 0) return 0.0;
  rlimit maximum{};
  bool const limited = getrlimit(RLIMIT_FSIZE, &maximum) == 0 && maximum.rlim_cur != RLIM_INFINITY;
  double const free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
  return limited ? std::min(free, static_cast<double>(maximum.rlim_cur)) : free;
}

/// The ranks of this host as a communicator. Collective.
Comm ranks_of_this_host(mpi::Communicator const& ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  mpi::check(
      MPI_Comm_split_type(ranks.get(), MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &host));
  mpi::check(MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN));
  return Comm(host);
}

/// Returns the number in `some` of each rank of `all`, or MPI_UNDEFINED if it is not in `some`.
std::vector<int> numbers_in(MPI_Comm some, MPI_Comm all, int size) {
  // MPI translates rank numbers through the groups of both communicators.
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> numbers(ranks.size());
  MPI_Group from = MPI_GROUP_NULL;
  MPI_Group to = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(all, &from));
  mpi::check(MPI_Comm_group(some, &to));
  mpi::check(MPI_Group_translate_ranks(from, size, ranks.data(), to, numbers.data()));
  mpi::check(MPI_Group_free(&from));
  mpi::check(MPI_Group_free(&to));
  return numbers;
}

}  // namespace

/// The ranks of this host, and on the CPU the memory window that they share.
struct PeerMemory::Window {
  explicit Window(mpi::Communicator const& ranks)
      : host(ranks_of_this_host(ranks)),
        number_on_host(numbers_in(host.get(), ranks.get(), ranks.size())) {}

  /// True if a rank runs on this host.
  [[nodiscard]] bool has(int rank) const {
    return number_on_host[static_cast<std::size_t>(rank)] != MPI_UNDEFINED;
  }

  Comm host;
  std::vector<int> number_on_host;  ///< by rank
  MPI_Win window = MPI_WIN_NULL;
};

PeerMemory::PeerMemory(mpi::Communicator const& ranks, Queue& queue, std::size_t bytes)
    : ranks_(&ranks),
      backend_(queue.backend()),
      device_(queue.device()),
      window_(std::make_unique<Window>(ranks)) {
  if (queue.backend() == Backend::cpu) {
    allocate_shared(bytes);
  } else {
    allocate_on_device(queue, bytes);
  }
  ranks.barrier();  // all blocks are 0 before any rank writes to another's
}

std::size_t PeerMemory::footprint(Backend backend, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  if (backend == Backend::cpu) return bytes + alignment + page;
  return Buffer::footprint(backend, Space::device, std::max(bytes, min_exported_bytes));
}

/// All ranks of a host reach the same decision, because the window's allocation is collective.
void PeerMemory::allocate_shared(std::size_t bytes) {
  // All ranks of the host get the same numbers, so they decide alike before the collective call.
  double const wanted = reduced(window_->host.get(), static_cast<double>(bytes), MPI_SUM);
  double const free = reduced(window_->host.get(), shared_bytes_free(), MPI_MIN);
  // If there is too little space, MPI may fail on some ranks only, and missing pages may be noticed
  // only at the first write. The factor of 2 is for other users of the space.
  if (2.0 * wanted > free) {
    obstacle_ =
        "/dev/shm, where processes share memory, has too little room: remove what killed runs left "
        "there, or raise ulimit -f";
    return;
  }
  allocate_window(bytes);
  // One failure on the host makes all of its ranks do without the window.
  if (reduced(window_->host.get(), own_ == nullptr ? 0.0 : 1.0, MPI_MIN) > 0.0) return;
  obstacle_ = "MPI cannot allocate shared memory for the processes of a host";
  offer_.valid = false;
  own_ = nullptr;
}

void PeerMemory::allocate_window(std::size_t bytes) {
  MPI_Info info = MPI_INFO_NULL;
  mpi::check(MPI_Info_create(&info));
  mpi::check(MPI_Info_set(info, "alloc_shared_noncontig", "true"));  // blocks may lie apart
  void* memory = nullptr;
  std::size_t const room = bytes + alignment;
  int const status = MPI_Win_allocate_shared(static_cast<MPI_Aint>(room), 1, info,
                                             window_->host.get(), &memory, &window_->window);
  mpi::check(MPI_Info_free(&info));
  if (status != MPI_SUCCESS) {
    window_->window = MPI_WIN_NULL;
    return;
  }
  // Processes may map the window at different addresses, so they exchange the offset of the block.
  offer_.offset = alignment - reinterpret_cast<std::uintptr_t>(memory) % alignment;
  offer_.valid = true;
  own_ = static_cast<std::byte*>(memory) + offer_.offset;
  // Touches every page, so missing memory shows here and not in the middle of a run.
  std::memset(own_, 0, bytes);
}

void PeerMemory::allocate_on_device(Queue& queue, std::size_t bytes) {
  // Large enough for an allocation that shares its block with no other.
  block_ = Buffer(queue, Space::device, std::max(bytes, min_exported_bytes));
  fill_bytes(queue, block_.data(), 0, bytes);
  queue.wait();
  own_ = block_.as<std::byte>();
  try {
    offer_.handle = cuda::export_memory(device_, block_.data());
    offer_.valid = true;
  } catch (Error const& error) {
    obstacle_ = std::string("this GPU's memory cannot be shared: ") + error.what();
  }
}

std::byte* PeerMemory::reach(int rank, Offer const& offer) {
  if (own_ == nullptr) return nullptr;  // obstacle_ already gives the reason
  // CUDA cannot open memory of the same process through its own handle.
  if (rank == ranks_->rank()) return own_;
  if (auto const known = reached_.find(rank); known != reached_.end()) return known->second;
  return reached_[rank] = open(rank, offer);
}

std::byte* PeerMemory::open(int rank, Offer const& offer) {
  if (!window_->has(rank)) {
    obstacle_ = "rank " + std::to_string(ranks_->rank()) + " and its neighbour " +
                std::to_string(rank) + " are on different hosts";
    return nullptr;
  }
  if (!offer.valid) {
    obstacle_ = "rank " + std::to_string(rank) + " has no memory to share";
    return nullptr;
  }
  if (backend_ == Backend::cpu) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* memory = nullptr;
    mpi::check(MPI_Win_shared_query(window_->window,
                                    window_->number_on_host[static_cast<std::size_t>(rank)], &bytes,
                                    &unit, &memory));
    return static_cast<std::byte*>(memory) + offer.offset;
  }
  try {
    return static_cast<std::byte*>(cuda::open_memory(device_, offer.handle));
  } catch (Error const& error) {
    obstacle_ = "the GPU of rank " + std::to_string(ranks_->rank()) +
                " cannot reach that of rank " + std::to_string(rank) + ": " + error.what();
    return nullptr;
  }
}

PeerMemory::~PeerMemory() {
  bool const collective = std::uncaught_exceptions() == 0;
  // Collective over the host. Either all of its ranks have a window, or none has.
  if (collective && backend_ == Backend::cpu && own_ != nullptr) MPI_Win_free(&window_->window);
  for (auto const& [rank, memory] : reached_) {
    if (memory != nullptr && backend_ == Backend::cuda) cuda::close_memory(device_, memory);
  }
  // The owner must not free a block before all others have closed it.
  if (collective) MPI_Barrier(ranks_->get());
}

}  // namespace isotherm
