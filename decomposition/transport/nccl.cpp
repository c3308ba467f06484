#include "decomposition/transport/nccl.hpp"

#include <mpi.h>

#include <algorithm>
#include <dlfcn.h>
#include <exception>
#include <nccl.h>
#include <utility>

#include "decomposition/ranks/attribute.hpp"
#include "decomposition/ranks/device_sharing.hpp"
#include "decomposition/transport/messages/message_buffers.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm {
namespace {

/// NCCL's functions, loaded from the library of this machine at run time. The program is built with
/// the header alone, so it also starts on machines without NCCL.
struct Library {
  std::string obstacle;  ///< why functions are missing; empty if all were found
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRank) start_rank = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclCommGetAsyncError) async_error = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
};

/// Loads the library, or returns null and sets `obstacle` to the reason for its first name.
void* open_shared_library(std::string& obstacle) {
  for (char const* const name : {"libnccl.so.2", "libnccl.so"}) {
    if (void* const opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); opened != nullptr) {
      return opened;
    }
    // The second name is a fallback, so the first reason is more informative.
    if (char const* const reason = ::dlerror(); obstacle.empty() && reason != nullptr) {
      obstacle = reason;
    }
  }
  return nullptr;
}

/// Looks up one function. The first missing one sets library.obstacle.
template <class Function>
void find(void* opened, char const* name, Library& library, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(opened, name));
  if (function == nullptr && library.obstacle.empty()) {
    library.obstacle =
        std::string("the installed NCCL has no ") + name + " (it must be 2.7 or newer)";
  }
}

Library open_library() {
  Library found;
  std::string obstacle;
  void* const opened = open_shared_library(obstacle);
  if (opened == nullptr) {
    found.obstacle = obstacle;
    return found;
  }
  // Point-to-point messages (ncclSend, ncclRecv) exist since NCCL 2.7.
  find(opened, "ncclGetErrorString", found, found.error_string);
  find(opened, "ncclGetUniqueId", found, found.unique_id);
  find(opened, "ncclCommInitRank", found, found.start_rank);
  find(opened, "ncclCommDestroy", found, found.destroy);
  find(opened, "ncclCommAbort", found, found.abort);
  find(opened, "ncclCommGetAsyncError", found, found.async_error);
  find(opened, "ncclGroupStart", found, found.group_start);
  find(opened, "ncclGroupEnd", found, found.group_end);
  find(opened, "ncclSend", found, found.send);
  find(opened, "ncclRecv", found, found.receive);
  return found;
}

/// Loaded by the first call and never unloaded, since NCCL runs threads of its own.
Library const& library() {
  static Library const only = open_library();
  return only;
}

/// NCCL's text for a failure; empty after success.
std::string problem(ncclResult_t status) {
  return status == ncclSuccess ? "" : std::string("NCCL: ") + library().error_string(status);
}

/// Throws Error with NCCL's text unless the call succeeded.
void check(ncclResult_t status, Where where = Where::here()) {
  if (status != ncclSuccess) throw Error(problem(status), where);
}

/// Ownership of an NCCL communicator, for UniqueHandle.
struct NcclTraits {
  using Handle = ncclComm_t;
  static Handle empty() noexcept { return nullptr; }
  /// While an exception unwinds, other ranks may be gone or in another call, and NCCL might wait
  /// for them. The process ends anyway, so the communicator is not destroyed then.
  static void close(Handle comm) noexcept {
    if (std::uncaught_exceptions() == 0) (void)library().destroy(comm);
  }
};

/// Ownership of an MPI group, for UniqueHandle.
struct GroupTraits {
  using Handle = MPI_Group;
  static Handle empty() noexcept { return MPI_GROUP_NULL; }
  static void close(Handle group) noexcept { (void)MPI_Group_free(&group); }
};

/// The group of a communicator's ranks.
UniqueHandle<GroupTraits> group_of(mpi::Communicator const& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(ranks.get(), &group));
  return UniqueHandle<GroupTraits>(group);
}

/// An NCCL communicator with the ranks and the device that it was started for. Both libraries
/// number the ranks alike.
class NcclCommunicator {
 public:
  NcclCommunicator(ncclComm_t comm, mpi::Communicator const& ranks, int device)
      : comm_(comm), members_(group_of(ranks)), device_(device) {}

