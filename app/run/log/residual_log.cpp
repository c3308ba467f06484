#include "app/run/log/residual_log.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace isotherm::app {

namespace {

/// Headings, the present one first, then those of older versions.
constexpr std::array headings{
    "iteration,time,residual,relative,error",
    "iteration,time_s,residual,relative",  // up to version 0.2
    "iteration,time,residual,relative",    // before the error was estimated
};

}  // namespace

ResidualLog::ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at)
    : table_(std::move(path), headings.front(), resumed_at) {}

void ResidualLog::append(std::vector<Residual> const& residuals, double reference) {
  for (Residual const& residual : residuals) {
    // The row exists already.
    if (residual.iteration <= table_.known_up_to()) continue;
    double const relative = reference > 0.0 ? residual.value / reference : 0.0;
    std::string const error = residual.error ? fmt::format("{}", *residual.error) : "";
    table_.add(fmt::format("{},{},{},{},{}\n", residual.iteration, residual.time_s, residual.value,
                           relative, error));
  }
  table_.write();
}

void check_residuals(std::filesystem::path const& path) {
  // Tables of older versions are valid, too. An unknown heading is checked against the present one,
  // so the error names it.
  auto const known = std::ranges::find(headings, heading_of(path));
  check_table(path, known != headings.end() ? *known : headings.front(), "residuals",
              LastColumn::may_be_empty);
}

}  // namespace isotherm::app
