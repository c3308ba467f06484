#include "app/bench/measure/level_measurement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/machine/copy_rate.hpp"
#include "case/basics/text/text.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;
using Times = std::vector<LevelTime>;

/// Returns the sum of the times of a cycle's parts. @param cycle  times or rows
template <class Part>
double seconds_of(std::vector<Part> const& cycle) {
  return std::accumulate(cycle.begin(), cycle.end(), 0.0,
                         [](double sum, Part const& part) { return sum + part.seconds; });
}

}  // namespace

// time_levels() performs one cycle with events between its levels. Recording the events takes
// time, so the sum is slightly larger than the time of an ordinary cycle.
std::vector<LevelRow> measure_levels(mpi::Communicator const& ranks, Problem const& problem,
                                     MethodSettings method, Execution const& execution,
                                     int repeat) {
  constexpr std::int64_t warming_up = 2;  // since the first cycle is a full-multigrid cycle
  // A zero tolerance is never reached, so the cycles continue.
  method.tolerance = 0.0;
  method.iterations = warming_up + repeat;
  auto const solver = make_solver(ranks, problem, method, execution);
  solver->advance_to(warming_up);
  std::vector<Times> cycles;
  for (std::int64_t n = warming_up; n < method.iterations; ++n) {
    cycles.push_back(solver->time_levels(n + 1));
  }
  // The cycle with the median time as a whole. Medians of each level would not add up.
  std::ranges::sort(cycles, {}, [](Times const& cycle) { return seconds_of(cycle); });
  Times const& cycle = cycles[cycles.size() / 2];
  double const rate = copy_rate(ranks, problem, *solver);
  std::vector<double> const bytes = cycle_bytes(problem, method);
  std::vector<LevelRow> rows;
  for (std::size_t n = 0; n < cycle.size(); ++n) {
    double const seconds = cycle[n].seconds;
    rows.push_back({n == 0 ? "field" : std::to_string(n), cycle[n].points, seconds,
                    seconds / seconds_of(cycle), bytes[n] / seconds / rate});
  }
  return rows;
}

// Columns: "ms" is the time on a level per cycle, and "share" is relative to the cycle. "of copy"
// is the minimum memory traffic divided by the time, relative to the copy rate.
std::string level_table(std::vector<LevelRow> const& rows, Precision precision) {
  std::string table = fmt::format("{}, time of a cycle by level\n{:<6} {:>22} {:>11} {:>7} {:>7}\n",
                                  name(precision), "level", "points", "ms", "share", "of copy");
  for (LevelRow const& row : rows) {
    int const dimension = rows.front().points.z == 1 ? 2 : 3;
    table += fmt::format("{:<6} {:>22} {:>11.4f} {:>5.1f} % {:>7.2f}\n", row.part,
                         format_extent(row.points, dimension), row.seconds * 1e3, row.share * 1e2,
                         row.share_of_copy);
  }
  return table + fmt::format("{:<6} {:>22} {:>11.4f}\n", "cycle", "", seconds_of(rows) * 1e3);
}

Json levels_json(std::vector<LevelRow> const& rows, Precision precision) {
  Json parts = Json::array();
  for (LevelRow const& row : rows) {
    parts.push_back({{"part", row.part},
                     {"points", extent_json(row.points)},
                     {"ms", row.seconds * 1e3},
                     {"share", row.share},
                     {"share_of_copy", row.share_of_copy}});
  }
  return {{"precision", name(precision)}, {"ms", seconds_of(rows) * 1e3}, {"parts", parts}};
}

}  // namespace isotherm
