#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/sweep_points.hpp"

// The results of one run, as a row of a table. They come from the files in its directory:
// summary.json, case.toml, and the tables of probes.

namespace isotherm::app {

/// A number, a text, true or false, or null if it is not known.
using TableCell = nlohmann::ordered_json;

/// Returns the contents of a file of a run; nothing if it cannot be read.
std::optional<std::string> contents_of(std::filesystem::path const& path);

/// One run and its results.
class RunRow {
 public:
  /// Reads summary.json, if there is one. @throws InputError  if it is damaged
  /// @param directory  of the run; empty: the run has no results
  /// @param settings   the keys that distinguish the run; empty: read_settings() finds them
  RunRow(std::filesystem::path directory, std::vector<Setting> settings = {});
  /// A row that belongs to no run and has these cells only, by the names of their columns.
  explicit RunRow(std::map<std::string, TableCell> cells) : cells_(std::move(cells)) {}

  /// Sets the status of a run that has left no summary, or an older one.
  void set_status(std::string status) { status_ = std::move(status); }
  /// Takes the settings from the overrides of the run, as summary.json has them, except those of
  /// [run] and of the output directory.
  void read_settings();

  [[nodiscard]] std::vector<Setting> const& settings() const { return settings_; }
  /// Removes all settings except those of these keys.
  void keep_settings(std::vector<std::string> const& keys);
  /// Returns true if the directory contains a summary.
  [[nodiscard]] bool has_summary() const { return !summary_.is_null(); }

  /// Returns the value of a column:
  ///
  /// - a key of the settings, "equation.diffusivity" or "diffusivity"
  /// - "run" (the name of the directory), "directory", "status"
  /// - "iterations", "time", "error", "converged", "min", "max", "mean", "flux.NAME",
  ///   "floating.NAME.value", "heat_balance.NAME", "wall_s"
  /// - a path in summary.json: "performance.gcells_per_second"
  /// - the last value in a table of a probe: "probe_NAME.COLUMN", "quantities.COLUMN"
  /// - a key of the case: "grid.points"
  [[nodiscard]] TableCell value(std::string const& column) const;

  /// Returns the columns of results that the run has: status, iterations, statistics of the field,
  /// fluxes, the heat balance, the values of floating conductors, and the last values of probes at
  /// points and planes.
  [[nodiscard]] std::vector<std::string> result_columns() const;

 private:
  /// Returns the value of a key among the settings, or null.
  [[nodiscard]] TableCell setting(std::string const& column) const;
  /// Returns a value of summary.json by its path, or null.
  [[nodiscard]] TableCell in_summary(std::string const& path) const;
  /// Returns a value of the last row of a table, or null.
  [[nodiscard]] TableCell in_table(std::string const& column) const;
  /// Returns a value of the case, or null.
  [[nodiscard]] TableCell in_case(std::string const& key) const;
  /// Names of the columns of tables that have one row for each moment.
  [[nodiscard]] std::vector<std::string> table_columns() const;

  std::filesystem::path directory_;
  std::vector<Setting> settings_;
  nlohmann::ordered_json summary_;            ///< null if there is none
  std::string status_{};                      ///< empty: that of the summary
  std::map<std::string, TableCell> cells_{};  ///< of a row that belongs to no run
};

/// Returns the directories of runs: those given, or if one has no summary.json, the directories in
/// it that have one, ordered by name with numbers in numerical order.
/// @throws InputError  if there is no run
std::vector<std::filesystem::path> find_runs(std::vector<std::filesystem::path> const& directories);

}  // namespace isotherm::app
