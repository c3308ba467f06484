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

/// Throws Error with MPI's own text unless `status` is MPI_SUCCESS. Only effective because Session
/// and Communicator set MPI_ERRORS_RETURN; under MPI's default handler the call would abort first.
void check(int status, Where where = Where::here());

/// Initialises MPI for the life of the process; the first object in main().
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();  ///< skips MPI_Finalize while an exception unwinds: other ranks may be in a call
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
};

/// Whether MPI has been initialised, by whomever, and not been ended.
bool is_running();
/// How many ranks the job has; 1 where MPI is not running. Not collective.
int number_of_ranks();
/// This rank's number among those, from 0. Not collective.
int rank_in_job();
/// Whether it has been ended: it cannot be started again.
bool has_ended();

/// @throws InputError  if another MPI library's launcher started several processes, which this
///                     library does not know of: each would do the whole work
void check_launcher();

/// Flushes the standard streams and ends all ranks of the job at once with `exit_code`. For a
/// failure that only this rank knows of; does not return.
[[noreturn]] void abort_job(int exit_code);

struct CommTraits {
  using Handle = MPI_Comm;
  static Handle empty() noexcept { return MPI_COMM_NULL; }
  static void close(Handle comm) noexcept { (void)MPI_Comm_free(&comm); }
};

/// A duplicate for the caller alone, whose calls return errors instead of aborting. Collective.
UniqueHandle<CommTraits> duplicate(MPI_Comm parent);

using Bytes = std::vector<char>;

/// How a rank waits in a collective call for the others: spinning sees them come at once, and keeps
/// a core busy; asleep it looks about every millisecond.
enum class WaitStyle { spinning, asleep };

/// A private duplicate of a communicator, so that isotherm's messages never mix with the caller's,
/// and the collective operations that isotherm uses. All ranks must call members marked
/// "collective".
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent, WaitStyle style = WaitStyle::spinning);  ///< collective
  /// A duplicate of MPI_COMM_WORLD: all ranks of the job. Several threads may call it at once.
  /// Collective.
  static Communicator world();
  /// A duplicate of MPI_COMM_SELF: this rank alone.
  static Communicator self();
  /// A duplicate of the communicator whose MPI_Comm is stored at `address`, which is what mpi4py's
  /// `_addressof` returns. Several threads may call it at once. Collective.
  static Communicator from_address(std::uintptr_t address);

  [[nodiscard]] MPI_Comm get() const { return handle_.get(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  /// Rank and number of ranks among those that share this rank's host.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_size() const { return local_size_; }

  /// The first `count` ranks, 1 … size(), as a communicator of their own; nothing on the others.
  /// Collective over all of them.
  [[nodiscard]] std::optional<Communicator> first(int count) const;

  /// A barrier for long waits: ranks sleep while they wait. barrier() would keep their cores busy,
  /// and so slow down the ranks that they wait for. Collective.
  void wait_asleep() const;
  void barrier() const;                                        ///< collective
  [[nodiscard]] double sum(double value) const;                ///< collective, on every rank
  [[nodiscard]] double max(double value) const;                ///< collective, on every rank
  [[nodiscard]] double min(double value) const;                ///< collective, on every rank
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;    ///< collective, on every rank
  [[nodiscard]] std::uint64_t sum(std::uint64_t value) const;  ///< collective; wraps modulo 2^64
  /// Each number's sum, of lists that are equally long on all ranks; as above. Collective.
  [[nodiscard]] std::vector<std::uint64_t> sum(std::vector<std::uint64_t> numbers) const;
  [[nodiscard]] bool any(bool value) const;                     ///< collective, on every rank
  [[nodiscard]] std::string broadcast(std::string text) const;  ///< collective; the root's text
  [[nodiscard]] std::uint64_t broadcast(std::uint64_t number) const;  ///< collective; the root's
  [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;
  ///< collective; every rank's text in rank order, on the root (empty elsewhere)
  /// The root's list of texts, which may hold any bytes. Collective.
  [[nodiscard]] std::vector<std::string> broadcast(std::vector<std::string> const& texts) const;
  /// Every rank's text, in rank order, on every rank. Collective.
  [[nodiscard]] std::vector<std::string> all_gather(std::string const& text) const;
  /// Replaces `all` by every rank's numbers, in rank order. @param counts  how many each rank has
  /// Collective. @throws Error  where `mine` are not as many as this rank's count says
  template <class Real>
  void all_gather(std::vector<Real> const& mine, std::vector<std::int64_t> const& counts,
                  std::vector<Real>& all) const;
  /// Sends bytes to each rank and returns those received from each, in rank order. Collective.
  /// @throws Error  on every rank, where all that a rank sends, or all that it receives, is 2^31
  ///                bytes or more
  [[nodiscard]] std::vector<Bytes> exchange(std::vector<Bytes> const& to_each) const;
  /// Collective: of all ranks' texts, in rank order, the first that is not empty; empty if all are.
  [[nodiscard]] std::string first_text(std::string const& text) const;

 private:
  [[nodiscard]] std::vector<std::int64_t> arriving(std::vector<std::int64_t> const& leaving) const;
  /// Before a collective call: where ranks wait asleep, the call itself finds them all there.
  /// @return  to be kept during the call, which waits for all ranks
  [[nodiscard]] Waiting meet() const;
  template <class T>
  T reduce(T value, MPI_Datatype type, MPI_Op operation) const;

  UniqueHandle<CommTraits> handle_;
  WaitStyle style_;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
};

/// True where any thread may call MPI at any time (MPI_THREAD_MULTIPLE).
bool all_threads_may_call();
/// True where this thread may call MPI while no other one does: any may, or MPI was started for
/// this one alone (MPI_THREAD_FUNNELED or less).
bool this_thread_may_call();

/// True where the MPI library says at run time that it takes pointers to CUDA memory.
bool accepts_device_memory();

/// Name and version of the MPI library, one line.
std::string library_version();

}  // namespace isotherm::mpi
