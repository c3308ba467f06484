#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm {
class Waiting;
}

namespace isotherm::mpi {

/// Throws Error with MPI's own text unless `status` is MPI_SUCCESS. This works only because Session
/// and Communicator set MPI_ERRORS_RETURN; under MPI's default error handler the failing call would
/// abort the job.
void check(int status, Where where = Where::here());

/// Whether MPI may start a daemon for a process that no launcher has started. Open MPI 4 does so,
/// which takes 0.4 s. The daemon serves MPI_Comm_spawn() only.
enum class Daemon { allowed, none };

/// Initialises MPI in its constructor and finalises it in its destructor. Create it first in
/// main(). It requests MPI_THREAD_MULTIPLE and requires MPI_THREAD_FUNNELED; the constructor throws
/// Error if the library offers less.
///
///     int main(int argc, char** argv) {
///       mpi::Session const session(argc, argv);
///       auto const ranks = mpi::Communicator::world();
///       double const heat = ranks.sum(my_heat);          // collective: all ranks call it
///       if (ranks.is_root()) std::cout << heat << '\n';
///     }
class Session {
 public:
  Session(int& argc, char**& argv, Daemon daemon = Daemon::allowed);
  ~Session();  ///< no MPI_Finalize while an exception unwinds: other ranks may be in a call
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
};

/// True if MPI has been initialised, by this program or its host program, and not finalised.
bool is_running();
/// Returns the number of ranks of the job, or 1 if MPI is not running. Not collective.
int number_of_ranks();
/// Returns this rank's number in MPI_COMM_WORLD, or 0 if MPI is not running. Not collective.
int rank_in_job();
/// True if MPI has been finalised. A process cannot initialise it again.
bool has_ended();

/// Detects a launcher of another MPI library. Such a launcher starts several processes, but this
/// library sees each as a job of one rank, and each would do the whole work.
/// @throws InputError  if the launcher's variables promise several processes to a job of one rank
void check_launcher();

/// Flushes the standard streams and ends all ranks of the job immediately with `exit_code`. Does
/// not return. Use it for a failure that only this rank knows.
[[noreturn]] void abort_job(int exit_code);

/// Ownership of an MPI communicator, for UniqueHandle.
struct CommTraits {
  using Handle = MPI_Comm;
  static Handle empty() noexcept { return MPI_COMM_NULL; }
  static void close(Handle comm) noexcept { (void)MPI_Comm_free(&comm); }
};

/// Returns a private duplicate of a communicator, whose calls return errors instead of aborting.
/// Messages on it never match those on other communicators. Collective.
UniqueHandle<CommTraits> duplicate(MPI_Comm parent);

/// The content of a message.
using Bytes = std::vector<char>;

/// How a rank waits for the others in a collective call. A spinning rank sees them arrive
/// immediately but keeps a core busy. A sleeping rank checks approximately every millisecond.
enum class WaitStyle { spinning, asleep };

/// A private duplicate of an MPI communicator, with the collective operations that isotherm uses.
///
/// Because it is a duplicate, isotherm's messages never mix with the caller's. Every rank of the
/// communicator must call a member marked "collective", and in the same order. While such a call
/// waits for other ranks, it reports WaitsFor::ranks to the watchdog
/// (kernels/core/queue/waiting.hpp).
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent, WaitStyle style = WaitStyle::spinning);  ///< collective
  /// Duplicates MPI_COMM_WORLD, all ranks of the job. Several threads may call it at the same time.
  /// Collective.
  static Communicator world();
  /// Duplicates MPI_COMM_SELF, this rank alone.
  static Communicator self();
  /// Duplicates the communicator whose MPI_Comm is stored at `address`, as mpi4py's `_addressof`
  /// returns it. Several threads may call it at the same time. Collective.
  /// @throws InputError  if isotherm was built without MPI
  static Communicator from_address(std::uintptr_t address);

  [[nodiscard]] MPI_Comm get() const { return handle_.get(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  /// This rank's number among the ranks of its host, and how many these are.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_size() const { return local_size_; }

  /// Returns a communicator of the ranks 0 … count − 1, or nullopt on the other ranks. Collective
  /// over all ranks.
  /// @pre  1 <= count <= size()
  [[nodiscard]] std::optional<Communicator> first(int count) const;

  /// A barrier for long waits, in which ranks sleep. barrier() would keep their cores busy and slow
  /// down the ranks that they wait for. Collective.
  void wait_asleep() const;
  void barrier() const;                                        ///< collective
  [[nodiscard]] double sum(double value) const;                ///< collective, on every rank
  [[nodiscard]] double max(double value) const;                ///< collective, on every rank
  [[nodiscard]] double min(double value) const;                ///< collective, on every rank
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;    ///< collective, on every rank
  [[nodiscard]] std::uint64_t sum(std::uint64_t value) const;  ///< collective; wraps modulo 2^64
  /// Sums lists element by element; integers modulo 2^64. @pre  all ranks pass lists of the same
  /// length. Collective.
  [[nodiscard]] std::vector<double> sum(std::vector<double> numbers) const;
  [[nodiscard]] std::vector<std::uint64_t> sum(std::vector<std::uint64_t> numbers) const;
  [[nodiscard]] bool any(bool value) const;                     ///< collective, on every rank
  [[nodiscard]] std::string broadcast(std::string text) const;  ///< collective; the root's text
  [[nodiscard]] std::uint64_t broadcast(std::uint64_t number) const;  ///< collective; the root's
  /// Returns every rank's text in rank order on the root, and an empty list on the others.
  /// Collective.
  [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;
  /// Returns the root's list of texts on every rank. The texts may hold any bytes. Collective.
  [[nodiscard]] std::vector<std::string> broadcast(std::vector<std::string> const& texts) const;
  /// Returns every rank's text in rank order, on every rank. Collective.
  [[nodiscard]] std::vector<std::string> all_gather(std::string const& text) const;
  /// Replaces `all` by every rank's numbers, in rank order. Collective.
  /// @param counts  how many numbers each rank has
  /// @throws Error  if the size of `mine` differs from this rank's count
  template <class Real>
  void all_gather(std::vector<Real> const& mine, std::vector<std::int64_t> const& counts,
                  std::vector<Real>& all) const;
  /// Sends to_each[r] to each rank r, and returns the bytes received from each rank, in rank order.
  /// Collective. Both directions need twice their bytes, since MPI_Alltoallv() works on contiguous
  /// buffers.
  /// @pre  to_each.size() == size()
  /// @throws Error  on every rank, if any rank sends or receives 2^31 bytes or more in all
  [[nodiscard]] std::vector<Bytes> exchange(std::vector<Bytes> const& to_each) const;
  /// Returns the first text in rank order that is not empty, on every rank; empty if all texts are.
  /// Collective.
  [[nodiscard]] std::string first_text(std::string const& text) const;

 private:
  /// Returns the number of bytes that this rank will receive from each rank. Collective.
  /// @param leaving  number of bytes that this rank sends to each rank
  [[nodiscard]] std::vector<std::int64_t> arriving(std::vector<std::int64_t> const& leaving) const;
  /// Prepares a collective call. If ranks wait asleep, it waits until all of them have arrived, so
  /// the call itself does not spin.
  /// @return  a mark with the meaning "waits for ranks"; keep it for the duration of the call
  [[nodiscard]] Waiting meet() const;
  /// The reduction of one value on every rank. Collective.
  template <class T>
  T reduce(T value, MPI_Datatype type, MPI_Op operation) const;

  UniqueHandle<CommTraits> handle_;  ///< the duplicate
  WaitStyle style_;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;  ///< among the ranks of this host
  int local_size_ = 1;
};

/// True if any thread may call MPI at any time (MPI_THREAD_MULTIPLE).
bool all_threads_may_call();
/// True if this thread may call MPI while no other thread does. That is any thread from
/// MPI_THREAD_SERIALIZED on; below, only the thread that initialised MPI.
bool this_thread_may_call();

/// True if the MPI library reports at run time that it accepts pointers to CUDA memory.
bool accepts_device_memory();

/// Returns name and version of the MPI library, in one line.
std::string library_version();

}  // namespace isotherm::mpi
