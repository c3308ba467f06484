#include "app/post/info.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <unistd.h>

#include "app/post/verification.hpp"
#include "app/run/report/page/report_page.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/compare/value_statistics.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the role of a file, in messages and JSON.
char const* role_name(SnapshotInfo const& info) {
  return info.is_checkpoint ? "checkpoint" : "snapshot";
}

/// A file with the results of checks. On ranks other than the root, `file` has its defaults.
struct Found {
  SnapshotFile file;
  bool verified = false;  ///< its values were compared with their checksums
  std::string damage{};   ///< the reason if it is damaged; empty if it is sound or was not checked
  std::vector<ValueStatistics> statistics{};  ///< of its fields; empty unless requested
};

/// The files to describe.
struct Listing {
  std::vector<Found> files{};
  std::vector<RejectedFile> rejected{};  ///< files that cannot be read
  bool of_directory = false;
};

/// Reads the descriptions of the requested files. Root only.
Listing list(InfoOptions const& options) {
  Listing listing;
  std::error_code ignored_error;  // read_snapshot_info() reports the reason
  listing.of_directory = std::filesystem::is_directory(options.path, ignored_error);
  // A file is read even if its name is not that of a snapshot. In a directory only files with such
  // names are listed.
  if (!listing.of_directory) {
    listing.files.push_back({{options.path, read_snapshot_info(options.path)}});
    return listing;
  }
  for (SnapshotFile const& file : list_snapshots(options.path, "u", &listing.rejected)) {
    listing.files.push_back({file});
  }
  return listing;
}

/// Computes statistics of all files, on all ranks. Initially only the root has the list. A file
/// that cannot be read gets its reason in Found::damage, and the others are still read. Collective.
void add_statistics(mpi::Communicator const& ranks, std::vector<Found>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (Found const& found : files) paths.push_back(found.file.path.string());
  // Only the root has listed the directory. The other ranks get the paths, and then read the files
  // themselves.
  paths = ranks.broadcast(paths);
  files.resize(paths.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      SnapshotInfo info;
      rethrow_on_all_ranks(ranks, [&] { info = read_snapshot_info(paths[i]); });
      files[i].statistics = value_statistics(ranks, paths[i], info);
      // The error occurs on every rank, so all ranks continue with the next file.
    } catch (InputError const& error) {
      files[i].damage = error.what();
    }
  }
}

/// Verifies all files that are not already known to be damaged. Root only.
void verify(std::vector<Found>& files) {
  for (Found& found : files) {
    found.verified = true;
    // add_statistics() has already found the damage.
    if (!found.damage.empty()) continue;
    try {
      require_sound(found.file);
    } catch (InputError const& error) {
      found.damage = error.what();
    }
  }
}

/// Prints a warning on standard error. Its text may contain parts of files.
void warn(std::string const& text) { std::cerr << "isotherm: warning: " << visible(text) << "\n"; }

/// Returns the coordinates of a point, in the grid's unit of length.
PerAxis<double> place_of(Index3 at, Grid const& grid) {
  return {grid.coordinate(0, at.x), grid.coordinate(1, at.y), grid.coordinate(2, at.z)};
}

/// Adds an extreme value with its point; null if no value of the field is finite.
void add(Json& json, std::string const& name, std::optional<Extreme> const& extreme,
         Grid const& grid) {
  // JSON's null: a field without finite values has no extreme values.
  Json const none;
  Index3 const at = extreme ? extreme->at : Index3{};
  json[name] = extreme ? Json(extreme->value) : none;
  json[name + "_at"] = extreme ? Json(place_of(at, grid).values) : none;
  json[name + "_point"] = extreme ? Json{at.x, at.y, at.z} : none;
}

/// Returns the JSON object of a field's statistics.
Json to_json(ValueStatistics const& statistics, Grid const& grid) {
  Json json{{"field", statistics.field},
            {"components", statistics.components},
            {"points", statistics.points},
            {"not_finite", statistics.not_finite}};
  add(json, "min", statistics.minimum, grid);
  add(json, "max", statistics.maximum, grid);
  bool const any = statistics.finite() > 0;
  // JSON has no NaN, so missing numbers are null.
  json["mean"] = any ? Json(statistics.mean) : Json();
  json["l2"] = any ? Json(statistics.root_mean_square) : Json();
  return json;
}

/// Returns the names of all fields in a file, with their numbers of components.
Json fields_in(SnapshotInfo const& info) {
  Json all = Json::array();
  auto const add = [&](std::string const& name, int components) {
    all.push_back({{"name", name}, {"components", components}});
  };
  add(info.field, scalar_components);
  for (std::string const& name : info.extra_fields) add(name, scalar_components);
  for (std::string const& name : info.vector_fields) add(name, vector_components);
  return all;
}

