#include "app/post/plot/bench_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/post/plot/table_plot.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A part of `bench`, recognised by a key that only its rows have.
struct BenchPart {
  char const* name;
  char const* recognised_by;
  char const* value;           ///< the key that is drawn by default
  char const* label;           ///< of the axis of values
  double factor;               ///< from the key's unit to that of the label
  char const* over = nullptr;  ///< the key that curves are drawn over; null: bars
  char const* over_label = nullptr;
  LogAxes log = LogAxes::none;  ///< by default
};
constexpr std::array parts{
    BenchPart{"scaling", "efficiency", "efficiency", "efficiency", 1.0, "ranks", "ranks"},
    BenchPart{"shared", "gain", "gain", "speed relative to global memory", 1.0, "points_per_axis",
              "points per axis", LogAxes::x},
    BenchPart{"classic", "operand_bytes_per_second", "kernel_ms", "ms", 1.0},
    BenchPart{"smooth", "weights", "ms", "ms", 1.0},
    BenchPart{"resample", "interpolation", "ms", "ms", 1.0},
    BenchPart{"gaussians", "terms_per_second", "terms_per_second", "terms per second, 10⁹", 1e-9},
    BenchPart{"reduce", "form", "bytes_per_second", "GB/s, read", 1e-9},
    BenchPart{"transform", "task", "bytes_per_second", "GB/s, read and written", 1e-9},
    BenchPart{"tune", "plans", "gcells_per_second", "points updated per second, 10⁹", 1.0},
    BenchPart{"solve", "cycles", "gdof_per_second", "unknowns solved per second, 10⁹", 1.0},
    BenchPart{"sweep", "plan", "gcells_per_second", "points updated per second, 10⁹", 1.0},
};

/// Returns "512 x 512 x 512" for the list `points`.
std::string extent_in(Json const& row) {
  Json const& points = json_member(row, "points");
  if (!points.is_array()) return "?";
  std::vector<std::string> counts;
  for (Json const& one : points) {
    counts.push_back(one.is_number_integer() ? std::to_string(one.get<std::int64_t>()) : "?");
  }
  return join(counts, " x ");
}

/// The contents of a file of `bench --json`.
struct BenchFile {
  fs::path path;
  Json rows;
  BenchPart const* part;
};

/// Reads a file and finds its part.
BenchFile read_bench_file(fs::path const& file) {
  Json const all = parse_json(read_text_file(file, "a benchmark"));
  Json const& rows = json_member(all, "rows");
  bool const is_list = rows.is_array() && std::ranges::all_of(rows, &Json::is_object);
  if (!is_list) {
    throw InputError(file.string() + R"( is not a file of bench --json: it has no list "rows")");
  }
  for (BenchPart const& part : parts) {
    auto const belongs = [&](Json const& row) { return row.contains(part.recognised_by); };
    if (std::ranges::any_of(rows, belongs)) return {file, rows, &part};
  }
  throw InputError(file.string() +
                   " has no measurements of bench sweep, solve, transform, tune, scaling, "
                   "classic, shared, reduce, smooth, resample or gaussians");
}

/// A bar without its series.
struct Measured {
  std::string label;
  std::string series;
  Json row;
};

/// Returns the label of a row of `solve`.
std::string label_of_solution(Json const& row) {
  return fmt::format("{} to {:g}{}", json_text(row, "method", "?"), json_number(row, "tolerance"),
                     json_flag(row, "converged") ? "" : ", not reached");
}

/// Returns the bars of a row. A row of `tune` has several, others have one.
std::vector<Measured> measured_in(Json const& row, std::string const& part) {
  if (part == "reduce") return {{json_text(row, "form", "?"), "", row}};
  if (part == "smooth") return {{json_text(row, "memory", "?"), json_text(row, "table", "?"), row}};
  if (part == "resample") return {{json_text(row, "interpolation", "?"), "", row}};
  if (part == "gaussians") return {{json_text(row, "memory", "?"), "", row}};
  if (part == "classic") return {{json_text(row, "plan", "?"), json_text(row, "case", "?"), row}};
  std::string const precision = json_text(row, "precision", "?");
  if (part == "solve") return {{label_of_solution(row), precision, row}};
  if (part == "sweep") return {{json_text(row, "plan", "?"), precision, row}};
  if (part == "transform") {
    return {{fmt::format("{}: {}, {}", json_text(row, "axis", "?"), json_text(row, "kind", "?"),
                         json_text(row, "task", "?")),
             precision, row}};
  }
  std::vector<Measured> all;
  std::string const grid = extent_in(row) + (json_flag(row, "source") ? ", source: " : ": ");
  std::string const kind = precision + (json_flag(row, "fixed") ? ", Dirichlet" : ", periodic");
  Json const& plans = json_member(row, "plans");
  if (!plans.is_array()) return {};
  for (Json const& one : plans) {
    if (one.is_object()) all.push_back({grid + json_text(one, "plan", "?"), kind, one});
  }
  return all;
}

