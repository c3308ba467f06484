#include "decomposition/ranks/mpi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "decomposition/ranks/real_type.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm::mpi {
namespace {

#ifdef ISOTHERM_SERIAL_MPI  // serial/mpi.h instead of an MPI library
constexpr bool built_without_mpi = true;
#else
constexpr bool built_without_mpi = false;
#endif

/// Converts a number of bytes to MPI's int. Throws Error if it does not fit.
int int_size(std::size_t bytes) {
  require(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "a message of " + std::to_string(bytes) + " bytes is too long for MPI (2^31 - 1)");
  return static_cast<int>(bytes);
}

/// Replaces every run of white space by one space.
std::string with_single_spaces(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string line;
  for (std::string word; words >> word;) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

/// Returns whether mpirun, srun or another launcher has started this process: whether the
/// environment has variables of Open MPI's ranks, or of the interfaces between launchers and ranks.
bool is_launched() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view const variable(*entry);
    for (char const* const prefix :
         {"OMPI_COMM_", "OMPI_UNIVERSE_", "PMIX_", "PMI_", "PRTE_", "ORTE_", "SLURM_STEP"}) {
      if (variable.starts_with(prefix)) return true;
    }
  }
  return false;
}

/// The value of HWLOC_COMPONENTS with which hwloc reads processors and memory only.
constexpr char const* without_devices = "-linux:pci,-linux:io,linux,stop";

/// While it exists, the environment makes Open MPI 4 start a process alone: without a daemon,
/// without a session directory, which all such processes would share, create and remove, and
/// without a search for the devices of the machine. hwloc would read the registers of each PCI
/// device for it, and load the driver of GPUs. Other libraries ignore the variables. Those that the
/// user has set are kept.
class VariablesForLoneProcess {
 public:
  VariablesForLoneProcess() {
    for (auto const& [name, value] : {std::pair{"OMPI_MCA_ess_singleton_isolated", "1"},
                                      std::pair{"OMPI_MCA_orte_create_session_dirs", "0"},
                                      std::pair{"HWLOC_COMPONENTS", without_devices}}) {
      if (std::getenv(name) == nullptr && setenv(name, value, 0) == 0) set_.push_back(name);
    }
  }
  ~VariablesForLoneProcess() {
    for (char const* const name : set_) unsetenv(name);
  }
  VariablesForLoneProcess(VariablesForLoneProcess const&) = delete;
  VariablesForLoneProcess& operator=(VariablesForLoneProcess const&) = delete;

 private:
  std::vector<char const*> set_{};
};

}  // namespace

void check(int status, Where where) {
  if (status == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(std::string_view(text.data(), static_cast<std::size_t>(length)), where);
}

Session::Session(int& argc, char**& argv, Daemon daemon) {
  int provided = MPI_THREAD_SINGLE;
  std::optional<VariablesForLoneProcess> variables;
  if (daemon == Daemon::none && !is_launched()) variables.emplace();
  // Requests the highest level of thread support and accepts less. Code that calls MPI from other
  // threads asks all_threads_may_call() or this_thread_may_call() first.
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  require(provided >= MPI_THREAD_FUNNELED,
          "the MPI library does not support threads (MPI_THREAD_FUNNELED is needed)");
  // Failing calls return their error, which check() throws. The default handler aborts the job.
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

Session::~Session() {
  // MPI_Finalize() waits for all ranks. After a failure the others may never call it.
  if (std::uncaught_exceptions() == 0) {
    MPI_Finalize();
  }
}

bool has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

bool is_running() {
  int started = 0;
  MPI_Initialized(&started);
  return started != 0 && !has_ended();
}

int number_of_ranks() {
  int count = 1;
  if (is_running()) check(MPI_Comm_size(MPI_COMM_WORLD, &count));
  return count;
}

int rank_in_job() {
  int rank = 0;
  if (is_running()) check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return rank;
}

void check_launcher() {
  if (number_of_ranks() > 1) return;
  // The variables by which Open MPI, MPICH and its descendants, and SLURM report the number of
  // processes.
  for (char const* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    char const* const value = std::getenv(name);
    if (value == nullptr) continue;
    int const processes = std::atoi(value);
    // The first variable that is set decides.
    if (processes <= 1) return;
    std::string const found =
        std::to_string(processes) + " processes were started together (" + name + "), but ";
    if (built_without_mpi) {
      throw InputError(found +
                       "this isotherm was built without MPI and runs as one process: start it "
                       "without a launcher, or build it with MPI (docs/how-to/install.md)");
    }
    throw InputError(found +
                     "each sees only itself: start them with the mpirun of the MPI library "
                     "that isotherm uses (isotherm --version names it), or with srun --mpi=pmix");
  }
}

void abort_job(int exit_code) {
  // MPI_Abort() may kill this process before its streams are flushed.
  std::cout.flush();
  std::cerr.flush();
  std::clog.flush();
  std::fflush(nullptr);
  if (is_running()) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  // MPI is not running, or its abort has returned.
  std::_Exit(exit_code);
}

UniqueHandle<CommTraits> duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(parent, &copy));
  // Owns the communicator before the next call, which may throw.
  UniqueHandle<CommTraits> handle(copy);
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  return handle;
}