/// Returns the JSON object of a file. Numbers that JSON cannot represent exactly, such as the
/// 64-bit checksum, are written as text.
Json to_json(Found const& found) {
  SnapshotFile const& file = found.file;
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  Json json{{"file", file.path.string()},
            {"field", info.field},
            {"fields", fields_in(info)},
            {"iteration", info.iteration},
            {"time_s", info.time_s},
            {"dimension", grid.dimension},
            {"points", {grid.points.x, grid.points.y, grid.points.z}},
            {"lower", grid.lower.values},
            {"spacing", grid.spacing.values},
            {"type", name(info.stored_type)},
            {"role", role_name(info)},
            {"can_resume", info.can_resume},
            {"reason_not_resumable", info.reason_not_resumable},
            {"checksum", fmt::format("{:016x}", info.checksum)},
            {"block_checksums", info.has_block_checksums},
            {"version", info.version},
            {"state", parse_json(info.state)},
            {"fingerprint", parse_json(info.fingerprint)}};
  // Uniform axes are fully described by `lower` and `spacing`.
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.is_graded(axis)) {
      json["coordinates"][std::string(1, "xyz"[axis])] = grid.graded[axis].values();
    }
  }
  for (ValueStatistics const& of_field : found.statistics) {
    json["statistics"].push_back(to_json(of_field, grid));
  }
  // Without verification nothing is known about the values, unless reading them failed.
  if (found.verified || !found.damage.empty()) {
    add_verification(json, found.damage);
  }
  return json;
}

/// Return the numbers of the axes that a grid has: "0.5, 0.25".
std::string along_axes(PerAxis<double> const& values, Grid const& grid) {
  std::vector<std::string> all;
  for (int axis = 0; axis < axis_count(grid); ++axis) {
    all.push_back(fmt::format("{:g}", values[axis]));
  }
  return join(all);
}

std::string along_axes(Index3 at, Grid const& grid) {
  std::vector<std::string> all;
  for (int axis = 0; axis < axis_count(grid); ++axis) all.push_back(fmt::format("{}", at[axis]));
  return join(all);
}

/// Returns "0.5, 0.01 to 0.3": for each axis its spacing, or the narrowest and the widest gap of a
/// graded axis.
std::string spacings(Grid const& grid) {
  std::vector<std::string> all;
  for (int axis = 0; axis < axis_count(grid); ++axis) {
    double widest = narrowest_gap(grid, axis);
    // On a uniform axis the narrowest gap is the spacing.
    all.push_back(fmt::format("{:g}", widest));
    if (!grid.is_graded(axis)) continue;
    // narrowest_gap() has no counterpart for the maximum.
    for (std::int64_t i = 0; i < grid.intervals(axis); ++i) {
      widest = std::max(widest, grid.gap(axis, i));
    }
    all.back() += fmt::format(" to {:g}", widest);
  }
  return join(all);
}

/// Prints an extreme value with its place.
void print(char const* name, Extreme const& extreme, Grid const& grid) {
  std::cout << fmt::format("    {}         {:.10g} at ({}), point ({})\n", name, extreme.value,
                           along_axes(place_of(extreme.at, grid), grid),
                           along_axes(extreme.at, grid));
}

/// Prints a field's statistics, indented below its file.
void print(ValueStatistics const& statistics, Grid const& grid) {
  // Extreme values and means of vector fields refer to magnitudes.
  bool const vectors = statistics.components > scalar_components;
  std::cout << fmt::format("  {} of {}\n", vectors ? "magnitudes" : "values", statistics.field);
  // If no value is finite, only the count below is printed.
  if (statistics.minimum && statistics.maximum) {
    print("min", *statistics.minimum, grid);
    print("max", *statistics.maximum, grid);
    std::cout << fmt::format("    mean        {:.10g}\n    l2          {:.10g}\n", statistics.mean,
                             statistics.root_mean_square);
  }
  std::cout << fmt::format("    not finite  {} of {}\n", statistics.not_finite, statistics.points);
}

/// Prints the statistics of all fields of a file.
void print_statistics(Found const& found) {
  for (ValueStatistics const& statistics : found.statistics) {
    print(statistics, found.file.info.grid);
  }
}

/// Returns the further fields of a file: "source, gradient (vectors)".
std::string extra_field_names(SnapshotInfo const& info) {
  std::vector<std::string> all = info.extra_fields;
  for (std::string const& name : info.vector_fields) all.push_back(name + " (vectors)");
  return one_line(join(all), 200);
}

/// Returns "sound" or "damaged" if the values of a file were read, else "". Prints the reason on
/// standard error.
std::string verdict(Found const& found) {
  if (!found.damage.empty()) {
    warn(found.damage);
  }
  if (!found.damage.empty()) return "damaged";
  return found.verified ? "sound" : "";
}

