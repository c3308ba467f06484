#include "app/post/verify.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "app/post/verification.hpp"
#include "app/run/log/residual_log.hpp"
#include "app/run/probes/probes.hpp"
#include "app/run/report/page/report_page.hpp"
#include "app/run/report/summary.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "case/basics/text/wording.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm::app {

namespace {

using Path = std::filesystem::path;

/// Throws the InputError for a damaged file.
[[noreturn]] void fail(Path const& path, std::string const& reason) {
  throw InputError(path.string() + " is damaged: " + reason);
}

/// Removes the file's name from the beginning of a message, because the output line already begins
/// with it. Other messages remain unchanged.
std::string without_name(std::string const& message, Path const& path) {
  // The forms that messages of the readers have; the longest comes first.
  for (char const* const link : {" is damaged: ", " is ", ": ", " "}) {
    std::string const beginning = path.string() + link;
    if (message.starts_with(beginning)) return message.substr(beginning.size());
  }
  return message;
}

/// Reads the description of a file that a series names. The file must exist and be readable.
/// @throws InputError  in the name of the series
SnapshotInfo read_member(Path const& series, std::string const& name, std::string const& field) {
  if (!is_snapshot_name(name, field)) {
    fail(series, "it names " + in_quotes(name) + ", which is not the name of a field file");
  }
  Path const path = series.parent_path() / name;
  try {
    return read_snapshot_info(path);
  } catch (InputError const& error) {
    fail(series, "of " + name + ", which it names: " + without_name(error.what(), path));
  }
}

/// Checks a .vtkhdf.series file: its JSON structure, and the files that it names.
void check_file_series(Path const& path, std::string const& field) {
  // parse_json() gives null for a text that is not JSON.
  auto const json = parse_json(read_text_file(path, "a series"));
  auto const files = json.is_object() ? json.find("files") : json.end();
  if (!json.is_object() || files == json.end() || !files->is_array()) {
    fail(path, "it is not a JSON object with a list \"files\"");
  }
  for (auto const& file : *files) {
    // ParaView needs both entries of each file.
    bool const is_whole = file.is_object() && file.contains("name") && file["name"].is_string() &&
                          file.contains("time") && file["time"].is_number();
    if (!is_whole) fail(path, "one of its entries has no name or no time");
    (void)read_member(path, file["name"].get<std::string>(), field);
  }
}

/// Returns true if `dataset` is the path of one of a file's fields.
bool has_dataset(SnapshotInfo const& info, std::string_view dataset) {
  auto const is_of = [&](std::string const& field) {
    return layout::dataset_path(info.grid, field) == dataset;
  };
  return is_of(info.field) || std::ranges::any_of(info.extra_fields, is_of) ||
         std::ranges::any_of(info.vector_fields, is_of);
}

/// Returns true if `dataset` is one of the axes to which a series of graded grids refers.
bool has_axis(SnapshotInfo const& info, std::string_view dataset) {
  return info.grid.is_graded() && dataset.starts_with('/') &&
         std::ranges::find(layout::axis_names, dataset.substr(1)) != layout::axis_names.end();
}

/// Checks a .xmf file: that it is complete, and that the files and datasets exist to which it
/// refers. The text is not parsed as XML. It is searched for references "FILE:DATASET", as isotherm
/// writes them.
void check_xdmf(Path const& path, std::string const& field) {
  std::string const text = read_text_file(path, "a series");
  // A truncated file lacks the end.
  if (!text.starts_with("<?xml") || !text.ends_with("</Xdmf>\n")) {
    fail(path, "it does not begin and end like an XDMF file");
  }
  // Each reference follows this attribute and ends at the closing tag.
  constexpr std::string_view mark = "Format=\"HDF\">";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    std::string const reference = text.substr(at, text.find('<', at) - at);
    // File names of snapshots contain no colon, so the first one separates the dataset.
    std::size_t const colon = reference.find(':');
    std::string const name = reference.substr(0, colon);
    std::string const dataset = colon == std::string::npos ? "" : reference.substr(colon + 1);
    SnapshotInfo const member = read_member(path, name, field);
    if (!has_dataset(member, dataset) && !has_axis(member, dataset)) {
      fail(path,
           "it names the dataset " + in_quotes(dataset) + ", which " + name + " does not have");
    }
  }
}

