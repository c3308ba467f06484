#include "app/sweep/grid_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "case/basics/text/csv_table.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm::app {

namespace {

constexpr std::string_view time_step = "method.time_step";

/// A run of the study.
struct StudyRun {
  std::vector<double> fineness;  ///< intervals between the points of each axis, or 1 / time step
  RunRow const* row;
};

/// Returns the numbers of intervals of a run's axes; empty if it has left no summary.
std::vector<double> intervals_of(RunRow const& row) {
  TableCell const points = row.value("case.points");
  if (!points.is_string()) return {};
  auto const text = points.get<std::string>();
  std::vector<double> intervals;
  for (std::string const& number : csv_cells(trimmed(text, "[]"))) {
    intervals.push_back(std::strtod(number.c_str(), nullptr) - 1.0);
  }
  return intervals;
}

/// Returns 1 / time step; empty if the run has no summary, or no number as its step.
std::vector<double> steps_of(RunRow const& row) {
  TableCell const step = row.value(std::string(time_step));
  if (!row.has_summary() || !step.is_number() || !(step.get<double>() > 0.0)) return {};
  return {1.0 / step.get<double>()};
}

/// Returns true if the runs differ in the time step, false if in the grid. @throws InputError  if
/// they differ in something else, or in both
bool varies_time_step(std::vector<RunRow> const& rows) {
  bool of_steps = false;
  bool of_grids = false;
  for (RunRow const& row : rows) {
    for (Setting const& one : row.settings()) {
      bool const is_step = one.key == time_step;
      // Constants may determine the grid.
      bool const is_grid = one.key.starts_with("grid.") || one.key.starts_with("constants.");
      of_steps = of_steps || is_step;
      of_grids = of_grids || is_grid;
      if (is_step || is_grid) continue;
      throw InputError("--extrapolate: the runs also differ in " + one.key +
                       " (choose runs that differ in grid.points or method.time_step only)");
    }
  }
  if (of_steps && of_grids) {
    throw InputError(
        "--extrapolate: the runs differ in the grid and the time step (choose runs that differ in "
        "one of them)");
  }
  return of_steps;
}

/// Returns the factor by which a grid is finer than another one. @throws InputError  if the axes
/// differ in it
double refinement(std::vector<double> const& fine, std::vector<double> const& coarse) {
  constexpr double rounding = 1e-9;
  double const ratio = fine.front() / coarse.front();
  for (std::size_t axis = 0; axis < fine.size() && axis < coarse.size(); ++axis) {
    // Nothing varies along an axis of one point.
    if (fine[axis] == 0.0 && coarse[axis] == 0.0) continue;
    if (std::abs(fine[axis] / coarse[axis] - ratio) <= rounding * ratio) continue;
    throw InputError(fmt::format(
        "--extrapolate: the intervals of the {} axis grow from {} to {}, but those of the x axis "
        "from {} to {} (refine all axes by the same factor: n points have n - 1 intervals)",
        "xyz"[axis], coarse[axis], fine[axis], coarse.front(), fine.front()));
  }
  return ratio;
}

/// Returns the three finest runs, the finest first.
std::array<StudyRun, 3> finest_three(std::vector<RunRow> const& rows) {
  bool const of_steps = varies_time_step(rows);
  std::map<double, StudyRun, std::greater<>> by_size;
  for (RunRow const& row : rows) {
    std::vector<double> fineness = of_steps ? steps_of(row) : intervals_of(row);
    if (!fineness.empty()) by_size.try_emplace(fineness.front(), StudyRun{fineness, &row});
  }
  if (by_size.size() < 3) {
    throw InputError(fmt::format("--extrapolate: there are results {} (needs three)",
                                 of_steps ? fmt::format("for {} time steps", by_size.size())
                                          : fmt::format("on {} different grids", by_size.size())));
  }
  auto const first = by_size.begin();
  return {first->second, std::next(first)->second, std::next(first, 2)->second};
}

/// Factors of the grid convergence index: for three grids, and for results whose order is not that
/// of a method (P. J. Roache, Journal of Fluids Engineering 116, 405, 1994).
constexpr double safety_factor = 1.25;
constexpr double irregular_factor = 3.0;
/// Orders between these bounds are those of methods or of singularities.
constexpr double lowest_order = 0.5, highest_order = 2.5;

/// Extrapolates with the observed order, or with 2 at most if that is not the order of a method.
Extrapolation with_order(std::array<double, 3> const& fine_to_coarse, double ratio,
                         double coarse_ratio, double order) {
  auto const [fine, middle, coarse] = fine_to_coarse;
  bool const is_regular = order >= lowest_order && order <= highest_order;
  double const used = is_regular ? order : std::min(order, 2.0);
  double const error = (middle - fine) / (std::pow(ratio, used) - 1.0);
  double const from_coarse = (coarse - fine) / (std::pow(ratio * coarse_ratio, used) - 1.0);
  double const bar = is_regular
                         ? safety_factor * std::abs(error)
                         : irregular_factor * std::max(std::abs(error), std::abs(from_coarse));
  return {fine - error, order, used, bar, is_regular};
}

/// Returns true if a column holds a result that converges with the grid.
bool is_result(std::string const& column) {
  constexpr std::array<std::string_view, 4> others{"heat_balance", "performance", "time", "error"};
  std::string const start = column.substr(0, column.find('.'));
  // A balance is a difference of flows, often rounding only.
  if (column == "flux.balance") return false;
  return column != "wall_s" && std::ranges::find(others, start) == others.end();
}

/// Explains why three results have no order, and what to report instead.
std::string advice_without_order(std::string const& column,
                                 std::array<double, 3> const& fine_to_coarse) {
  auto const [fine, middle, coarse] = fine_to_coarse;
  double const change = middle - fine, coarse_change = coarse - middle;
  bool const alternates =
      (change > 0.0 && coarse_change < 0.0) || (change < 0.0 && coarse_change > 0.0);
  char const* const reason = alternates      ? "alternate in sign"
                             : change == 0.0 ? "end at 0"
                                             : "do not decrease";
  double const largest =
      std::max({std::abs(change), std::abs(coarse_change), std::abs(coarse - fine)});
  return fmt::format(
      "--extrapolate: {} has no observed order, because its differences {}: {:.3g}, then {:.3g} "
      "(report the finest value, {:.6g}, and the largest difference, {:.3g}, or take finer grids "
      "or "
      "steps)",
      column, reason, -coarse_change, -change, fine, largest);
}

}  // namespace

