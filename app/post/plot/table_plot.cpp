#include "app/post/plot/table_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "case/basics/text/wording.hpp"
#include "case/probe.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// The columns of a table that are drawn.
struct Choice {
  std::string x{};
  std::vector<std::string> y{};
  std::string by{};  ///< a curve for each number of this column; empty: one curve
  bool is_residuals = false;
  bool is_last_only = false;  ///< only the rows of the last iteration: the solution
};

/// Returns whether any number of a column is finite.
bool has_numbers(CsvColumn const& column) {
  return std::ranges::any_of(column.numbers, [](double one) { return std::isfinite(one); });
}

/// Returns the names of the columns that can be drawn: those that do not begin with a text, and are
/// not empty.
std::vector<std::string> drawable_columns(CsvTable const& table) {
  std::vector<std::string> names;
  for (CsvColumn const& column : table.columns) {
    if (!column.begins_with_text && (has_numbers(column) || column.first_text_line > 0)) {
      names.push_back(column.name);
    }
  }
  return names;
}

/// Returns the columns that the kind of the table suggests.
Choice default_choice(CsvTable const& table) {
  auto const has = [&](char const* name) { return table.find(name) != nullptr; };
  std::vector<std::string> names = drawable_columns(table);
  auto const is_drawable = [&](char const* name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (has("iteration") && has("residual") && has("relative")) {
    Choice choice{"iteration", {"relative"}, "", true};
    if (is_drawable("error")) choice.y.emplace_back("error");
    return choice;
  }
  if (has("iteration") && has("distance") && has("value")) {
    // Without times the earlier rows are iterates, and the first ones the initial guess.
    if (!has("time")) return {"distance", {"value"}, "", false, true};
    return {"distance", {"value"}, "time"};
  }
  if (names.size() < 2) {
    throw InputError(table.path.string() +
                     " has fewer than two columns of numbers, so there is nothing to draw");
  }
  Choice choice;
  bool const has_moments = names.front() == "iteration";
  choice.x = has_moments && is_drawable("time") ? "time" : names.front();
  for (std::string const& name : names) {
    bool const is_moment = has_moments && (name == "iteration" || name == "time");
    if (name != choice.x && !is_moment) choice.y.push_back(name);
  }
  return choice;
}

/// Returns true if `name` is a key of the case with its section, such as "equation.diffusivity",
/// and `key` is the same key without it.
bool is_same_key(std::string const& name, std::string const& key) {
  auto const dot = name.rfind('.');
  if (dot == std::string::npos || name.substr(dot + 1) != key) return false;
  return rule_for(case_keys(), "", name.substr(0, name.find('.'))) != nullptr;
}

/// Returns the name in the table of a requested column. A key of the case may have its section or
/// not, as in the tables of a study. Returns other names unchanged.
std::string column_named(CsvTable const& table, std::string const& asked) {
  if (table.find(asked) != nullptr) return asked;
  std::vector<std::string> same;
  for (CsvColumn const& column : table.columns) {
    if (is_same_key(column.name, asked) || is_same_key(asked, column.name)) {
      same.push_back(column.name);
    }
  }
  return same.size() == 1 ? same.front() : asked;
}

/// Returns the columns to draw: the requested ones, or those that the table suggests.
Choice choose(CsvTable const& table, PlotOptions const& options) {
  if (table.rows == 0) throw InputError(table.path.string() + " has no rows");
  Choice choice;
  if (options.columns.empty()) {
    choice = default_choice(table);
  } else {
    if (options.columns.size() < 2) {
      throw InputError("--columns needs two names or more: first that of the horizontal axis");
    }
    choice.x = column_named(table, options.columns.front());
    for (std::size_t i = 1; i < options.columns.size(); ++i) {
      choice.y.push_back(column_named(table, options.columns[i]));
    }
  }
  if (options.by.empty()) return choice;
  choice.by = column_named(table, options.by);
  choice.is_last_only = false;
  // The column that distinguishes curves is constant along each of them.
  if (options.columns.empty()) std::erase(choice.y, choice.by);
  return choice;
}

/// Returns the numbers of a column. @throws InputError  if it is missing or holds a text
std::vector<double> const& numbers_of(CsvTable const& table, std::string const& name) {
  CsvColumn const* const column = table.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (CsvColumn const& one : table.columns) names.push_back(one.name);
    std::string const nearest = nearest_name(name, names);
    throw InputError(fmt::format("{} has no column {}: {}", table.path.string(), in_quotes(name),
                                 nearest.empty() ? "it has " + one_line(join(names), 200)
                                                 : "did you mean " + in_quotes(nearest) + "?"));
  }
  if (std::ranges::count(table.columns, name, &CsvColumn::name) > 1) {
    throw InputError(
        fmt::format("{}: several columns have the name {}", table.path.string(), in_quotes(name)));
  }
  if (column->first_text_line > 0) {
    throw InputError(fmt::format("{}: line {}: {} in the column {} is not a number",
                                 table.path.string(), column->first_text_line,
                                 in_quotes(column->first_text), in_quotes(name)));
  }
  return column->numbers;
}