Communicator::Communicator(MPI_Comm parent, WaitStyle style)
    : handle_(duplicate(parent)), style_(style) {
  check(MPI_Comm_rank(get(), &rank_));
  check(MPI_Comm_size(get(), &size_));
  MPI_Comm host = MPI_COMM_NULL;
  // The key rank_ keeps the ranks of a host in the order of their numbers here.
  check(MPI_Comm_split_type(get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host));
  // The communicator of this host's ranks is needed only for their numbers, and freed on return.
  UniqueHandle<CommTraits> const owner(host);
  check(MPI_Comm_rank(host, &local_rank_));
  check(MPI_Comm_size(host, &local_size_));
}

namespace {

/// Returns the lock for collective calls on `parent` by several threads of this process. MPI allows
/// one such call at a time on each communicator.
std::mutex& collective_lock(MPI_Comm parent) {
  static auto* const locks = new std::map<MPI_Comm, std::mutex>;  // outlives all threads
  static std::mutex access;
  std::lock_guard const lock(access);
  return (*locks)[parent];
}

/// Duplicates a communicator while no other thread of this process does so.
Communicator duplicate_in_turn(MPI_Comm parent) {
  std::lock_guard const lock(collective_lock(parent));
  return Communicator(parent);
}

}  // namespace

Communicator Communicator::world() { return duplicate_in_turn(MPI_COMM_WORLD); }

Communicator Communicator::self() { return duplicate_in_turn(MPI_COMM_SELF); }

Communicator Communicator::from_address(std::uintptr_t address) {
  if (built_without_mpi) {
    throw InputError(
        "this isotherm was built without MPI and takes no communicator: leave it out, or build "
        "isotherm with MPI (docs/how-to/install.md)");
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the caller has the address as a number
  return duplicate_in_turn(*reinterpret_cast<MPI_Comm*>(address));
}

std::optional<Communicator> Communicator::first(int count) const {
  require(count >= 1 && count <= size_,
          "the first " + std::to_string(count) + " of " + std::to_string(size_) + " ranks");
  MPI_Comm part = MPI_COMM_NULL;
  // A rank that passes MPI_UNDEFINED gets MPI_COMM_NULL.
  check(MPI_Comm_split(get(), rank_ < count ? 0 : MPI_UNDEFINED, rank_, &part));
  UniqueHandle<CommTraits> const owner(part);
  return part == MPI_COMM_NULL ? std::nullopt : std::optional<Communicator>(std::in_place, part);
}

void Communicator::wait_asleep() const {
  Waiting const waiting(WaitsFor::ranks);
  // A non-blocking barrier that is polled: MPI_Barrier() would spin on the core.
  MPI_Request all_here = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(get(), &all_here));
  int done = 0;
  check(MPI_Test(&all_here, &done, MPI_STATUS_IGNORE));
  while (done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    check(MPI_Test(&all_here, &done, MPI_STATUS_IGNORE));
  }
}

Waiting Communicator::meet() const {
  // After the sleeping barrier all ranks have arrived, so the following call is short.
  if (style_ == WaitStyle::asleep && size_ > 1) wait_asleep();
  return Waiting(WaitsFor::ranks);
}

void Communicator::barrier() const {
  Waiting const for_all = meet();
  check(MPI_Barrier(get()));
}

template <class T>
T Communicator::reduce(T value, MPI_Datatype type, MPI_Op operation) const {
  Waiting const for_all = meet();
  T result{};
  check(MPI_Allreduce(&value, &result, 1, type, operation, get()));
  return result;
}

double Communicator::sum(double value) const { return reduce(value, MPI_DOUBLE, MPI_SUM); }

double Communicator::max(double value) const { return reduce(value, MPI_DOUBLE, MPI_MAX); }

double Communicator::min(double value) const { return reduce(value, MPI_DOUBLE, MPI_MIN); }

std::int64_t Communicator::sum(std::int64_t value) const {
  return reduce(value, MPI_INT64_T, MPI_SUM);
}