/// Checks a summary.json: that it is a JSON object of the current format.
void check_summary(Path const& path) {
  auto const json = parse_json(read_text_file(path, "a summary"));
  if (!json.is_object()) fail(path, "it is not a JSON object");
  if (json.value("format", nlohmann::json()) != summary_format) {
    fail(path, std::string(R"(it lacks "format": ")") + summary_format + '"');
  }
}

/// Checks a file by the rules for its name.
/// @throws InputError  if the file is damaged, or is no result file of a run
void check(Path const& path) {
  constexpr std::string_view xdmf = ".xmf";
  constexpr std::string_view file_series = ".vtkhdf.series";
  std::string const name = path.filename().string();
  // The field of a series: "u" for "u.xmf" and for "u_snapshots.xmf".
  auto const before = [&](std::string_view end) {
    std::string const field = name.substr(0, name.size() - end.size());
    return field == name_of_snapshots("u") ? "u" : field;
  };
  // Names decide the kind of a file. Every file with another name must be a snapshot.
  if (name == "summary.json") return check_summary(path);
  if (name == "residuals.csv") return check_residuals(path);
  if (is_probe_table_name(name)) return check_probe_table(path);
  if (name == report_name) return check_report(path);
  // The end of a series' name is removed to find the name of its field.
  if (name.ends_with(xdmf)) return check_xdmf(path, before(xdmf));
  if (name.ends_with(file_series)) return check_file_series(path, before(file_series));
  require_sound({path, read_snapshot_info(path)});
}

/// Returns a remark about a sound file: whether another program has rewritten it.
std::string remark_on(Path const& path) {
  bool const has_remark = path.extension() == snapshot_ending && was_rewritten(path);
  return has_remark ? ", but rewritten by another program" : "";
}

/// Returns all result files in a directory: snapshots, series, logs and probe tables.
std::vector<Path> files_in(Path const& directory) {
  std::vector<Path> files = snapshot_paths(directory, "u");
  // A directory without snapshots is probably a typing error, so it is reported.
  if (files.empty()) {
    throw InputError(directory.string() + ": there is no snapshot in it");
  }
  // Files that a run may omit are checked only if they exist.
  for (char const* const name : {"u.xmf", "u.vtkhdf.series", "u_snapshots.xmf",
                                 "u_snapshots.vtkhdf.series", "summary.json", "residuals.csv"}) {
    std::error_code ignored_error;  // checking the file reports the reason
    if (std::filesystem::exists(directory / name, ignored_error)) files.push_back(directory / name);
  }
  // Another page of this name is not a result.
  if (is_report(directory / report_name)) files.push_back(directory / report_name);
  // Directories are listed in arbitrary order, so the tables are sorted.
  auto const tables_from = static_cast<std::ptrdiff_t>(files.size());
  // Probe tables have names that the user has chosen, so they are searched for.
  for (auto const& entry : std::filesystem::directory_iterator(directory)) {
    if (is_probe_table_name(entry.path().filename().string())) files.push_back(entry.path());
  }
  std::sort(files.begin() + tables_from, files.end());
  return files;
}

/// Checks a sequence of files. Each result is printed immediately, except as JSON, which is one
/// list at the end. Damage of one file does not prevent the checks of the others.
class Verification {
 public:
  explicit Verification(bool json) : as_json_(json) {}

  /// Checks a file, or all result files of a directory.
  void verify(Path const& path) {
    std::error_code ignored_error;
    if (!std::filesystem::is_directory(path, ignored_error)) return report(path, damage_of(path));
    // A directory that cannot be listed is reported as damaged; the other arguments are still
    // checked.
    try {
      for (Path const& file : files_in(path)) report(file, damage_of(file));
    } catch (InputError const& error) {
      report(path, without_name(error.what(), path));
    }
  }

  /// Prints the JSON list, if requested, and returns the exit code.
  [[nodiscard]] int end() const {
    if (as_json_) print_json(list_);
    return found_damage_ ? exit_code::bad_input : exit_code::done;
  }

 private:
  /// Returns the reason why a file is damaged; empty if it is sound.
  static std::string damage_of(Path const& path) {
    try {
      check(path);
      return "";
    } catch (InputError const& error) {
      return without_name(error.what(), path);
    }
  }

  /// Records and prints the result for one file.
  void report(Path const& path, std::string const& damage) {
    found_damage_ = found_damage_ || !damage.empty();
    if (as_json_) {
      list_.push_back({{"file", path.string()}});
      add_verification(list_.back(), damage);
    } else {
      std::cout << visible(path.string()) << ": "
                << (damage.empty() ? "sound" + remark_on(path) : "damaged: " + visible(damage))
                << std::endl;  // flushed: checking the next file may take minutes
    }
  }

  bool as_json_;
  bool found_damage_ = false;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
};

}  // namespace

int verify(VerifyOptions const& options) {
  Verification verification(options.json);
  for (Path const& path : options.paths) verification.verify(path);
  return verification.end();
}

}  // namespace isotherm::app