std::optional<Extrapolation> extrapolate(std::array<double, 3> const& fine_to_coarse, double ratio,
                                         double coarse_ratio) {
  auto const [fine, middle, coarse] = fine_to_coarse;
  double const change = middle - fine;
  double const coarse_change = coarse - middle;
  constexpr double rounding = 1e-12;
  double const same = rounding * std::max({std::abs(fine), std::abs(middle), std::abs(coarse)});
  if (std::abs(change) <= same && std::abs(coarse_change) <= same) {
    return Extrapolation{fine, std::nullopt};
  }
  if (!(coarse_change / change > 0.0) || !std::isfinite(coarse_change / change)) {
    return std::nullopt;
  }
  constexpr int max_rounds = 100;
  constexpr double accuracy = 1e-10;
  double order = 2.0;
  for (int i = 0; i < max_rounds; ++i) {
    double const shift =
        std::log((std::pow(ratio, order) - 1.0) / (std::pow(coarse_ratio, order) - 1.0));
    double const next = (std::log(coarse_change / change) + shift) / std::log(ratio);
    bool const is_found = std::abs(next - order) <= accuracy;
    order = next;
    if (!(order > 0.0)) return std::nullopt;
    if (is_found) return with_order(fine_to_coarse, ratio, coarse_ratio, order);
  }
  return std::nullopt;
}

std::vector<RunRow> extrapolated_rows(std::vector<RunRow> const& rows,
                                      std::vector<std::string> const& columns,
                                      std::vector<std::string>& remarks) {
  std::array<StudyRun, 3> const runs = finest_three(rows);
  double const ratio = refinement(runs[0].fineness, runs[1].fineness);
  double const coarse_ratio = refinement(runs[1].fineness, runs[2].fineness);
  std::map<std::string, TableCell> values;
  std::map<std::string, TableCell> orders;
  std::map<std::string, TableCell> error_bars;
  for (std::string const& column : columns) {
    std::array<double, 3> results{};
    bool has_numbers = is_result(column);
    for (std::size_t i = 0; i < results.size(); ++i) {
      TableCell const cell = runs[i].row->value(column);
      has_numbers = has_numbers && cell.is_number_float();
      if (has_numbers) results[i] = cell.get<double>();
    }
    auto const found =
        has_numbers ? extrapolate(results, ratio, coarse_ratio) : std::optional<Extrapolation>();
    if (!found) {
      if (has_numbers) remarks.push_back(advice_without_order(column, results));
      continue;
    }
    values[column] = found->value;
    error_bars[column] = found->error_bar;
    if (!found->is_regular) {
      remarks.push_back(fmt::format(
          "--extrapolate: the observed order {:.3g} of {} is not that of a method: the value is "
          "extrapolated with the order {:.3g}, and the error bar is a cautious one (take finer "
          "grids or steps)",
          *found->order, column, found->used_order));
    }
    if (found->order) orders[column] = *found->order;
  }
  for (Setting const& one : runs[0].row->settings()) {
    for (std::string const& name : {one.key, short_name(one.key)}) {
      values[name] = "extrapolated";
      orders[name] = "observed order";
      error_bars[name] = "error bar";
    }
  }
  values["run"] = "extrapolated";
  orders["run"] = "observed order";
  error_bars["run"] = "error bar";
  return {RunRow(std::move(values)), RunRow(std::move(error_bars)), RunRow(std::move(orders))};
}

}  // namespace isotherm::app
