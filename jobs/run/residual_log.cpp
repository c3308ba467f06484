#include "jobs/run/residual_log.hpp"

#include <algorithm>
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

struct Rows {
  std::string text{};
  std::int64_t last = -1;  ///< iteration
};

/// Up to an iteration, that of the last one included.
Rows rows_up_to(std::filesystem::path const& path, std::int64_t end) {
  Rows rows;
  if (!std::filesystem::is_regular_file(path)) return rows;  // a pipe would be waited for
  std::ifstream file(path);
  for (std::string row; std::getline(file, row) && !file.eof();) {  // the last row may be cut off
    auto const iteration = iteration_of(row);
    if (iteration && *iteration <= end) {
      rows.text += row + "\n";
      rows.last = std::max(rows.last, *iteration);
    }
  }
  return rows;
}

}  // namespace

ResidualLog::ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at)
    : path_(std::move(path)) {
  Rows const rows = resumed_at ? rows_up_to(path_, *resumed_at) : Rows{};
  known_up_to_ = rows.last;
  write_file_atomically(path_, heading + rows.text);
  file_ = open_file(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  bytes_ = std::filesystem::file_size(path_);
}

void ResidualLog::append(std::vector<Residual> const& residuals, double reference) {
  for (Residual const& residual : residuals) {
    if (residual.iteration <= known_up_to_) continue;
    double const relative = reference > 0.0 ? residual.value / reference : 0.0;
    unwritten_ +=
        fmt::format("{},{},{},{}\n", residual.iteration, residual.time_s, residual.value, relative);
  }
  write_rows();
}

void ResidualLog::finish() { write_rows(); }

void ResidualLog::write_rows() {
  if (!is_in_place(file_, path_)) {
    throw Error(path_.string() + " was moved, removed or replaced while the run wrote to it");
  }
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
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw InputError(path.string() + " is damaged: it is no regular file");
  }
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
