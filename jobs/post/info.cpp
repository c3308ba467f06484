#include "jobs/post/info.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

#include "io/snapshot/snapshot.hpp"
#include "jobs/basics/exit_code.hpp"
#include "jobs/basics/json_text.hpp"
#include "jobs/basics/text.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/post/verdict.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

char const* role_name(SnapshotInfo const& info) {
  return info.is_checkpoint ? "checkpoint" : "snapshot";
}

/// A file, and why it is not sound.
struct Found {
  SnapshotFile file;
  bool verified = false;
  std::string damage{};  ///< empty where there is none, or nobody looked
};

Found found(SnapshotFile const& file, bool verify) {
  if (!verify) {
    return {file};
  }
  try {
    require_sound(file);
    return {file, true};
  } catch (InputError const& error) {
    return {file, true, error.what()};
  }
}

void warn(std::string const& text) { std::cerr << "isotherm: warning: " << visible(text) << "\n"; }

Json to_json(Found const& found) {
  SnapshotFile const& file = found.file;
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  Json json{{"file", file.path.string()},
            {"field", info.field},
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
  if (found.verified) {
    add_verdict(json, found.damage);
  }
  return json;
}

std::string triple(PerAxis<double> const& values, int dimension) {
  return dimension == 2 ? fmt::format("{:g}, {:g}", values[0], values[1])
                        : fmt::format("{:g}, {:g}, {:g}", values[0], values[1], values[2]);
}

/// "sound" or "damaged" for a verified file, the reason on the standard error.
std::string verdict(Found const& found) {
  if (!found.damage.empty()) {
    warn(found.damage);
  }
  return !found.verified ? "" : found.damage.empty() ? "sound" : "damaged";
}

void print(Found const& found) {
  SnapshotFile const& file = found.file;
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  std::cout << fmt::format(
      "{}\n"
      "  field       {}, {}, at iteration {}, t = {:g}\n"
      "  points      {}, first at ({}), spacing ({})\n"
      "  role        {}, {}\n"
      "  checksum    {:016x}\n"
      "  written by  isotherm {}\n",
      visible(file.path.string()), info.field, name(info.stored_type), info.iteration, info.time_s,
      format_extent(grid.points, grid.dimension), triple(grid.lower, grid.dimension),
      triple(grid.spacing, grid.dimension), role_name(info),
      info.can_resume ? "can be resumed from"
                      : "cannot be resumed from: " + one_line(info.reason_not_resumable, 200),
      info.checksum, one_line(info.version));
  if (std::string const word = verdict(found); !word.empty()) {
    std::cout << "  contents    " << word << "\n";
  }
}

void print_list(std::vector<Found> const& all) {
  for (Found const& found : all) {
    SnapshotInfo const& info = found.file.info;
    std::string const word = verdict(found);
    std::cout << fmt::format("{:>12}  t = {:<12g} {:<10} {:<10} {}{}\n", info.iteration,
                             info.time_s, role_name(info), info.can_resume ? "resumable" : "-",
                             visible(found.file.path.filename().string()),
                             word.empty() ? "" : "  " + word);
  }
}

/// @param unreadable  files that were asked for, too, of which there is nothing more to say
void print_json_list(std::vector<Found> const& all, std::vector<RejectedFile> const& unreadable) {
  Json list = Json::array();
  for (Found const& found : all) {
    list.push_back(to_json(found));
  }
  for (RejectedFile const& file : unreadable) {
    list.push_back({{"file", file.path.string()}});
    add_verdict(list.back(), file.reason);
  }
  print_json(list);
}

int exit_code_for(bool damaged) { return damaged ? exit_code::bad_input : exit_code::done; }

int list_directory(InfoOptions const& options) {
  std::vector<RejectedFile> rejected;
  std::vector<Found> all;
  bool damaged = false;
  for (SnapshotFile const& file : list_snapshots(options.path, "u", &rejected)) {
    all.push_back(found(file, options.verify));
    damaged = damaged || !all.back().damage.empty();
  }
  bool const lists_rejected = options.json && options.verify;
  if (all.empty() && !(lists_rejected && !rejected.empty())) {
    throw InputError("there is no snapshot in " + options.path.string() +
                     (rejected.empty() ? "" : " that can be read: " + rejected.front().reason));
  }
  options.json ? print_json_list(all, lists_rejected ? rejected : std::vector<RejectedFile>())
               : print_list(all);
  for (RejectedFile const& file : rejected) {
    warn((lists_rejected ? "" : "left out: ") + file.reason);
  }
  return exit_code_for(damaged || (options.verify && !rejected.empty()));
}

/// As it is for a file or a program; a terminal must not obey it.
void print_case(std::string const& text) {
  std::cout << (::isatty(STDOUT_FILENO) == 1 ? visible_lines(text) : text);
}

int show_file(InfoOptions const& options) {
  SnapshotFile const file{options.path, read_snapshot_info(options.path)};
  Found const checked = found(file, options.verify);
  if (options.print_case) {
    (void)verdict(checked);
    print_case(file.info.case_text);
  } else if (options.json) {
    print_json(to_json(checked));
  } else {
    print(checked);
  }
  return exit_code_for(!checked.damage.empty());
}

}  // namespace

int show_info(InfoOptions const& options) {
  std::error_code said_below;
  bool const is_directory = std::filesystem::is_directory(options.path, said_below);
  return is_directory ? list_directory(options) : show_file(options);
}

}  // namespace isotherm
