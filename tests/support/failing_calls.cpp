// Simulates failing system calls. Load this library before the C library (LD_PRELOAD): calls then
// fail, transfer fewer bytes, stall, or end the process. ISOTHERM_FAILING_CALL contains one or more
// plans, separated by ";":
//
//   "CALL FAULT RANK COUNT [NAME [TIMES]]"
//
//   CALL   open read pread write pwrite fsync fallocate ftruncate mmap rename remove; or
//          pass: a solver's pass over its field, which is detected by its random delay and so needs
//          ISOTHERM_RANDOM_DELAYS=1 to 999
//   FAULT  EIO ENOSPC EDQUOT EROFS EFBIG EINTR: the call fails with this error
//          short: the call transfers half of the bytes
//          wait:MS: the call succeeds after a delay of MS milliseconds
//          kill, stop: the process gets SIGKILL or SIGSTOP
//          hang, spin: the call never returns, sleeping or computing
//          bad_alloc, error: the call throws; only where C++ exceptions are allowed (in a pass)
//   RANK   MPI rank; -1: every rank
//   COUNT  number of calls that succeed first
//   NAME   pattern as in fnmatch(3) for the end of the file's name. Omitted or "-": snapshots that
//          are being written
//   TIMES  number of calls that fail, after which all succeed. Omitted: all that follow fail
//
// ISOTHERM_FAILING_CALL_MARK: a folder that is created at the first fault. Tests wait for it.

#undef _FORTIFY_SOURCE  // this file defines the calls themselves, not their checked variants

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/core/error.hpp"

