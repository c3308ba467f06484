#include "app/run/watch/rank_status.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "decomposition/ranks/host_name.hpp"
#include "io/files/descriptor.hpp"

namespace isotherm::app {

namespace {

/// Number of bits of a status word that hold WaitsFor.
constexpr unsigned kind_bits = 2;
/// Multiple of the patience after which a job ends although no rank can be blamed.
constexpr double without_anyone_to_blame = 3.0;
/// Share of the patience for which all ranks must have been in their states.
constexpr double part_that_others_wait = 0.5;

/// A process: its state as /proc/PID/stat shows it, and the time at which it started.
struct Process {
  char letter = 'X';
  std::uint64_t started = 0;
};

/// Reads the state of a process from /proc/PID/stat; see proc(5). A process that does not exist
/// gets the state 'X'. The name of the program, in parentheses, may contain any character, so
/// parsing starts after the last parenthesis.
Process process_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string const text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size() - 1) + 1));
  Process found;
  std::string skipped;
  fields >> found.letter;
  for (int field = 4; field < 22; ++field) fields >> skipped;  // numbered as in proc(5)
  fields >> found.started;
  return found;
}

/// Converts a state letter of proc(5). A sleeping process is regarded as running.
Condition condition_of(char letter) {
  switch (letter) {
    case 'T':
      return Condition::stopped;
    case 't':
      return Condition::traced;
    case 'Z':
    case 'X':
      return Condition::ended;
    default:
      return Condition::runs;
  }
}

/// Maps the first page of a memory file; null if that is not possible.
void* map_page(int file, int access) {
  void* const page = ::mmap(nullptr, 4096, access, MAP_SHARED, file, 0);
  return page == MAP_FAILED ? nullptr : page;
}

/// Returns true if the rank waits for others, or for a device whose work may wait for others.
bool waits(SeenRank const& seen) {
  return seen.waits_for == WaitsFor::ranks || seen.waits_for == WaitsFor::device;
}

/// Returns true if the rank's process is not stopped and its main thread waits. Such a rank is
/// never blamed.
bool runs_and_waits(SeenRank const& seen) {
  return seen.condition == Condition::runs && waits(seen);
}

}  // namespace

std::string describe(SeenRank const& seen, double patience_s) {
  switch (seen.condition) {
    case Condition::stopped:
      return "is stopped";
    case Condition::traced:
      return "is held by a debugger";
    case Condition::ended:
      return "has ended";
    case Condition::runs:
      break;
  }
  if (waits(seen) || seen.seconds < patience_s) return "";
  return seen.waits_for == WaitsFor::disk ? "hangs in a call of the file system"
                                          : "neither works with the others nor waits";
}

Verdict judge(std::vector<SeenRank> const& seen, int own_rank, double patience_s) {
  // Several ranks may reach the same verdict; the first one that waits acts.
  auto const first = std::ranges::find_if(seen, runs_and_waits);
  if (first == seen.end() || first->rank != own_rank || first->seconds < patience_s) return {};
  Verdict verdict;
  double waited_s = std::numeric_limits<double>::infinity();
  for (SeenRank const& one : seen) {
    // A rank that has worked or was stopped recently may still answer.
    bool const recent = one.seconds < part_that_others_wait * patience_s;
    bool const explains = !describe(one, patience_s).empty();
    if (recent || one.condition == Condition::traced || !(explains || runs_and_waits(one))) {
      return {};
    }
    if (explains) verdict.blamed.push_back(one);
    waited_s = std::min(waited_s, one.waits_for == WaitsFor::ranks ? one.seconds : 0.0);
  }
  verdict.ends = !verdict.blamed.empty() || waited_s >= without_anyone_to_blame * patience_s;
  return verdict;
}

RankStatus::RankStatus(mpi::Communicator const& ranks) {
  Descriptor const own(::memfd_create("isotherm-status", MFD_CLOEXEC));
  if (own.get() >= 0 && ::ftruncate(own.get(), sizeof(Word)) == 0) {
    own_ = static_cast<Word*>(map_page(own.get(), PROT_READ | PROT_WRITE));
  }
  std::uint64_t const started = process_of(getpid()).started;
  auto const hosts = ranks.all_gather(host_name());
  auto const processes =
      ranks.all_gather(fmt::format("{} {} {}", getpid(), started, own_ ? own.get() : -1));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    auto const i = static_cast<std::size_t>(rank);
    Peer peer{rank};
    int file = -1;
    std::istringstream(processes[i]) >> peer.pid >> peer.started >> file;
    // Processes of other hosts and containers may have the same number.
    if (hosts[i] == host_name() && process_of(peer.pid).started == peer.started) {
      Descriptor const shown(
          ::open(fmt::format("/proc/{}/fd/{}", peer.pid, file).c_str(), O_RDONLY | O_CLOEXEC));
      peer.word = static_cast<Word*>(map_page(shown.get(), PROT_READ));
    }
    if (peer.word != nullptr) peers_.push_back(peer);
  }
  others_elsewhere_ = peers_.size() < hosts.size();
  ranks.barrier();  // the file of a rank is open until all others have mapped it
}

RankStatus::~RankStatus() {
  if (own_ != nullptr) ::munmap(own_, 4096);
  for (Peer const& peer : peers_) ::munmap(peer.word, 4096);
}

void RankStatus::update(double seconds) {
  WaitState const now = watched_state();
  idle_s_ = std::exchange(changes_, now.changes) == now.changes ? idle_s_ + seconds : 0.0;
  if (own_ == nullptr) return;
  own_->store(static_cast<std::uint64_t>(1e3 * idle_s_) << kind_bits |
              static_cast<std::uint64_t>(now.now));
}

std::vector<SeenRank> RankStatus::see(double seconds) {
  std::vector<SeenRank> seen;
  for (Peer& peer : peers_) {
    Process const process = process_of(peer.pid);
    bool const same = process.started == peer.started;
    Condition const condition = condition_of(same ? process.letter : 'X');
    bool const runs = condition == Condition::runs;
    peer.stopped_s = runs ? 0.0 : peer.stopped_s + seconds;
    std::uint64_t const word = peer.word->load();
    seen.push_back({peer.rank, peer.pid, condition,
                    static_cast<WaitsFor>(word & ((1U << kind_bits) - 1)),
                    runs ? 1e-3 * static_cast<double>(word >> kind_bits) : peer.stopped_s});
  }
  return seen;
}

}  // namespace isotherm::app