/// Returns at most ten of the numbers in a column, evenly chosen and with both ends.
std::vector<double> members_of(std::vector<double> const& numbers, std::size_t& all) {
  constexpr std::size_t max_members = 10;
  std::set<double> distinct;
  for (double const number : numbers) {
    if (std::isfinite(number)) distinct.insert(number);
  }
  all = distinct.size();
  std::vector<double> sorted(distinct.begin(), distinct.end());
  if (sorted.size() <= max_members) return sorted;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < max_members; ++i) {
    chosen.push_back(sorted[i * (sorted.size() - 1) / (max_members - 1)]);
  }
  return chosen;
}

/// Makes the curves of tables.
class TableCurves {
 public:
  TableCurves(std::vector<CsvTable> const& tables, std::vector<std::string>& remarks)
      : remarks_(remarks) {
    std::vector<fs::path> files;
    files.reserve(tables.size());
    for (CsvTable const& table : tables) files.push_back(table.path);
    files_ = short_names(files);
  }

  /// Adds the curves of a table.
  void add(CsvTable const& table, Choice const& choice, std::size_t file, bool names_columns) {
    std::vector<double> const& x = numbers_of(table, choice.x);
    for (std::string const& name : choice.y) {
      std::vector<double> const& y = numbers_of(table, name);
      std::string const words = choice.is_residuals ? words_of(name) : name;
      std::string const label = joined(files_[file], names_columns ? words : "");
      if (choice.is_last_only) {
        add_last(table, {label.empty() ? words : label, x, y});
      } else if (choice.by.empty()) {
        curves.push_back({label.empty() ? words : label, x, y});
      } else {
        add_members(table, choice.by, {label, x, y});
      }
    }
  }

  std::vector<PlotCurve> curves{};

 private:
  /// Returns what a column of residuals.csv is called in a legend.
  static std::string words_of(std::string const& column) {
    if (column == "relative") return "relative residual";
    return column == "error" ? "estimated error" : column;
  }

  /// Joins two parts of a label, of which any may be empty.
  static std::string joined(std::string const& a, std::string const& b) {
    return a + (a.empty() || b.empty() ? "" : ", ") + b;
  }

  /// Adds the part of a curve that belongs to the last iteration.
  void add_last(CsvTable const& table, PlotCurve const& all) {
    std::vector<double> const& iterations = numbers_of(table, "iteration");
    double const last = iterations.back();
    PlotCurve solution{all.label, {}, {}};
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      if (iterations[i] != last) continue;
      solution.x.push_back(all.x[i]);
      solution.y.push_back(all.y[i]);
    }
    curves.push_back(std::move(solution));
    if (iterations.front() == last) return;
    remarks_.push_back(
        fmt::format("{}: iteration {:.0f} is drawn, the last one; --by iteration draws more",
                    visible(table.path.string()), last));
  }

  /// Adds a curve for each number in the column `by`.
  void add_members(CsvTable const& table, std::string const& by, PlotCurve const& all) {
    std::vector<double> const& keys = numbers_of(table, by);
    std::size_t count = 0;
    std::map<double, PlotCurve> members;
    for (double const key : members_of(keys, count)) {
      members[key].label = joined(all.label, fmt::format("{} = {:.6g}", by, key));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const member = members.find(keys[i]);
      if (std::isnan(keys[i]) || member == members.end()) continue;
      member->second.x.push_back(all.x[i]);
      member->second.y.push_back(all.y[i]);
    }
    if (members.size() < count) {
      remarks_.push_back(
          fmt::format("{} of {} values of {} are drawn", members.size(), count, in_quotes(by)));
    }
    for (auto& [key, curve] : members) curves.push_back(std::move(curve));
  }

  std::vector<std::string> files_{};
  std::vector<std::string>& remarks_;
};

/// Returns the unit at the end of a label, "[K]" or "(K)"; empty if there is none.
std::string unit_of(std::string const& label) {
  for (auto const& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    auto const at = label.rfind(open);
    if (at != std::string::npos && label.ends_with(close)) return label.substr(at);
  }
  return "";
}

/// Returns a text on the case in the run that wrote a table, such as the label of the field; empty
/// if it has none, or if the table is not one of a run.
std::string case_text_in_run(fs::path const& table, std::string const& name) {
  std::error_code ignored_error;  // then there is no text
  fs::path const summary = fs::path(table).replace_filename("summary.json");
  if (!is_probe_table_name(table.filename().string()) || !fs::exists(summary, ignored_error)) {
    return "";
  }
  return json_text(json_member(parse_json(read_text_file(summary, "a summary")), "case"), name);
}

/// Returns the label of the horizontal axis: the name of its column, behind time with the unit of
/// the runs if all have the same.
std::string horizontal_label(std::vector<CsvTable> const& tables, std::string const& column) {
  if (column != "time") return column;
  std::set<std::string> units;
  for (CsvTable const& table : tables) units.insert(case_text_in_run(table.path, "time_unit"));
  return units.size() > 1 || units.begin()->empty() ? column : column + ", " + *units.begin();
}