namespace {

struct Plan {
  std::string call{}, fault{};
  int rank = -1;
  int count = 0;
  std::string name{};
  int times = INT_MAX;
  std::atomic<int> calls{0};
};

int own_rank() {
  for (char const* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (char const* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

std::deque<Plan> read_plans() {
  std::deque<Plan> plans;
  char const* const all = std::getenv("ISOTHERM_FAILING_CALL");
  std::istringstream texts(all == nullptr ? "" : all);
  for (std::string text; std::getline(texts, text, ';');) {
    Plan& plan = plans.emplace_back();
    std::istringstream words(text);
    words >> plan.call >> plan.fault >> plan.rank >> plan.count >> plan.name;
    if (int times = 0; words >> times) plan.times = times;
    if (plan.name.empty() || plan.name == "-") plan.name = ".vtkhdf.tmp";
    plan.name.insert(0, "*");
    if (plan.rank >= 0 && plan.rank != own_rank()) plans.pop_back();
  }
  return plans;
}

std::deque<Plan>& plans() {
  static std::deque<Plan> all = read_plans();
  return all;
}

/// True if a fault is planned for the call. Most calls are not affected and must remain fast.
bool is_planned(std::string_view call) {
  for (Plan const& plan : plans()) {
    if (plan.call == call) return true;
  }
  return false;
}

void sleep_ms(long milliseconds) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) usleep(1000);
}

/// The outcome of a call.
enum class Fate { as_ever, fails, comes_short };

int number_of(std::string_view error) {
  return error == "ENOSPC"   ? ENOSPC
         : error == "EDQUOT" ? EDQUOT
         : error == "EROFS"  ? EROFS
         : error == "EFBIG"  ? EFBIG
         : error == "EINTR"  ? EINTR
                             : EIO;
}

Fate suffer(std::string const& fault) {
  if (char const* const mark = std::getenv("ISOTHERM_FAILING_CALL_MARK")) (void)mkdir(mark, 0777);
  if (fault == "short") return Fate::comes_short;
  if (fault == "kill" || fault == "stop") {
    raise(fault == "kill" ? SIGKILL : SIGSTOP);
    return Fate::as_ever;
  }
  while (fault == "hang") pause();
  for (std::atomic<int> turns{0}; fault == "spin";) ++turns;
  if (fault == "bad_alloc") throw std::bad_alloc();
  if (fault == "error") throw isotherm::Error("a pass was told to fail");
  if (fault.starts_with("wait:")) {
    sleep_ms(std::atol(fault.c_str() + 5));
    return Fate::as_ever;
  }
  errno = number_of(fault);
  return Fate::fails;
}

Fate fate_of(std::string_view call, std::string const& path) {
  for (Plan& plan : plans()) {
    if (plan.call != call || (call != "pass" && fnmatch(plan.name.c_str(), path.c_str(), 0) != 0)) {
      continue;
    }
    int const number = plan.calls++;
    if (number < plan.count || number - plan.count >= plan.times) continue;
    if (Fate const fate = suffer(plan.fault); fate != Fate::as_ever) return fate;
  }
  return Fate::as_ever;
}

std::string path_of(int file) {
  char path[4096];
  std::string const link = "/proc/self/fd/" + std::to_string(file);
  ssize_t const length = readlink(link.c_str(), path, sizeof path);
  return {path, length < 0 ? 0 : static_cast<std::size_t>(length)};
}

Fate fate_of(std::string_view call, int file) {
  return is_planned(call) ? fate_of(call, path_of(file)) : Fate::as_ever;
}

template <class Call>
Call* next(char const* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

/// Executes a call that transfers bytes, possibly fewer than requested. `real` takes the number of
/// bytes.
template <class Real>
ssize_t moved(std::string_view call, int file, size_t bytes, Real const& real) {
  Fate const fate = fate_of(call, file);
  if (fate == Fate::fails) return -1;
  return real(fate == Fate::comes_short ? (bytes + 1) / 2 : bytes);
}

using Open = int(char const*, int, ...);

int open_as(char const* name, char const* path, int flags, mode_t mode) {
  if (is_planned("open") && fate_of("open", path) == Fate::fails) return -1;
  return next<Open>(name)(path, flags, mode);
}

mode_t mode_from(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

/// True if an address lies in isotherm's own code.
bool is_isotherms(void const* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  std::string_view const file = info.dli_fname;
  return file.substr(file.rfind('/') + 1).find("isotherm") != std::string_view::npos;
}

/// A solver's pass begins with a sleep shorter than a millisecond, which no other part of the
/// program takes. May throw, as the real call may be cancelled.
void note_sleep(timespec const* time, void const* caller) {
  constexpr long millisecond = 1'000'000;
  if (time->tv_sec == 0 && time->tv_nsec < millisecond && is_planned("pass") &&
      is_isotherms(caller)) {
    (void)fate_of("pass", "");
  }
}

}  // namespace

extern "C" {

ssize_t pread(int file, void* to, size_t bytes, off_t offset) {
  return moved("pread", file, bytes, [&](size_t part) {
    return next<ssize_t(int, void*, size_t, off_t)>("pread")(file, to, part, offset);
  });
}
ssize_t pread64(int file, void* to, size_t bytes, off_t offset) {
  return pread(file, to, bytes, offset);
}

ssize_t read(int file, void* to, size_t bytes) {
  return moved("read", file, bytes, [&](size_t part) {
    return next<ssize_t(int, void*, size_t)>("read")(file, to, part);
  });
}

ssize_t pwrite(int file, void const* from, size_t bytes, off_t offset) {
  return moved("pwrite", file, bytes, [&](size_t part) {
    return next<ssize_t(int, void const*, size_t, off_t)>("pwrite")(file, from, part, offset);
  });
}
ssize_t pwrite64(int file, void const* from, size_t bytes, off_t offset) {
  return pwrite(file, from, bytes, offset);
}

ssize_t write(int file, void const* from, size_t bytes) {
  return moved("write", file, bytes, [&](size_t part) {
    return next<ssize_t(int, void const*, size_t)>("write")(file, from, part);
  });
}

int open(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_from(flags, arguments);
  va_end(arguments);
  return open_as("open", path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = mode_from(flags, arguments);
  va_end(arguments);
  return open_as("open64", path, flags, mode);
}
// Fortified programs call these if the flags create no file.
int __open_2(char const* path, int flags) { return open_as("open", path, flags, 0); }
int __open64_2(char const* path, int flags) { return open_as("open64", path, flags, 0); }

int fsync(int file) {
  return fate_of("fsync", file) == Fate::fails ? -1 : next<int(int)>("fsync")(file);
}

int fallocate(int file, int mode, off_t offset, off_t bytes) {
  if (fate_of("fallocate", file) == Fate::fails) return -1;
  return next<int(int, int, off_t, off_t)>("fallocate")(file, mode, offset, bytes);
}
int fallocate64(int file, int mode, off_t offset, off_t bytes) {
  return fallocate(file, mode, offset, bytes);
}

int ftruncate(int file, off_t bytes) noexcept {
  if (fate_of("ftruncate", file) == Fate::fails) return -1;
  return next<int(int, off_t)>("ftruncate")(file, bytes);
}
int ftruncate64(int file, off_t bytes) noexcept { return ftruncate(file, bytes); }

void* mmap(void* at, size_t bytes, int access, int flags, int file, off_t offset) noexcept {
  if (file >= 0 && fate_of("mmap", file) == Fate::fails) return MAP_FAILED;
  return next<void*(void*, size_t, int, int, int, off_t)>("mmap")(at, bytes, access, flags, file,
                                                                  offset);
}

int rename(char const* from, char const* to) noexcept {
  if (is_planned("rename") && fate_of("rename", from) == Fate::fails) return -1;
  return next<int(char const*, char const*)>("rename")(from, to);
}

int nanosleep(timespec const* time, timespec* left) {
  note_sleep(time, __builtin_return_address(0));
  return next<int(timespec const*, timespec*)>("nanosleep")(time, left);
}
int clock_nanosleep(clockid_t clock, int flags, timespec const* time, timespec* left) {
  if (flags == 0) note_sleep(time, __builtin_return_address(0));
  return next<int(clockid_t, int, timespec const*, timespec*)>("clock_nanosleep")(clock, flags,
                                                                                  time, left);
}

int remove(char const* path) noexcept {
  if (is_planned("remove") && fate_of("remove", path) == Fate::fails) return -1;
  return next<int(char const*)>("remove")(path);
}

}  // extern "C"