  /// True if it serves exactly these ranks, in the same order, on this device, and has not failed.
  [[nodiscard]] bool serves(mpi::Communicator const& ranks, int device) const {
    int relation = MPI_UNEQUAL;
    mpi::check(MPI_Group_compare(group_of(ranks).get(), members_.get(), &relation));
    return comm_.get() != nullptr && relation == MPI_IDENT && device == device_;
  }

  /// The communicator. @throws Error  after a failure
  [[nodiscard]] ncclComm_t comm() const {
    require(comm_.get() != nullptr, "NCCL has failed earlier and was shut down");
    return comm_.get();
  }

  /// Throws what has failed on the network or on a device since the last call. Before that, it
  /// aborts the communicator: its work would otherwise wait on the device forever, and the host for
  /// the device.
  void check_work() {
    ncclResult_t status = ncclSuccess;
    check(library().async_error(comm(), &status));
    if (status == ncclSuccess || status == ncclInProgress) return;
    // Abort rather than destroy: destroying would wait for the work that has failed.
    (void)library().abort(comm_.release());
    check(status);
  }

 private:
  UniqueHandle<NcclTraits> comm_;
  UniqueHandle<GroupTraits> members_;
  int device_;
};

/// Shared by all transports of the same ranks.
using SharedCommunicator = std::shared_ptr<NcclCommunicator>;

/// The communicator that was started last, or null. It is kept for the next transport.
SharedCommunicator kept() {
  auto const* const found = mpi::find_attribute<SharedCommunicator>(MPI_COMM_SELF);
  return found != nullptr ? *found : nullptr;
}

/// Replaces the kept communicator. Transports that use the previous one keep it alive.
void keep(SharedCommunicator started) {
  (void)mpi::set_attribute(MPI_COMM_SELF, std::move(started));
}

/// True if a started communicator can be reused for these ranks and this queue's device.
bool serves(SharedCommunicator const& started, mpi::Communicator const& ranks, Queue const& queue) {
  return started != nullptr && started->serves(ranks, queue.device());
}

/// Returns the first rank's problem on every rank, with its number; empty if no rank has one.
/// Collective.
std::string first_problem(mpi::Communicator const& ranks, std::string const& mine) {
  std::string const where = "on rank " + std::to_string(ranks.rank()) + ", ";
  return ranks.first_text(mine.empty() ? "" : where + mine);
}

/// Returns an obstacle if two ranks share a GPU. NCCL refuses that, but only after all ranks have
/// begun to start it. Collective.
std::string shared_gpu(mpi::Communicator const& ranks, Queue const& queue) {
  auto const sharers =
      first_sharers(gather_devices(ranks, device_info(queue.backend(), queue.device()).uuid));
  if (!sharers) return "";
  return "ranks " + std::to_string(sharers->first) + " and " + std::to_string(sharers->second) +
         " share a GPU, but NCCL needs one per rank";
}

/// Starts NCCL for this rank alone and returns its problem, if any.
std::string problem_alone() {
  ncclUniqueId id{};
  ncclResult_t status = library().unique_id(&id);
  ncclComm_t comm = nullptr;
  if (status == ncclSuccess) status = library().start_rank(&comm, 1, id, 0);
  UniqueHandle<NcclTraits> const owner(comm);
  return problem(status);
}

/// Returns the root's NCCL identifier for the new communicator on every rank. Collective.
std::string broadcast_id(mpi::Communicator const& ranks, std::string& obstacle) {
  ncclUniqueId id{};
  obstacle =
      first_problem(ranks, problem(ranks.is_root() ? library().unique_id(&id) : ncclSuccess));
  return ranks.broadcast(std::string(std::begin(id.internal), std::end(id.internal)));
}