std::uint64_t Communicator::sum(std::uint64_t value) const {
  return reduce(value, MPI_UINT64_T, MPI_SUM);
}

std::vector<std::uint64_t> Communicator::sum(std::vector<std::uint64_t> numbers) const {
  Waiting const for_all = meet();
  // NOLINTNEXTLINE(mpi-type-mismatch): MPI_UINT64_T is std::uint64_t's, whichever type that is
  check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), int_size(numbers.size()), MPI_UINT64_T, MPI_SUM,
                      get()));
  return numbers;
}

std::vector<double> Communicator::sum(std::vector<double> numbers) const {
  Waiting const for_all = meet();
  check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), int_size(numbers.size()), MPI_DOUBLE, MPI_SUM,
                      get()));
  return numbers;
}

bool Communicator::any(bool value) const { return reduce(value ? 1 : 0, MPI_INT, MPI_MAX) != 0; }

std::string Communicator::broadcast(std::string text) const {
  Waiting const for_all = meet();
  // The length is sent first and checked after its arrival, so all ranks throw in the same place.
  auto bytes = static_cast<std::uint64_t>(text.size());
  check(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, get()));
  int const length = int_size(bytes);
  text.resize(bytes);
  check(MPI_Bcast(text.data(), length, MPI_CHAR, 0, get()));
  return text;
}

std::uint64_t Communicator::broadcast(std::uint64_t number) const {
  Waiting const for_all = meet();
  check(MPI_Bcast(&number, 1, MPI_UINT64_T, 0, get()));
  return number;
}

namespace {

/// Concatenates texts. Each is preceded by its length as a 64-bit number.
std::string packed(std::vector<std::string> const& texts) {
  std::string all;
  for (std::string const& text : texts) {
    auto const length = static_cast<std::uint64_t>(text.size());
    all.append(reinterpret_cast<char const*>(&length), sizeof length);
    all += text;
  }
  return all;
}

/// The inverse of packed().
std::vector<std::string> unpacked(std::string const& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, all.data() + at, sizeof length);
    at += sizeof length;
    texts.push_back(all.substr(at, length));
    at += length;
  }
  return texts;
}

}  // namespace

std::vector<std::string> Communicator::broadcast(std::vector<std::string> const& texts) const {
  return unpacked(broadcast(packed(texts)));
}

std::vector<std::string> Communicator::all_gather(std::string const& text) const {
  return broadcast(gather(text));
}

std::vector<std::string> Communicator::gather(std::string const& text) const {
  Waiting const for_all = meet();
  int const length = int_size(text.size());
  // Only the root learns the lengths; on the others the lists below are empty.
  std::vector<int> lengths(is_root() ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, get()));

  std::vector<int> offsets;
  std::size_t total = 0;
  for (int const one : lengths) {
    offsets.push_back(int_size(total));
    total += static_cast<std::size_t>(one);
  }
  // All texts one behind the other. Their total must fit in an int, too.
  std::string all(static_cast<std::size_t>(int_size(total)), '\0');
  check(MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                    MPI_CHAR, 0, get()));

  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

namespace {

/// Broadcasts numbers of `rank` in pieces whose length MPI can count in an int. Collective.
template <class Real>
void broadcast_from(int rank, Real* numbers, std::int64_t count, MPI_Comm comm) {
  constexpr std::int64_t maximum = std::int64_t{1} << 30;
  for (std::int64_t at = 0; at < count; at += maximum) {
    check(MPI_Bcast(numbers + at, static_cast<int>(std::min(maximum, count - at)),
                    real_type<Real>(), rank, comm));
  }
}

}  // namespace

template <class Real>
void Communicator::all_gather(std::vector<Real> const& mine,
                              std::vector<std::int64_t> const& counts,
                              std::vector<Real>& all) const {
  Waiting const for_all = meet();
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t const count : counts) offsets.push_back(offsets.back() + count);
  auto const self = static_cast<std::size_t>(rank_);
  require(counts.size() == static_cast<std::size_t>(size_) &&
              mine.size() == static_cast<std::size_t>(counts[self]),
          "the number of values of a rank differs from the announced one");
  all.resize(static_cast<std::size_t>(offsets.back()));
  // MPI counts in int. A longer list is broadcast rank by rank instead, in pieces that fit.
  if (offsets.back() <= std::numeric_limits<int>::max()) {
    std::vector<int> const lengths(counts.begin(), counts.end());
    // The last offset is the total length, which MPI does not need.
    std::vector<int> const places(offsets.begin(), offsets.end() - 1);
    check(MPI_Allgatherv(mine.data(), lengths[self], real_type<Real>(), all.data(), lengths.data(),
                         places.data(), real_type<Real>(), get()));
    return;
  }
  // A rank's own numbers must be in place before it broadcasts them.
  std::ranges::copy(mine, all.begin() + offsets[self]);
  for (int rank = 0; rank < size_; ++rank) {
    auto const at = static_cast<std::size_t>(rank);
    broadcast_from(rank, all.data() + offsets[at], counts[at], get());
  }
}