/// Returns the label of the field if all runs share it and all columns have its unit.
std::string field_label(std::vector<CsvTable> const& tables, std::vector<Choice> const& choices) {
  constexpr std::array columns_in_its_unit{"value", "mean", "min", "max"};
  std::set<std::string> labels;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    bool const fits = std::ranges::all_of(choices[i].y, [&](std::string const& name) {
      return std::ranges::find(columns_in_its_unit, name) != columns_in_its_unit.end();
    });
    labels.insert(fits ? case_text_in_run(tables[i].path, "label") : "");
  }
  return labels.size() == 1 ? *labels.begin() : "";
}

/// Returns the label of the vertical axis: that of the field in the case, the name that all columns
/// have, or else their unit.
std::string common_label(std::vector<CsvTable> const& tables, std::vector<Choice> const& choices) {
  if (std::string label = field_label(tables, choices); !label.empty()) return label;
  std::set<std::string> names;
  std::set<std::string> units;
  for (Choice const& choice : choices) {
    names.insert(choice.y.begin(), choice.y.end());
    for (std::string const& name : choice.y) units.insert(unit_of(name));
  }
  if (names.size() == 1) return *names.begin();
  bool const are_fluxes =
      std::ranges::all_of(names, [](std::string const& name) { return name.starts_with("flux_"); });
  if (are_fluxes) return "flux";
  return units.size() == 1 ? *units.begin() : "";
}

/// Sets the kinds of the axes. @throws InputError  if nothing can be drawn on them
void set_logarithmic(Plot& plot, LogAxes log, bool is_residuals, std::string const& files) {
  plot.x.is_logarithmic = log == LogAxes::x || log == LogAxes::both;
  plot.y.is_logarithmic = log == LogAxes::y || log == LogAxes::both;
  if (!has_points(plot)) {
    bool const is_logarithmic = plot.x.is_logarithmic || plot.y.is_logarithmic;
    throw InputError(files + (is_logarithmic ? ": no value is positive, so none can be drawn on a "
                                               "logarithmic axis"
                                             : ": no numbers to draw in these columns"));
  }
  if (log != LogAxes::automatic || !is_residuals) return;
  plot.y.is_logarithmic = true;
  if (!has_points(plot)) plot.y.is_logarithmic = false;
}

/// Returns whether the values of a list are all different and not empty.
bool distinguish(std::vector<std::string> const& names) {
  std::set<std::string> const distinct(names.begin(), names.end());
  return distinct.size() == names.size() && !distinct.contains("");
}

/// Returns the name of a probe, or else that of the file, without its extension.
std::string name_of_table(fs::path const& file) {
  constexpr std::string_view probe = "probe_";
  std::string const stem = file.stem().string();
  return stem.starts_with(probe) && stem != probe ? stem.substr(probe.size()) : stem;
}

}  // namespace

std::vector<std::string> short_names(std::vector<fs::path> const& files) {
  if (files.size() == 1) return {""};
  std::vector<std::string> stems;
  std::vector<std::string> folders;
  std::vector<std::string> paths;
  for (fs::path const& file : files) {
    stems.push_back(name_of_table(file));
    folders.push_back(file.parent_path().filename().string());
    paths.push_back(file.string());
  }
  for (auto const& names : {stems, folders}) {
    if (distinguish(names)) return names;
  }
  return paths;
}

Plot plot_of_tables(std::vector<CsvTable> const& tables, PlotOptions const& options,
                    std::vector<std::string>& remarks) {
  std::vector<Choice> choices;
  choices.reserve(tables.size());
  for (CsvTable const& table : tables) choices.push_back(choose(table, options));
  Plot plot;
  bool const is_residuals = std::ranges::all_of(choices, &Choice::is_residuals);
  plot.x.label = choices.front().x;
  plot.y.label = is_residuals ? "relative residual and error" : common_label(tables, choices);
  bool const names_columns =
      std::ranges::any_of(choices,
                          [&](Choice const& choice) { return choice.y != choices.front().y; }) ||
      choices.front().y.size() > 1;
  TableCurves all(tables, remarks);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (choices[i].x != plot.x.label) {
      throw InputError(
          fmt::format("{} is drawn over {}, but {} over {}: name common columns with --columns",
                      tables.front().path.string(), in_quotes(plot.x.label),
                      tables[i].path.string(), in_quotes(choices[i].x)));
    }
    all.add(tables[i], choices[i], i, names_columns);
  }
  if (all.curves.size() > max_curves) {
    throw InputError(
        fmt::format("{} curves cannot be distinguished (at most {}): choose some "
                    "with --columns, or give fewer files",
                    all.curves.size(), max_curves));
  }
  plot.curves = std::move(all.curves);
  plot.is_family = tables.size() == 1 && !choices.front().by.empty() && !names_columns;
  set_logarithmic(plot, options.log, is_residuals, tables.front().path.string());
  plot.x.label = options.x_label.value_or(horizontal_label(tables, plot.x.label));
  plot.y.label = options.y_label.value_or(plot.y.label);
  return plot;
}

}  // namespace isotherm::app