/// Starts NCCL for these ranks on the queue's device. Returns the obstacle, the same on every rank.
/// A rank that cannot start would leave the others waiting inside NCCL, so each rank first tries
/// alone. Collective.
std::string start(mpi::Communicator const& ranks, Queue const& queue) {
  queue.make_current();
  // 1. Each rank starts NCCL alone, which needs no other rank.
  std::string obstacle = first_problem(ranks, problem_alone());
  if (!obstacle.empty()) return obstacle;
  // 2. All ranks get the root's identifier.
  std::string const name = broadcast_id(ranks, obstacle);
  if (!obstacle.empty()) return obstacle;
  ncclUniqueId id{};
  std::copy(name.begin(), name.end(), std::begin(id.internal));
  // 3. All ranks start together; the call returns when all of them have called it.
  ncclComm_t comm = nullptr;
  ncclResult_t const status = library().start_rank(&comm, ranks.size(), id, ranks.rank());
  auto started = std::make_shared<NcclCommunicator>(comm, ranks, queue.device());
  obstacle = first_problem(ranks, problem(status));
  // Only a communicator that started on every rank is kept.
  if (obstacle.empty()) keep(std::move(started));
  return obstacle;
}

/// Returns the numbers of the messages that are not empty, sorted by tag. NCCL has no tags: a rank
/// receives messages from another one in the order in which they were sent. So both sides use the
/// order of the tags, which a message has in common on both.
std::vector<std::size_t> in_order_of(int Message::*tag, std::size_t Message::*bytes,
                                     std::vector<Message> const& messages) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].*bytes > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return messages[a].*tag < messages[b].*tag; });
  return order;
}

/// Sends and receives on the queue's stream, from and to device memory.
class Nccl final : public Transport {
 public:
  Nccl(SharedCommunicator ranks, Queue& queue, std::vector<Message> const& messages)
      : ranks_(std::move(ranks)),
        messages_(messages),
        send_order_(in_order_of(&Message::send_tag, &Message::send_bytes, messages)),
        receive_order_(in_order_of(&Message::receive_tag, &Message::receive_bytes, messages)),
        sends_(queue, Space::device, send_sizes(messages)),
        receives_(queue, Space::device, receive_sizes(messages)) {
    // NCCL connects two ranks at their first message, and the host waits for it. This dummy
    // exchange makes that happen here instead of in the first pass.
    begin(queue);
    finish(queue);
    queue.wait();
  }

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("nccl");
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return sends_.at(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return receives_.at(i); }
  [[nodiscard]] bool enqueues_only() const override { return true; }

  /// All sends and receives form one group, since a single send may wait on the device for its
  /// receive. Earlier work on the same queue has already read what the last exchange left in the
  /// ranges.
  void begin(Queue& queue) override {
    Library const& nccl = library();
    // NCCL works on the current device, in the order of this stream.
    auto* const stream = static_cast<cudaStream_t>(queue.native());
    queue.make_current();
    check(nccl.group_start());
    for (std::size_t const i : send_order_) {
      Message const& message = messages_[i];
      check(nccl.send(sends_.at(i), message.send_bytes, ncclInt8, message.peer, ranks_->comm(),
                      stream));
    }
    for (std::size_t const i : receive_order_) {
      Message const& message = messages_[i];
      check(nccl.receive(receives_.at(i), message.receive_bytes, ncclInt8, message.peer,
                         ranks_->comm(), stream));
    }
    check(nccl.group_end());
  }

  void finish(Queue&) override { ranks_->check_work(); }

 private:
  SharedCommunicator ranks_;
  std::vector<Message> messages_;
  std::vector<std::size_t> send_order_;     ///< message numbers in the order of their send tags
  std::vector<std::size_t> receive_order_;  ///< the same for receive tags
  MessageBuffer sends_;
  MessageBuffer receives_;
};

}  // namespace

std::string obstacle_to_nccl(mpi::Communicator const& ranks, Queue& queue) {
  if (ranks.any(queue.backend() == Backend::cpu)) return "a run on the CPU has no device memory";
  // The usual case after the first transport: all ranks reuse the communicator.
  if (!ranks.any(!serves(kept(), ranks, queue))) return {};
  std::string obstacle = first_problem(ranks, library().obstacle);
  if (obstacle.empty()) obstacle = shared_gpu(ranks, queue);
  return obstacle.empty() ? start(ranks, queue) : obstacle;
}

std::unique_ptr<Transport> make_nccl_transport(mpi::Communicator const& ranks, Queue& queue,
                                               std::vector<Message> const& messages) {
  SharedCommunicator const started = kept();
  require(serves(started, ranks, queue),
          "NCCL was not started for these ranks (obstacle_to_nccl() does so)");
  return std::make_unique<Nccl>(started, queue, messages);
}

}  // namespace isotherm