template void Communicator::all_gather(std::vector<float> const&, std::vector<std::int64_t> const&,
                                       std::vector<float>&) const;
template void Communicator::all_gather(std::vector<double> const&, std::vector<std::int64_t> const&,
                                       std::vector<double>&) const;

namespace {

/// Lengths and offsets of each rank's bytes in one contiguous message buffer, as MPI_Alltoallv()
/// needs them. Throws Error if the total does not fit in an int.
struct PieceSizes {
  std::vector<int> bytes;
  std::vector<int> offsets{};
  std::size_t total = 0;

  explicit PieceSizes(std::vector<int> sizes) : bytes(std::move(sizes)) {
    for (int const size : bytes) {
      offsets.push_back(int_size(total));
      total += static_cast<std::size_t>(size);
    }
    int_size(total);
  }
};

/// The number of bytes of each part.
std::vector<std::int64_t> sizes_of(std::vector<Bytes> const& parts) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(parts.size());
  for (Bytes const& part : parts) sizes.push_back(static_cast<std::int64_t>(part.size()));
  return sizes;
}

/// True if MPI can count the sum of the sizes.
bool fit_one_message(std::vector<std::int64_t> const& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) <=
         std::numeric_limits<int>::max();
}

}  // namespace

std::vector<std::int64_t> Communicator::arriving(std::vector<std::int64_t> const& leaving) const {
  Waiting const for_all = meet();
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
  // NOLINTNEXTLINE(mpi-type-mismatch): MPI_INT64_T is std::int64_t's, whichever type that is
  check(MPI_Alltoall(leaving.data(), 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, get()));
  return sizes;
}

std::vector<Bytes> Communicator::exchange(std::vector<Bytes> const& to_each) const {
  // 1. Every rank learns the sizes of the messages that it will receive.
  std::vector<std::int64_t> const leaving = sizes_of(to_each);
  std::vector<std::int64_t> const coming = arriving(leaving);
  // Ranks agree before the exchange: if only some threw, the others would wait for them forever.
  require(!any(!fit_one_message(leaving) || !fit_one_message(coming)),
          "a rank would exchange more than 2 GiB at once");
  Waiting const for_all = meet();
  PieceSizes const out({leaving.begin(), leaving.end()});
  PieceSizes const in({coming.begin(), coming.end()});
  // MPI_Alltoallv() sends from one contiguous buffer, rank by rank.
  Bytes outgoing;
  outgoing.reserve(out.total);
  for (Bytes const& part : to_each) {
    outgoing.insert(outgoing.end(), part.begin(), part.end());
  }
  // 2. One collective call moves all bytes.
  Bytes incoming(in.total);
  check(MPI_Alltoallv(outgoing.data(), out.bytes.data(), out.offsets.data(), MPI_CHAR,
                      incoming.data(), in.bytes.data(), in.offsets.data(), MPI_CHAR, get()));
  // 3. The contiguous buffer is split by sending rank.
  std::vector<Bytes> from_each;
  for (std::size_t rank = 0; rank < in.bytes.size(); ++rank) {
    auto const begin = incoming.begin() + in.offsets[rank];
    from_each.emplace_back(begin, begin + in.bytes[rank]);
  }
  return from_each;
}

std::string Communicator::first_text(std::string const& text) const {
  // Only the root has texts to search; its answer is broadcast.
  std::vector<std::string> const texts = gather(text);
  auto const first =
      std::find_if(texts.begin(), texts.end(), [](std::string const& one) { return !one.empty(); });
  return broadcast(first == texts.end() ? "" : *first);
}

bool all_threads_may_call() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided));
  return provided == MPI_THREAD_MULTIPLE;
}

bool this_thread_may_call() {
  int provided = MPI_THREAD_SINGLE;
  int started_it = 0;
  check(MPI_Query_thread(&provided));
  check(MPI_Is_thread_main(&started_it));
  return provided >= MPI_THREAD_SERIALIZED || started_it != 0;
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length));
  // Open MPI and MPICH report several lines or clauses. The first one holds the name and the
  // version.
  std::string_view const all(text.data());
  return with_single_spaces(all.substr(0, all.find_first_of(",\n")));
}

}  // namespace isotherm::mpi