/// Returns the value that the options ask for, with its label and unit factor.
BenchPart chosen_value(BenchPart part, std::vector<std::string> const& columns) {
  if (columns.empty()) return part;
  part.value = columns.back().c_str();
  part.label = part.value;
  part.factor = 1.0;
  return part;
}

/// Returns the number of a series, which is added if it is new.
std::size_t index_of(std::string const& series, std::vector<std::string>& all) {
  auto const found = std::ranges::find(all, series);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(series);
  return all.size() - 1;
}

/// Checks that a number of the key exists.
void require_any(bool any, std::vector<BenchFile> const& files, std::string const& key) {
  if (any) return;
  throw InputError(
      fmt::format("{} has no number {} to draw", files.front().path.string(), in_quotes(key)));
}

/// Returns the bars of all files.
BarChart bars_of(std::vector<BenchFile> const& files, std::vector<std::string> const& names,
                 PlotOptions const& options) {
  if (options.columns.size() > 1) {
    throw InputError("--columns: bars show one value (needs one name, as in --columns ms)");
  }
  if (options.log != LogAxes::automatic && options.log != LogAxes::none) {
    throw InputError("--log: bars have no logarithmic axis");
  }
  if (options.y_label) throw InputError("--y-label: bars have no vertical axis (give --x-label)");
  BenchPart const drawn = chosen_value(*files.front().part, options.columns);
  BarChart chart;
  chart.value_label = options.x_label.value_or(drawn.label);
  bool any = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (Json const& row : files[i].rows) {
      for (Measured const& one : measured_in(row, drawn.name)) {
        std::string const between = names[i].empty() || one.series.empty() ? "" : ", ";
        std::string const series = names[i] + between + one.series;
        double const value = drawn.factor * json_number(one.row, drawn.value);
        any = any || std::isfinite(value);
        chart.bars.push_back({one.label, value, index_of(series, chart.series)});
      }
    }
  }
  require_any(any, files, drawn.value);
  // Bars of the same label lie next to each other, so that files can be compared.
  if (files.size() > 1) std::ranges::stable_sort(chart.bars, {}, &Bar::label);
  if (chart.bars.size() > max_bars) {
    throw InputError(fmt::format("{}: {} bars are too many for a picture (at most {})",
                                 files.front().path.string(), chart.bars.size(), max_bars));
  }
  return chart;
}

/// Returns the curve that a row of `scaling` or `shared` belongs to.
std::string curve_of(Json const& row, std::string const& part) {
  std::string const precision = json_text(row, "precision", "?");
  if (part == "scaling") return json_text(row, "scaling", "?") + ", " + precision;
  double const steps = json_number(row, "steps");
  return fmt::format("{:g}D, {:g} {}, {}", json_number(row, "dimension"), steps,
                     steps == 1.0 ? "step" : "steps", precision);
}

/// Returns the curves of `scaling` or `shared`: one for each kind and precision of each file.
Plot curves_of(std::vector<BenchFile> const& files, std::vector<std::string> const& names,
               PlotOptions const& options) {
  BenchPart const drawn = chosen_value(*files.front().part, options.columns);
  bool const chooses_over = options.columns.size() > 1;
  std::string const over = chooses_over ? options.columns.front() : drawn.over;
  LogAxes const log = options.log == LogAxes::automatic ? drawn.log : options.log;
  Plot plot;
  plot.x = {options.x_label.value_or(chooses_over ? over : drawn.over_label),
            log == LogAxes::x || log == LogAxes::both};
  plot.y = {options.y_label.value_or(drawn.label), log == LogAxes::y || log == LogAxes::both};
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (Json const& row : files[i].rows) {
      std::string const label =
          (names[i].empty() ? "" : names[i] + ", ") + curve_of(row, drawn.name);
      std::size_t const curve = index_of(label, labels);
      if (curve == plot.curves.size()) plot.curves.push_back({label, {}, {}});
      plot.curves[curve].x.push_back(json_number(row, over));
      plot.curves[curve].y.push_back(drawn.factor * json_number(row, drawn.value));
    }
  }
  require_any(has_points(plot), files, drawn.value);
  if (plot.curves.size() > max_curves) {
    throw InputError(fmt::format("{} curves cannot be distinguished (at most {}): give fewer files",
                                 plot.curves.size(), max_curves));
  }
  return plot;
}

}  // namespace

std::variant<Plot, BarChart> plot_of_benchmarks(std::vector<fs::path> const& files,
                                                PlotOptions const& options) {
  if (!options.by.empty()) throw InputError("--by is for tables, not for files of bench --json");
  std::vector<BenchFile> all;
  all.reserve(files.size());
  for (fs::path const& file : files) all.push_back(read_bench_file(file));
  for (BenchFile const& file : all) {
    if (file.part == all.front().part) continue;
    throw InputError(fmt::format("{} is of bench {}, but {} of bench {}: draw them separately",
                                 all.front().path.string(), all.front().part->name,
                                 file.path.string(), file.part->name));
  }
  std::vector<std::string> const names = short_names(files);
  if (all.front().part->over != nullptr) return curves_of(all, names, options);
  return bars_of(all, names, options);
}

}  // namespace isotherm::app
