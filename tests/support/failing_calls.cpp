// Loaded before the C library (LD_PRELOAD): a disk that fails. ISOTHERM_FAILING_CALL says how:
//
//   "CALL ERROR RANK COUNT [NAME]"
//                             CALL: pwrite fsync fallocate ftruncate rename
//                             ERROR: EIO ENOSPC EDQUOT EFBIG; short: half of what is asked for
//                             RANK: of MPI, -1: every one
//                             COUNT: of the calls that go well first
//                             NAME: the end of the name of the files that are meant; if left out,
//                             snapshots that are being written

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

struct Plan {
  std::string call{}, error{};
  int rank = -1;
  int count = 0;
  std::string name{};
};

Plan read_plan() {
  Plan plan;
  if (char const* const words = std::getenv("ISOTHERM_FAILING_CALL")) {
    std::istringstream(words) >> plan.call >> plan.error >> plan.rank >> plan.count >> plan.name;
  }
  if (plan.name.empty()) plan.name = ".vtkhdf.tmp";
  return plan;
}

Plan const& plan() {
  static Plan const all = read_plan();
  return all;
}

int own_rank() {
  char const* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

bool is_meant(std::string_view call, std::string_view path) {
  static std::atomic<int> calls{0};
  return plan().call == call && path.ends_with(plan().name) &&
         (plan().rank < 0 || plan().rank == own_rank()) && calls++ >= plan().count;
}

std::string path_of(int file) {
  char path[4096];
  std::string const link = "/proc/self/fd/" + std::to_string(file);
  ssize_t const length = readlink(link.c_str(), path, sizeof path);
  return {path, length < 0 ? 0 : static_cast<std::size_t>(length)};
}

int failed() {
  std::string_view const error = plan().error;
  errno = error == "ENOSPC" ? ENOSPC : error == "EDQUOT" ? EDQUOT : error == "EFBIG" ? EFBIG : EIO;
  return -1;
}

template <class Call>
Call* next(char const* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t pwrite(int file, void const* from, size_t bytes, off_t offset) {
  if (is_meant("pwrite", path_of(file))) {
    if (plan().error != "short") return failed();
    bytes = (bytes + 1) / 2;
  }
  return next<ssize_t(int, void const*, size_t, off_t)>("pwrite")(file, from, bytes, offset);
}

ssize_t pwrite64(int file, void const* from, size_t bytes, off_t offset) {
  return pwrite(file, from, bytes, offset);
}

int fsync(int file) {
  return is_meant("fsync", path_of(file)) ? failed() : next<int(int)>("fsync")(file);
}

int fallocate(int file, int mode, off_t offset, off_t bytes) {
  if (is_meant("fallocate", path_of(file))) return failed();
  return next<int(int, int, off_t, off_t)>("fallocate")(file, mode, offset, bytes);
}

int fallocate64(int file, int mode, off_t offset, off_t bytes) {
  return fallocate(file, mode, offset, bytes);
}

int ftruncate(int file, off_t bytes) noexcept {
  if (is_meant("ftruncate", path_of(file))) return failed();
  return next<int(int, off_t)>("ftruncate")(file, bytes);
}

int ftruncate64(int file, off_t bytes) noexcept { return ftruncate(file, bytes); }

int rename(char const* from, char const* to) noexcept {
  if (is_meant("rename", from)) return failed();
  return next<int(char const*, char const*)>("rename")(from, to);
}

}  // extern "C"
