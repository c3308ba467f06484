#include "jobs/run/residual_log.hpp"

#include <fmt/format.h>

namespace isotherm {

namespace {

constexpr char const* heading = "iteration,time,residual,relative";
constexpr char const* old_heading = "iteration,time_s,residual,relative";  // up to version 0.2

}  // namespace

ResidualLog::ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at)
    : table_(std::move(path), heading, resumed_at) {}

void ResidualLog::append(std::vector<Residual> const& residuals, double reference) {
  for (Residual const& residual : residuals) {
    if (residual.iteration <= table_.known_up_to()) continue;
    double const relative = reference > 0.0 ? residual.value / reference : 0.0;
    table_.add(fmt::format("{},{},{},{}\n", residual.iteration, residual.time_s, residual.value,
                           relative));
  }
  table_.write();
}

void check_residuals(std::filesystem::path const& path) {
  check_table(path, heading_of(path) == old_heading ? old_heading : heading, "residuals");
}

}  // namespace isotherm
