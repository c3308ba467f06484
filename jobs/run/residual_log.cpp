#include "jobs/run/residual_log.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

constexpr char const* heading = "iteration,time_s,residual,relative\n";

/// The number before a row's first comma; none for the heading or half a row.
std::optional<std::int64_t> iteration_of(std::string const& row) {
  std::int64_t iteration = 0;
  auto const [end, error] = std::from_chars(row.data(), row.data() + row.size(), iteration);
  if (error != std::errc{} || end == row.data() + row.size() || *end != ',') {
    return std::nullopt;
  }
  return iteration;
}

/// Whether a row has four numbers, the first of them an iteration.
bool is_whole(std::string const& row) {
  if (!iteration_of(row)) return false;
  char const* at = row.c_str();
  for (int column = 0; column < 4; ++column) {
    char* end = nullptr;
    (void)std::strtod(at, &end);
    if (end == at || *end != (column < 3 ? ',' : '\0')) return false;
    at = end + 1;
  }
  return true;
}

std::string rows_before(std::filesystem::path const& path, std::int64_t end) {
  std::ifstream file(path);
  std::string rows;
  for (std::string row; std::getline(file, row) && !file.eof();) {  // the last row may be cut off
    auto const iteration = iteration_of(row);
    if (iteration && *iteration < end) {
      rows += row + "\n";
    }
  }
  return rows;
}

}  // namespace

ResidualLog::ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at)
    : path_(std::move(path)) {
  write_file_atomically(path_, heading + (resumed_at ? rows_before(path_, *resumed_at) : ""));
  file_ = open_file(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  bytes_ = std::filesystem::file_size(path_);
}

void ResidualLog::append(std::vector<Residual> const& residuals, double reference) {
  for (Residual const& residual : residuals) {
    double const relative = reference > 0.0 ? residual.value / reference : 0.0;
    unwritten_ +=
        fmt::format("{},{},{},{}\n", residual.iteration, residual.time_s, residual.value, relative);
  }
  write_rows();
}

void ResidualLog::finish() { write_rows(); }

void ResidualLog::write_rows() {
  if (unwritten_.empty()) return;
  try {
    write_all(file_, unwritten_, path_);
  } catch (Error const&) {
    // A part may have been written.
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) fail_on("cut off", path_);
    throw;
  }
  bytes_ += unwritten_.size();
  unwritten_.clear();
}

void check_residuals(std::filesystem::path const& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path.string() + " cannot be read: " + std::strerror(errno));
  std::int64_t line = 0;
  auto const fail = [&](char const* reason) {
    throw InputError(fmt::format("{} is damaged: line {} {}", path.string(), line, reason));
  };
  for (std::string row; std::getline(file, row);) {
    ++line;
    if (file.eof()) fail("is cut off");
    if (line == 1 && row + "\n" != heading) fail("is not the heading of residuals");
    if (line > 1 && !is_whole(row)) fail("is no row of four numbers");
  }
  if (line == 0) throw InputError(path.string() + " is damaged: it is empty");
}

}  // namespace isotherm
