#include "jobs/run/residual_log.hpp"

#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string>

#include "io/files/atomic_file.hpp"

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
}

void ResidualLog::append(std::vector<Residual> const& residuals, double reference) {
  std::string rows;
  for (Residual const& residual : residuals) {
    double const relative = reference > 0.0 ? residual.value / reference : 0.0;
    rows +=
        fmt::format("{},{},{},{}\n", residual.iteration, residual.time_s, residual.value, relative);
  }
  write_all(file_, rows, path_);
}

}  // namespace isotherm