/// Prints the description of one file.
void print(Found const& found) {
  SnapshotFile const& file = found.file;
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  // Texts that come from the file pass through visible() or one_line().
  std::string const others = extra_field_names(info);
  std::cout << fmt::format(
      "{}\n"
      "  field       {}, {}, at iteration {}, t = {:g}\n{}"
      "  points      {}, first at ({}), spacing ({})\n"
      "  role        {}, {}\n"
      "  checksum    {:016x}\n"
      "  written by  isotherm {}\n",
      visible(file.path.string()), info.field, name(info.stored_type), info.iteration, info.time_s,
      others.empty() ? "" : fmt::format("  extra       {}\n", others),
      format_extent(grid.points, axis_count(grid)), along_axes(grid.lower, grid), spacings(grid),
      role_name(info),
      info.can_resume ? "can be resumed from"
                      : "cannot be resumed from: " + one_line(info.reason_not_resumable, 200),
      info.checksum, one_line(info.version));
  if (std::string const word = verdict(found); !word.empty()) {
    std::cout << "  contents    " << word << "\n";
  }
  print_statistics(found);
}

/// Prints the name of the run's report, if the directory has one. It comes before the fields, so
/// that the last line is that of the newest one.
void print_report(std::filesystem::path const& directory) {
  std::filesystem::path const page = directory / report_name;
  if (is_report(page)) std::cout << "report  " << visible(page.string()) << "\n";
}

/// Prints one line for each file of a directory.
void print_list(std::vector<Found> const& all) {
  for (Found const& found : all) {
    SnapshotInfo const& info = found.file.info;
    std::string const word = verdict(found);
    std::cout << fmt::format("{:>12}  t = {:<12g} {:<10} {:<10} {}{}\n", info.iteration,
                             info.time_s, role_name(info), info.can_resume ? "resumable" : "-",
                             visible(found.file.path.filename().string()),
                             word.empty() ? "" : "  " + word);
    print_statistics(found);
  }
}

/// Prints a directory as a JSON list.
/// @param unreadable  further requested files, each with the reason why it cannot be read
void print_json_list(std::vector<Found> const& all, std::vector<RejectedFile> const& unreadable) {
  Json list = Json::array();
  for (Found const& found : all) {
    list.push_back(to_json(found));
  }
  for (RejectedFile const& file : unreadable) {
    list.push_back({{"file", file.path.string()}});
    add_verification(list.back(), file.reason);
  }
  print_json(list);
}

/// Returns the exit code of the command.
int exit_code_for(bool damaged) { return damaged ? exit_code::bad_input : exit_code::done; }

/// Describes a directory; returns the exit code.
int show_directory(InfoOptions const& options, Listing const& listing) {
  std::vector<RejectedFile> const& rejected = listing.rejected;
  // If the user verifies in JSON, unreadable files are damaged entries of the list, not just
  // warnings.
  bool const lists_rejected = options.json && options.verify;
  // An empty directory is an error. If its unreadable files are part of the result, there is
  // something to print.
  if (listing.files.empty() && !(lists_rejected && !rejected.empty())) {
    throw InputError("there is no snapshot in " + options.path.string() +
                     (rejected.empty() ? "" : " that can be read: " + rejected.front().reason));
  }
  if (!options.json) print_report(options.path);
  options.json
      ? print_json_list(listing.files, lists_rejected ? rejected : std::vector<RejectedFile>())
      : print_list(listing.files);
  for (RejectedFile const& file : rejected) {
    warn((lists_rejected ? "" : "ignored: ") + file.reason);
  }
  bool const damaged =
      std::ranges::any_of(listing.files, [](Found const& found) { return !found.damage.empty(); });
  return exit_code_for(damaged || (options.verify && !rejected.empty()));
}

/// Prints the text of a case unchanged for files and programs. On a terminal, control characters
/// are escaped.
void print_case(std::string const& text) {
  std::cout << (::isatty(STDOUT_FILENO) == 1 ? visible_lines(text) : text);
}

/// Describes one file; returns the exit code.
int show_file(InfoOptions const& options, Found const& found) {
  if (options.print_case) {
    (void)verdict(found);  // prints the warning
    print_case(found.file.info.case_text);
  } else if (options.json) {
    print_json(to_json(found));
  } else {
    print(found);
  }
  return exit_code_for(!found.damage.empty());
}

}  // namespace

// 1. The root lists the files. 2. All ranks compute statistics, if requested. 3. The root verifies
// and prints. Exceptions of the root's stages are thrown on all ranks.
int show_info(mpi::Communicator const& ranks, InfoOptions const& options) {
  Listing listing;
  on_root(ranks, [&] { listing = list(options); });
  // Statistics verify all values on all ranks. verify() on the root then skips files that are
  // already known to be damaged.
  if (options.statistics) add_statistics(ranks, listing.files);
  int code = exit_code::done;
  on_root(ranks, [&] {
    if (options.verify) verify(listing.files);
    code = listing.of_directory ? show_directory(options, listing)
                                : show_file(options, listing.files.front());
  });
  return code;
}

}  // namespace isotherm::app
